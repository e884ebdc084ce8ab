import { builder } from '../../../graph/builder.js';
import { argsOf, outputOf } from '../../../graph/table-types.js';
import { quickstart } from './service.js';
import { QUICKSTART, QUICKSTART_QUESTION } from './tables.js';

builder.queryField('quickstart', (t) =>
  t.field({
    type: outputOf(QUICKSTART),
    description:
      'The way to the first answer in a stack: steps, a complete snippet with the address that ' +
      'the caller used, and the documents that an agent reads.',
    args: argsOf(t, QUICKSTART_QUESTION),
    resolve: (_root, { stack }, ctx) => quickstart(ctx, stack),
  }),
);
