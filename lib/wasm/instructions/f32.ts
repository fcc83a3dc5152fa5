/** Single floats. */

import { memoryRead, operator } from '../code.ts';

export const load = memoryRead(0x2a);
export const add = operator(0x92);
