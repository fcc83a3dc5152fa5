/** The colors of the page have the contrasts that WCAG 2.2 requires at level AA, in light and dark mode. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../docs/demo/page/palette.ts';
import { sequential } from '../../lib/charts/sequential.ts';

const test = suite('contrast');

type Colors = Readonly<Record<string, string>>;

/** The colors of a rule, by name. */
function colorsOf(css: string, rule: RegExp): Colors {
  const body = rule.exec(css)?.[1] ?? '';
  return Object.fromEntries([...body.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name, value]) => [name, value]));
}

function luminance(color: readonly number[]): number {
  const [red, green, blue] = color.map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const bytesOf = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const page = readFileSync('docs/demo/page/style.css', 'utf8');
const guide = readFileSync('docs/guide/guide.css', 'utf8');
const light = colorsOf(page, /^:root \{([^}]*)\}/m);
const themes = { light, dark: { ...light, ...colorsOf(page, /^:root\[data-theme='dark'\] \{([^}]*)\}/m) } };

for (const [theme, colors] of Object.entries(themes)) {
  const ratio = (one: string, other: string): number => contrast(bytesOf(colors[one]), bytesOf(colors[other]));

  test(`text is readable in the ${theme}`, () => {
    for (const text of ['ink', 'soft', 'a', 'b', 'mark', 'bad', 'good']) {
      for (const ground of ['page', 'card', 'raised']) {
        assert.ok(ratio(text, ground) >= 4.5, `${text} on ${ground}: ${ratio(text, ground).toFixed(2)}`);
      }
    }
    assert.ok(ratio('on-primary', 'primary') >= 4.5);
  });

  test(`pressed, filled and focused controls have a visible edge in the ${theme}`, () => {
    for (const edge of ['edge', 'focus']) {
      for (const ground of ['page', 'card', 'raised']) {
        assert.ok(ratio(edge, ground) >= 3, `${edge} on ${ground}: ${ratio(edge, ground).toFixed(2)}`);
      }
    }
  });

  test(`points of every color are visible in the ${theme}; along a scale they get lighter`, () => {
    const ramp = sequential[theme as 'light' | 'dark'];
    for (const color of [...kinds, ...ramp]) {
      assert.ok(contrast(color, bytesOf(colors.card)) >= 3, `${color.join()}`);
    }
    assert.ok(ramp.every((color, i) => i === 0 || luminance(color) > luminance(ramp[i - 1])));
  });
}

test('the guide is readable in both', () => {
  const pairs = [...guide.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g)];
  const both = new Map(pairs.map(([, name, day, night]) => [name, [bytesOf(day), bytesOf(night)]]));
  for (const text of ['ink', 'soft', 'accent', 'string']) {
    for (const ground of ['page', 'card']) {
      for (const at of [0, 1]) {
        const ratio = contrast(both.get(text)![at], both.get(ground)![at]);
        assert.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
  }
});

test.run();
