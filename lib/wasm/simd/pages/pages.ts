/** Rows and runs of pages in the kernels' memory: routines and twins. */

import { type PageKernels, plainPages } from '../../../kernels/batch/pages.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { held, input, output } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import { forEachElement, put } from '../loops.ts';

/** Most rows are narrow. */
const widths = [4, 2, 1] as const;

/** read and write(count, words, stride, begin, rows, from, to), runs(count, factor, firsts, ends, pages, out) */
export function definePages(module: Assembler) {
  return { read: defineRows(module, true), write: defineRows(module, false), runs: defineRuns(module) };
}

function defineRows(module: Assembler, reads: boolean) {
  return module.define(taking(7), ([count, words, stride, begin, rows, from, to], declare) => {
    const [left, listed] = variables(declare, 'i32', 2);
    const [source, target] = reads ? [listed, to] : [from, listed];
    return whileAtLeast(count, 1, [
      listed.set(i32.add(reads ? from : to, i32.shiftLeft(i32.add(begin, i32.multiply(i32.load(rows), stride)), 2))),
      left.set(words),
      forEachElement(left, widths, [source, target], (access) => put(access, target, access.load(source), false)),
      rows.step(4),
    ]);
  });
}

function defineRuns(module: Assembler) {
  return module.define(taking(6), ([count, factor, firsts, ends, pages, out], declare) => {
    const [left, from] = variables(declare, 'i32', 2);
    return whileAtLeast(count, 1, [
      from.set(i32.add(pages, i32.shiftLeft(i32.load(firsts), 2))),
      left.set(i32.multiply(factor, i32.subtract(i32.load(ends, 4), i32.load(ends)))),
      forEachElement(left, widths, [from, out], (access) => put(access, out, access.load(from), false)),
      firsts.step(4),
      ends.step(4),
    ]);
  });
}

/** Pages are never copied: kernels reach them in their memory, or the plain twins run. */
export function pageTwins({ read, write, runs }: Routines<typeof definePages>, { kernel }: Host): PageKernels {
  return {
    readRows: kernel(plainPages.readRows, [input, held, output], read),
    writeRows: kernel(plainPages.writeRows, [input, input, held], write),
    readRuns: kernel(plainPages.readRuns, [input, input, held, output], runs),
  };
}
