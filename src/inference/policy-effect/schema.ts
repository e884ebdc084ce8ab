import {
  changeOf,
  draftOf,
  PolicyCreateInput,
  PolicyUpdateInput,
} from '../../access/policies/schema.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { shownFields } from '../../graph/table-types.js';
import type { ReasonTotal } from './rules.js';
import { effectOfChange, effectOfNew, type PolicyEffect } from './service.js';
import { REASON_FIELDS, TOTAL_FIELDS, WINDOW_FIELDS } from './tables.js';

const PolicyEffectReason = builder.objectRef<ReasonTotal>('PolicyEffectReason').implement({
  description: 'How often a reason would have applied.',
  fields: (t) => ({
    ...shownFields(t, REASON_FIELDS, (total) => total),
    rub: t.expose('micro', { type: 'Rub', description: 'What these requests had cost.' }),
  }),
});

const PolicyEffectType = builder.objectRef<PolicyEffect>('PolicyEffect').implement({
  description:
    'What a policy would have done to the recorded requests of the last seven days, judged by ' +
    'the code that enforces policies. Nothing is written.',
  fields: (t) => ({
    ...shownFields(t, { ...WINDOW_FIELDS, ...TOTAL_FIELDS }, (effect) => effect),
    provenance: t.string({
      description: 'Always `live_measured`: computed from recorded usage.',
      resolve: () => 'live_measured',
    }),
    reasons: t.expose('reasons', {
      type: [PolicyEffectReason],
      description: 'The reasons, most frequent first.',
    }),
  }),
});

builder.queryFields((t) => ({
  policyCreateEffect: t.field({
    type: PolicyEffectType,
    description: 'The effect that a new policy would have had: a dry run of `policyCreate`.',
    authScopes: { can: 'policies.write' },
    args: {
      input: t.arg({
        type: PolicyCreateInput,
        required: true,
        description: 'What the policy would say.',
      }),
    },
    resolve: (_root, { input }, ctx) => effectOfNew(authorized(ctx), draftOf(input)),
  }),
  policyUpdateEffect: t.field({
    type: PolicyEffectType,
    description: 'The effect that a change would have had: a dry run of `policyUpdate`.',
    authScopes: { can: 'policies.write' },
    args: {
      id: t.arg({
        type: 'ID',
        required: true,
        description: 'The id of the policy that would change.',
      }),
      input: t.arg({
        type: PolicyUpdateInput,
        required: true,
        description: 'What would change; what is left out stays as it is.',
      }),
    },
    resolve: (_root, { id, input }, ctx) => effectOfChange(authorized(ctx), id, changeOf(input)),
  }),
}));
