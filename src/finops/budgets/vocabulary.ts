import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What a budget caps the spending of. `set` tells those that are set as budgets of their own. */
export const BUDGET_SCOPES = vocabulary('BudgetScope', 'What a budget caps the spending of.', [
  {
    code: 'use_case',
    description: 'Requests whose `metadata.feature` is the reference.',
    set: true,
  },
  {
    code: 'route',
    description:
      'Requests for a route: the reference is the model or alias that the client names, the key ' +
      'of the route policy that it asks, or the model that is chosen for it.',
    set: true,
  },
  {
    code: 'partner_client',
    description: 'Requests whose `metadata.client_id` is the reference.',
    set: true,
  },
  {
    code: 'agent_session',
    description:
      'Requests whose `metadata.session_id` is the reference; `metadata.agent_session` says the ' +
      'same where that is absent.',
    set: true,
  },
  {
    code: 'policy',
    description: 'All requests of a project; it is set by the policy, whose id is the reference.',
    set: false,
  },
  {
    code: 'ephemeral_token',
    description: 'All requests of an ephemeral token, whose id is the reference; issued with it.',
    set: false,
  },
  {
    code: 'workspace_user',
    description:
      'All requests of a user of a workspace; its policy sets it, and the reference is the id of ' +
      'the workspace, a slash and the user.',
    set: false,
  },
  {
    code: 'key',
    description:
      'All requests of an API key and of what it has made; it is set with the limits of the key, ' +
      'whose id is the reference. With the reference `each` it is set here: one cap for each key.',
    set: false,
  },
  {
    code: 'each',
    description:
      'Requests of one that a budget with the reference `each` caps; it is made with the first ' +
      'them, and the reference is the id of that budget, a slash and what is capped.',
    set: false,
  },
]);

/** A scope of budgets. */
export type BudgetScope = CodeOf<typeof BUDGET_SCOPES>;

/** What happens to a request that would pass the cap. */
export const ON_CAP_ACTIONS = vocabulary('OnCapReached', 'What happens at the cap of a budget.', [
  { code: 'allow', description: 'The request passes: the budget counts and never refuses.' },
  {
    code: 'block',
    description:
      'The output limit is lowered to what is left; a request that does not fit even so is ' +
      'refused with a code that names the budget.',
  },
  {
    code: 'degrade',
    description:
      'The request is sent on the route that the budget names, which `gw_routing` tells, and is ' +
      'counted beyond the cap. One that costs no more as it is stays as it is.',
  },
  {
    code: 'require_approval',
    description:
      'The request waits for an approval where it says gw_approval, else it is refused and an ' +
      'exception is put into the queue; what is approved is added to the cap of the period.',
  },
]);

/** What happens at a cap. */
export type OnCapReached = CodeOf<typeof ON_CAP_ACTIONS>;

/** Stands for every reference of a scope, taken together. */
export const EVERY_REF = '*';
/** Stands for every reference of a scope, each for itself. */
export const EACH_REF = 'each';
/** The scopes that have caps for each: what does not end by itself is no scope of them. */
export const EACH_SCOPES = ['agent_session', 'partner_client', 'key'] as const;
/** The longest reference of a scope. */
export const SCOPE_REF_MAX = 128;
/** The most soft alerts of a budget. */
export const SOFT_ALERTS_MAX = 10;
/** The most budgets by scope that an organization may have, inactive ones among them. */
export const BUDGETS_MAX = 2_000;
/** The highest cap: a billion rubles. */
export const CAP_MICRO_MAX = 1_000_000_000_000_000n;
