/** Marks drawn pixel by pixel: small stamps that are blended into an image. */

/** A mark: the offsets of its pixels from the center, and the coverage of each, out of 256. */
export interface Stamp {
  readonly reach: number;
  readonly across: Int8Array;
  readonly down: Int8Array;
  readonly cover: Uint16Array;
}

/** A disc of this diameter, in pixels. */
export function discStamp(size: number): Stamp {
  return stampOf(size, (x, y) => Math.hypot(x, y));
}

/** The mark whose outline is where `norm`, a distance from the center, is half the size. Edges are smooth. */
export function stampOf(size: number, norm: (x: number, y: number) => number): Stamp {
  const reach = Math.ceil(size / 2);
  const across: number[] = [];
  const down: number[] = [];
  const cover: number[] = [];
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const covered = Math.min(1, Math.max(0, size / 2 + 0.5 - norm(x, y)));
      if (covered < 0.05) continue;
      across.push(x);
      down.push(y);
      cover.push(256 * covered);
    }
  }
  return { reach, across: Int8Array.from(across), down: Int8Array.from(down), cover: Uint16Array.from(cover) };
}

/** Blends a color over a pixel: `weight` is out of 256. */
export function mixed(pixel: number, red: number, green: number, blue: number, weight: number): number {
  const rest = 256 - weight;
  const r = ((pixel & 255) * rest + red * weight + 128) >> 8;
  const g = (((pixel >> 8) & 255) * rest + green * weight + 128) >> 8;
  const b = (((pixel >> 16) & 255) * rest + blue * weight + 128) >> 8;
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

/** `mixed` for a packed color and a whole weight: two channels in one multiplication. */
export function blend(pixel: number, color: number, weight: number): number {
  const rest = 256 - weight;
  const outer = (Math.imul(pixel & 0xff00ff, rest) + Math.imul(color & 0xff00ff, weight) + 0x800080) >>> 8;
  const inner = (Math.imul(pixel & 0xff00, rest) + Math.imul(color & 0xff00, weight) + 0x8000) >>> 8;
  return 0xff000000 | (outer & 0xff00ff) | (inner & 0xff00);
}

/** The memory layout of a canvas: red is the lowest byte, on little-endian processors as all of today. */
export function packed([red, green, blue]: readonly number[]): number {
  const byte = (part: number): number => Math.round(255 * part);
  return ((255 << 24) | (byte(blue) << 16) | (byte(green) << 8) | byte(red)) >>> 0;
}
