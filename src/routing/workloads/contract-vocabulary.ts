import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import { INTERACTION_CLASSES } from './vocabulary.js';

/** How much a model reasons before it answers, the least first. */
export const REASONING_EFFORTS = vocabulary(
  'ReasoningEffort',
  'How much a model reasons before it answers, the least first.',
  [
    { code: 'none', description: 'The model does not reason.' },
    { code: 'minimal', description: 'The model reasons as little as it can.' },
    { code: 'low', description: 'The model reasons briefly.' },
    { code: 'medium', description: 'The model reasons as most do unless told otherwise.' },
    { code: 'high', description: 'The model reasons at length.' },
    { code: 'xhigh', description: 'The model reasons for as long as it wants.' },
  ],
);
/** How much a model reasons. */
export type ReasoningEffort = CodeOf<typeof REASONING_EFFORTS>;

/** Who shares kept answers. */
export const CACHE_SCOPES = vocabulary('WorkloadCacheScope', 'Who shares kept answers.', [
  { code: 'organization', description: 'All requests of the organization.' },
  { code: 'project', description: 'The requests of one project.' },
  {
    code: 'client',
    description: 'The requests of one `metadata.client_id`, or those that state none.',
  },
]);

/** Who shares kept answers. */
export type WorkloadCacheScope = CodeOf<typeof CACHE_SCOPES>;

/** Whether clients get past the cache. */
export const CACHE_BYPASSES = vocabulary(
  'WorkloadCacheBypass',
  'Which directives of `cache-control` get a request past the cache.',
  [
    { code: 'allowed', description: 'Both `no-cache` and `no-store` are obeyed.' },
    {
      code: 'no_store_only',
      description: '`no-cache` is passed over; `no-store` is always obeyed.',
    },
  ],
);

/** From how patient a request on asynchronous work is recommended. */
export const ASYNC_CLASSES = vocabulary(
  'WorkloadAsyncClass',
  'From how patient a request on asynchronous work is recommended.',
  INTERACTION_CLASSES.rows.filter(({ code }) => code !== 'REALTIME'),
);

/** What a contract bounds. */
export const CONTRACT_PARTS = vocabulary(
  'WorkloadContractPart',
  'What a workload contract states about a chat request.',
  [
    { code: 'output_tokens', description: 'The most tokens of one choice of the answer.' },
    { code: 'reasoning_effort', description: 'The most reasoning before the answer.' },
    {
      code: 'history_messages',
      description: 'The most messages before the last one of the user, without the system’s.',
    },
    { code: 'history_tokens', description: 'The most tokens of these messages.' },
    { code: 'retrieval_tokens', description: 'The most tokens of kept blocks of `gw_context`.' },
    { code: 'cache_seconds', description: 'How old a kept answer may be.' },
    { code: 'cache_scope', description: 'Who shares kept answers.' },
    { code: 'async', description: 'When asynchronous work is recommended.' },
  ],
);
/** A part of a contract. */
export type ContractPart = CodeOf<typeof CONTRACT_PARTS>;

/** Why a part of a contract came out as it did. */
export const CONTRACT_REASONS = vocabulary(
  'WorkloadContractReason',
  'Why a part of a workload contract came out as it did for a request.',
  [
    { code: 'lowered', description: 'The request asked for more than the contract allows.' },
    { code: 'set', description: 'The request asked for nothing, so the contract decides.' },
    { code: 'within', description: 'What the request asked is within the contract and holds.' },
    {
      code: 'bounded_elsewhere',
      description: 'The model, a policy, the funds or a budget allow less than the contract.',
    },
    {
      code: 'model_does_not_reason',
      description: 'The model that answered cannot reason, so nothing was sent.',
    },
    {
      code: 'effort_unknown',
      description: 'The request states an effort outside of the published order; it was left.',
    },
    {
      code: 'provider_member',
      description: 'The request bounds reasoning by a member of its provider, which was left.',
    },
    { code: 'pruned', description: 'The oldest turns were dropped.' },
    {
      code: 'no_earlier_turn',
      description: 'Nothing stands before the last turn, so nothing could be dropped.',
    },
    { code: 'no_blocks', description: 'The request has no blocks in `gw_context`.' },
    { code: 'kept_answer', description: 'A kept answer was given.' },
    { code: 'provider_asked', description: 'A provider was asked, since no answer was kept.' },
    { code: 'bypassed', description: 'The client asked for an answer past the cache.' },
    { code: 'closed', description: 'A rule closes the cache to the request.' },
    {
      code: 'patient',
      description: 'The request can wait as the contract says. Batches are not built yet.',
    },
    { code: 'urgent', description: 'The request cannot wait as long, or does not say so.' },
    { code: 'streamed', description: 'The answer is streamed, so somebody reads along.' },
  ],
);
/** Why a part came out as it did. */
export type ContractReason = CodeOf<typeof CONTRACT_REASONS>;

/** What a dry run can say of a part of a contract. */
export const EFFECT_BASES = vocabulary(
  'WorkloadEffectBasis',
  'What a dry run can say about a part of a workload contract.',
  [
    { code: 'at_most', description: 'Recorded tokens and prices bound what it would have saved.' },
    { code: 'advice', description: 'The part advises and changes no request.' },
    { code: 'cannot_certify', description: 'The recorded requests lack what would decide it.' },
  ],
);

/** What recorded requests lack. */
export const HISTORY_GAPS = vocabulary(
  'WorkloadHistoryGap',
  'What the recorded requests of a window lack for a dry run.',
  [
    { code: 'no_requests', description: 'The workload had no answered chat request.' },
    {
      code: 'effort_not_recorded',
      description: 'Usage rows do not say how many tokens a lower effort would have taken.',
    },
    {
      code: 'messages_not_recorded',
      description: 'Usage rows do not say what messages were sent.',
    },
    { code: 'blocks_not_recorded', description: 'Usage rows do not say what blocks were sent.' },
    {
      code: 'no_fingerprints',
      description:
        'A request has no fingerprint of its prompt, as those over 65,536 bytes have none.',
    },
    {
      code: 'chosen_model_not_recorded',
      description: 'The usage row of a request does not say which model was chosen for it.',
    },
  ],
);
/** What recorded requests lack. */
export type HistoryGap = CodeOf<typeof HISTORY_GAPS>;

/** The most messages of history that a contract may allow. */
export const HISTORY_MESSAGES_MAX = 10_000;
