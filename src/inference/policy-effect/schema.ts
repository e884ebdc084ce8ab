import {
  changeOf,
  draftOf,
  PolicyCreateInput,
  PolicyUpdateInput,
} from '../../access/policies/schema.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import type { ReasonTotal } from './rules.js';
import { effectOfChange, effectOfNew, type PolicyEffect } from './service.js';

const EffectKindEnum = builder.enumType('PolicyEffectKind', {
  description: 'What a policy does to a request that it concerns.',
  values: {
    blocked: { description: 'The request is refused.' },
    degraded: { description: 'It is served by another model or route, or with a shorter answer.' },
  } as const,
});

const PolicyEffectReason = builder.objectRef<ReasonTotal>('PolicyEffectReason').implement({
  description: 'How often a reason would have applied.',
  fields: (t) => ({
    reason: t.exposeString('reason', { description: 'The error code, or what would differ.' }),
    kind: t.expose('kind', {
      type: EffectKindEnum,
      description: 'What the reason would have done.',
    }),
    requests: t.exposeInt('requests', { description: 'How many requests.' }),
    rub: t.expose('micro', { type: 'Rub', description: 'What these requests had cost.' }),
  }),
});

const PolicyEffectType = builder.objectRef<PolicyEffect>('PolicyEffect').implement({
  description:
    'What a policy would have done to the recorded requests of the last seven days, judged by ' +
    'the code that enforces policies. Nothing is written.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'Begin of the window.' }),
    to: t.expose('to', { type: 'DateTime', description: 'End of the window.' }),
    complete: t.exposeBoolean('complete', {
      description: 'False where the window holds more requests than are replayed.',
    }),
    requests: t.exposeInt('requests', { description: 'Requests that were replayed.' }),
    blocked: t.exposeInt('blocked', { description: 'Requests that would have been refused.' }),
    degraded: t.exposeInt('degraded', {
      description: 'Requests with another model, another route or a shorter answer.',
    }),
    blockedRub: t.expose('blockedMicro', {
      type: 'Rub',
      description: 'What the refused requests had cost.',
    }),
    provenance: t.string({
      description: 'Always `live_measured`: computed from recorded usage.',
      resolve: () => 'live_measured',
    }),
    reasons: t.field({
      type: [PolicyEffectReason],
      description: 'The reasons, most frequent first.',
      resolve: (effect) => [...effect.reasons],
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
