import type { ErrorCode } from '../../../kernel/errors/catalogue.js';
import type { Fault } from '../../../kernel/errors/fail.js';
import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';

/** What a debugging comes to. */
export const DEBUG_VERDICTS = vocabulary('DebugVerdict', 'What a debugging comes to.', [
  {
    code: 'passes',
    description: 'Nothing in the request is refused now: what failed lies outside of it.',
  },
  {
    code: 'patched',
    description: 'The patch makes the request pass; it was judged again with the patch.',
  },
  {
    code: 'no_patch',
    description: 'The request is refused, and no change within the rules makes it pass.',
  },
  { code: 'not_judged', description: 'No request was given, so that only the error is explained.' },
]);

/** What a debugging comes to. */
export type DebugVerdict = CodeOf<typeof DEBUG_VERDICTS>;

/** What is to be known of a request. */
export const DEBUG_WARNINGS = vocabulary('DebugWarning', 'What is to be known of a request.', [
  { code: 'unknown_model', description: 'No model, alias or route policy has this name.' },
  { code: 'parameter_missing', description: 'A field that is needed is not there.' },
  { code: 'parameter_wrong_type', description: 'A field holds a value of another type.' },
  { code: 'parameter_out_of_range', description: 'A field holds more or less than it may.' },
  { code: 'parameter_unknown_value', description: 'A field holds none of its values.' },
  { code: 'parameter_invalid', description: 'A field holds what its rule does not allow.' },
  {
    code: 'parameter_unread',
    description: 'A field that is like one of the wire is none: it is forwarded and not read.',
  },
  { code: 'unsupported_capability', description: 'The model cannot do what the request uses.' },
  { code: 'context_too_long', description: 'The prompt does not fit the window of the model.' },
  { code: 'policy_forbids', description: 'A policy or the firewall does not let it through.' },
  { code: 'route_unavailable', description: 'The model cannot be called on this server now.' },
  { code: 'rate_reached', description: 'A rate limit or a throttle does not let it through now.' },
  { code: 'funds_short', description: 'The funds or a budget do not cover it now.' },
  { code: 'missing_metadata', description: 'Reports cannot group it: metadata is not there.' },
  { code: 'texts_left_out', description: 'Messages were not given; a short one stood for them.' },
  { code: 'needs_credential', description: 'A part of it is known to the organization alone.' },
  { code: 'credential_refused', description: 'The credential that was shown lets nobody in.' },
  { code: 'unknown_error_code', description: 'The stated error is none of the catalogue.' },
  { code: 'status_mismatch', description: 'The stated error is answered with another status.' },
]);

/** What is to be known of a request. */
export type DebugWarning = CodeOf<typeof DEBUG_WARNINGS>;

/** The operations of RFC 6902 that a patch is made of. */
export const PATCH_OPERATIONS = vocabulary('JsonPatchOperation', 'An operation of RFC 6902.', [
  { code: 'add', description: 'Adds a value that was not there.' },
  { code: 'remove', description: 'Takes a value out of the request.' },
  { code: 'replace', description: 'Puts another value in the place of one.' },
]);

/** The warning of a fault of the wire. */
export const WARNING_OF_FAULT: Readonly<Record<Fault['code'], DebugWarning>> = {
  missing: 'parameter_missing',
  wrong_type: 'parameter_wrong_type',
  out_of_range: 'parameter_out_of_range',
  unknown_value: 'parameter_unknown_value',
  invalid: 'parameter_invalid',
};

/** The warning of a refusal by a stage after the wire. */
export const WARNING_OF_REFUSAL: Readonly<Partial<Record<ErrorCode, DebugWarning>>> = {
  model_not_found: 'unknown_model',
  capability_unsupported: 'unsupported_capability',
  context_length_exceeded: 'context_too_long',
  model_not_allowed: 'policy_forbids',
  data_route_forbidden: 'policy_forbids',
  firewall_blocked: 'policy_forbids',
  ephemeral_scope_exceeded: 'policy_forbids',
  workspace_not_found: 'policy_forbids',
  workspace_boundary: 'policy_forbids',
  workspace_required: 'missing_metadata',
  workspace_policy_blocked: 'policy_forbids',
  workspace_user_required: 'missing_metadata',
  spend_paused: 'policy_forbids',
  budget_hard_stop: 'policy_forbids',
  budget_read_only: 'policy_forbids',
  budget_batch_only: 'policy_forbids',
  budget_premium_restricted: 'policy_forbids',
  rate_limit_requests: 'rate_reached',
  rate_limit_tokens: 'rate_reached',
  key_throttled: 'rate_reached',
  insufficient_balance: 'funds_short',
  budget_exhausted: 'funds_short',
  budget_too_small: 'funds_short',
  budget_reserved: 'funds_short',
  model_without_price: 'route_unavailable',
};

/** Further words for the values of a field, as other clients write them. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  human: 'user',
  customer: 'user',
  ai: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  instruction: 'system',
  any: 'required',
  json: 'json_object',
  schema: 'json_schema',
};

/** Bounds of a debugging, which anybody may ask for. */
export const DEBUG_BOUNDS = {
  /** Characters of the request as JSON. */
  requestCharsMax: 262_144,
  /** Operations of a patch. */
  operationsMax: 20,
  /** Characters of requests that are judged in all, so that the work of one question is bounded. */
  judgedCharsMax: 12_000_000,
  /** Judgements by all stages. */
  judgementsMax: 48,
  /** Explanations where a status alone is stated. */
  explanationsMax: 30,
  promptTokensMax: 10_000_000,
} as const;
