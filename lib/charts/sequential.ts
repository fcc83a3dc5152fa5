/** The sequential color scale for numbers, readable with color blindness, in light and dark mode. */

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The theme of a page. */
export type Theme = 'light' | 'dark';

/** From violet through teal to amber, lighter at every step, with a contrast of at least 3:1 to the background. */
export const sequential: Record<Theme, readonly Rgb[]> = {
  light: [
    [72, 47, 145],
    [46, 86, 166],
    [20, 115, 146],
    [26, 136, 107],
    [85, 145, 61],
    [178, 130, 22],
    [222, 118, 32],
  ],
  dark: [
    [122, 92, 220],
    [70, 122, 224],
    [34, 155, 196],
    [40, 184, 146],
    [124, 200, 90],
    [218, 196, 60],
    [255, 205, 105],
  ],
};

/** The color at a position from 0 to 1. Positions outside have the color of the nearest end. */
export function rampAt(ramp: readonly Rgb[], position: number): Rgb {
  const at = Math.max(0, Math.min(1, position)) * (ramp.length - 1);
  const i = Math.min(ramp.length - 2, Math.floor(at));
  const t = at - i;
  const mix = (c: 0 | 1 | 2): number => Math.round(ramp[i][c] + t * (ramp[i + 1][c] - ramp[i][c]));
  return [mix(0), mix(1), mix(2)];
}
