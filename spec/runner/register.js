/** Registers the loader of `load-typescript.js`: `node --import ./spec/runner/register.js FILE`. */

import * as module from 'node:module';
import { load } from './load-typescript.js';

// Lines in stack traces are those of the source.
process.setSourceMapsEnabled(true);
// In the same thread where Node can do that, from 22.15 on.
if (module.registerHooks) module.registerHooks({ load });
else module.register('./load-typescript.js', import.meta.url);
