/** Single floats. */

import { memoryRead, memoryWrite, operator } from '../code.ts';

export const load = memoryRead(0x2a);
export const store = memoryWrite(0x38);
export const add = operator(0x92);
