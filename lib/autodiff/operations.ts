/** Which operations can be differentiated? All of them stand in this one table. */

import { arithmetic } from './arithmetic.ts';
import { factorisations } from './factorisations.ts';
import { products } from './products.ts';

export const operations = { ...arithmetic, ...products, ...factorisations };
