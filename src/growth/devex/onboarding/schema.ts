import { builder } from '../../../graph/builder.js';
import { authorized } from '../../../graph/database.js';
import { argsOf, outputOf } from '../../../graph/table-types.js';
import { object, uuid } from '../../../kernel/fields/field.js';
import { ONBOARDING_RECEIPTS } from './records.js';
import { onboardingReceipt, trackOnboarding } from './service.js';
import { ONBOARDING, TRACK_INPUT } from './tables.js';

builder.mutationField('onboardingTrack', (t) =>
  t.field({
    type: outputOf(ONBOARDING),
    description:
      'Tracks the onboarding of the organization. What rows show is measured, what you name is ' +
      'declared, and each state that differs from the last is sealed.',
    authScopes: { can: 'onboarding.write' },
    args: argsOf(t, { input: object(TRACK_INPUT, 'What is told of the onboarding.') }),
    resolve: (_root, { input }, ctx) => trackOnboarding(authorized(ctx), input),
  }),
);

builder.queryField('onboardingLatestReceipt', (t) =>
  t.field({
    type: ONBOARDING_RECEIPTS.type,
    description: 'The latest receipt of an onboarding: how it stood when it was last tracked.',
    authScopes: { can: 'onboarding.read' },
    args: argsOf(t, { id: uuid('The id of the onboarding, as tracking it answers.') }),
    resolve: (_root, { id }, ctx) => onboardingReceipt(authorized(ctx), id),
  }),
);
