import { builder } from '../../graph/builder.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { uuid } from '../../kernel/fields/field.js';
import { publicListings, verifyBadge } from './public.js';
import './reference.js';
import { BADGE_VERIFICATION, PUBLIC_LISTING, PUBLIC_QUESTION } from './tables.js';

builder.queryFields((t) => ({
  marketplaceListings: t.field({
    type: connectionOf(outputOf(PUBLIC_LISTING)),
    description:
      'What everybody may see of the marketplace: published listings with a badge in force.',
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...argsOf(t, PUBLIC_QUESTION) },
    resolve: (_root, args, ctx) => publicListings(ctx, args) as never,
  }),
  badgeVerification: t.field({
    type: outputOf(BADGE_VERIFICATION),
    description:
      'Verifies a badge for everybody: its gates, version and expiry, with a signed statement ' +
      'that can be checked without the server.',
    args: argsOf(t, { id: uuid('The badge, which is the id of its certification.') }),
    resolve: (_root, { id }, ctx) => verifyBadge(ctx, id),
  }),
}));
