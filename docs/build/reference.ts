/** The reference: all public declarations with their comments, read from the declaration files of the compiler. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Entry {
  readonly name: string;
  /** The declaration, including the comments of its members. */
  readonly declaration: string;
  /** The comment above it. Empty if there is none. */
  readonly comment: string;
}

/** A module that users import. */
export interface Module {
  /** The name under which it is imported. */
  readonly name: string;
  /** What it contains, in a sentence. */
  readonly summary: string;
  readonly entries: readonly Entry[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The modules that package.json exports, the root first. Requires a built package. */
export function readReference(): Module[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Exports };
  return Object.entries(exports).flatMap(([path, entry]) =>
    typeof entry === 'string' ? [] : [readModule(path.replace('.', 'specnet'), join(root, entry.types))],
  );
}

type Exports = Record<string, string | { readonly types: string }>;

function readModule(name: string, index: string): Module {
  if (!existsSync(index)) throw new Error(`readReference: expected ${index}, got none. npm run build writes it.`);
  const text = readFileSync(index, 'utf8');
  const summary = /^\/\*\* `[^`]+`: (.*) \*\/\n/.exec(text)?.[1] ?? '';
  const exported = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)];
  const entries = exported.flatMap(([, names, from]) => {
    const source = readFileSync(join(dirname(index), from.replace(/\.(js|ts)$/, '.d.ts')), 'utf8');
    return names
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => entryOf(source, one));
  });
  return { name, summary, entries };
}

function entryOf(source: string, name: string): Entry {
  const start = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:async )?(?:function|class|interface|type|const) ${name}\\b`,
    'm',
  ).exec(source);
  if (!start) throw new Error(`readReference: expected a declaration of ${name}, got none.`);
  const above = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(source.slice(0, start.index));
  // A comment at the start of the file describes the file, not the declaration.
  const comment = (above && above.index > 0 ? above[1] : '')
    .replace(/^\s*\*? ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  // Private members are left out.
  const declaration = declarationAt(source, start.index).replace(/^ {4}(?:#private|private .*);\n/gm, '');
  return { name, comment, declaration: declaration.replace(/^export (?:declare )?/, '') };
}

/** The text from `from` to the closing brace, or to the semicolon if there is no body. Overloads are returned together. */
function declarationAt(source: string, from: number): string {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const character = source[at];
    if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1;
    else if ('{(['.includes(character)) depth++;
    else if ('})]'.includes(character)) {
      depth--;
      const opened = /^export (?:declare )?(?:abstract )?(?:class|interface) /.test(source.slice(from, from + 40));
      if (depth === 0 && opened && character === '}') return source.slice(from, at + 1);
    } else if (character === ';' && depth === 0) return source.slice(from, at + 1);
  }
  throw new Error('readReference: expected the end of a declaration, got that of the file.');
}
