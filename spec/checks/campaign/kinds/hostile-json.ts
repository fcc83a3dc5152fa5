/** Changes a JSON value at one or more places, by what it is: numbers, keys, lists, kinds. */

import type { Random } from '../../../../lib/index.ts';
import { pick } from '../kind.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A copy with mostly one change. */
export function hostileJson(random: Random, value: Json): Json {
  let result = structuredClone(value);
  const count = random.integer(3) > 0 ? 1 : 1 + random.integer(3);
  for (let k = 0; k < count; k++) result = changed(random, result);
  return result;
}

type Place = {
  readonly parent: Record<string | number, Json> | null;
  readonly key: string | number;
  readonly value: Json;
};

/** All places, more often those that are deep. */
function placesOf(value: Json, parent: Place['parent'] = null, key: string | number = ''): Place[] {
  const own: Place = { parent, key, value };
  if (typeof value !== 'object' || value === null) return [own];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  const below = [...entries].flatMap(([name, part]) => placesOf(part, value as never, name));
  return [own, ...below];
}

function changed(random: Random, root: Json): Json {
  const { parent, key, value } = pick(random, placesOf(root));
  const substitute = substitutes(random, value);
  if (!parent) return random.integer(4) === 0 ? substitute : root;
  const isList = Array.isArray(parent);
  const way = random.integer(10);
  if (way === 0) {
    if (isList) parent.splice(Number(key), 1);
    else delete parent[key];
  } else if (way === 1) {
    if (isList) parent.splice(Number(key), 0, structuredClone(value));
    else parent[pick(random, ['extra', '__proto__x', 'constructor', 'shape', ''])] = substitute;
  } else if (way === 2 && isList && parent.length > 1) {
    const other = random.integer(parent.length);
    [parent[Number(key)], parent[other]] = [parent[other], parent[Number(key)]];
  } else {
    parent[key] = substitute;
  }
  return root;
}

const numbers = [0, 1, 2, 3, 4, 5, -1, 0.5, -0.5, 0.999, 1.5, 1e9, 2 ** 31, 2 ** 53, 1e308, -1e308, 1e-300];
const words = [
  '',
  'single',
  'double',
  'model',
  'training',
  'network',
  'landmarks',
  'relu',
  'tanh',
  'sgd',
  'adam',
  'ritz',
  'neighbor',
  'full',
  '__proto__',
  '\u0000',
  'x'.repeat(300),
];

/** Mostly a value of the same kind. */
function substitutes(random: Random, value: Json): Json {
  const chance = random.integer(8);
  if (chance > 1 && typeof value === 'number')
    return chance === 2 ? value + pick(random, [1, -1, 1e-9]) : pick(random, numbers);
  if (chance > 1 && typeof value === 'string') return pick(random, words);
  if (chance > 1 && typeof value === 'boolean') return !value;
  return pick<Json>(random, [
    null,
    true,
    false,
    {},
    [],
    [[]],
    [0, 1e9],
    [2, 2],
    { shape: [1] },
    pick(random, numbers),
    pick(random, words),
  ]);
}
