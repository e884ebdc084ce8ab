import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
import { EVIDENCE, type Evidence } from '../../readiness/evidence.js';

/**
 * What an onboarding is made of. `evidence` are the rows that reach a milestone; one without them
 * is reached by the word of the customer alone.
 */
export const MILESTONES = vocabulary('OnboardingMilestone', 'What an onboarding is made of.', [
  {
    code: 'quickstart',
    description: 'Somebody has followed a quickstart; only you can say so.',
    closedBy: 'GET /v1/gw/devex/quickstart',
    evidence: undefined,
  },
  {
    code: 'api_key',
    description: 'A key was made.',
    closedBy: 'POST /api-keys',
    evidence: { table: 'api_key', condition: 'true' } satisfies Evidence,
  },
  {
    code: 'first_request',
    description: 'A chat request was answered by a real model.',
    closedBy: 'POST /v1/chat/completions',
    evidence: EVIDENCE.first_request,
  },
  {
    code: 'policy',
    description: 'A policy is in force.',
    closedBy: 'POST /v1/gw/policies',
    evidence: EVIDENCE.policy,
  },
  {
    code: 'budget',
    description: 'A budget caps spending.',
    closedBy: 'POST /v1/gw/policies with budgets',
    evidence: EVIDENCE.budget_limit,
  },
  {
    code: 'fallback',
    description: 'A route policy names the model that answers when the chosen one fails.',
    closedBy: 'POST /v1/gw/routing/policies with fallback_model',
    evidence: {
      table: 'contract_version',
      condition: "kind = 'route_policy' AND body ->> 'fallback_model' IS NOT NULL",
    } satisfies Evidence,
  },
  {
    code: 'prompt',
    description: 'A prompt package was created.',
    closedBy: 'POST /v1/gw/prompts',
    evidence: { table: 'prompt_version', condition: 'true' } satisfies Evidence,
  },
  {
    code: 'approval',
    description: 'A member has decided what waited for an approval.',
    closedBy: 'POST /v1/gw/approvals/{id}/approve',
    evidence: {
      table: 'approval',
      condition: 'decided_at IS NOT NULL',
      at: 'decided_at',
    } satisfies Evidence,
  },
]);

/** A milestone of an onboarding. */
export type Milestone = CodeOf<typeof MILESTONES>;
