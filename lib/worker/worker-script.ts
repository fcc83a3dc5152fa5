/** The script of the worker, exported as `specnet/worker-script`. The build makes it one file without imports. */

import { answerCalls } from './calls.ts';
import { embeddingClasses } from './embedding-classes.ts';
import { embeddingService } from './embedding-service.ts';
import { portToOwner } from './ports.ts';

answerCalls(portToOwner(), embeddingClasses, embeddingService());
