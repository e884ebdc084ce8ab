import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import './reference.js';
import { focusCharges } from './service.js';
import { FOCUS_CHARGE, FOCUS_QUESTION } from './tables.js';
import { FOCUS_VERSION } from './vocabulary.js';

builder.queryFields((t) => ({
  focusCharges: t.field({
    type: connectionOf(outputOf(FOCUS_CHARGE)),
    description:
      `The charges of a window by the FinOps specification FOCUS ${FOCUS_VERSION}, oldest period ` +
      'first: net usage by meter, its tax apart, refunds, credits and adjustments. Billed costs ' +
      'of all rows add up to what the ledger moved, top-ups aside, to the micro-ruble; pages of ' +
      'an export see what its first page saw.',
    authScopes: { can: 'billing.read' },
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...argsOf(t, FOCUS_QUESTION) },
    resolve: (_root, args, ctx) => focusCharges(authorized(ctx), args),
  }),
}));
