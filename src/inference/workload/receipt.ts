import type { Deployment } from '../../catalog/providers/model.js';
import type { JsonObject } from '../../kernel/json.js';
import type { WorkloadTerms } from '../../routing/workloads/contract-cache.js';
import type { ContractPart, ContractReason } from '../../routing/workloads/contract-vocabulary.js';
import { canWait } from '../../routing/workloads/effect.rules.js';
import type { Bill, Prepared } from '../bill.js';
import type { InferenceRequest } from '../request.js';
import { tokenBounds } from '../upstream/tokens.js';
import { lower } from './contract.js';
import { effortInForce, statedEffort } from './effort.rules.js';

/** What one part of a contract did to a request. */
interface Effect {
  readonly part: ContractPart;
  readonly stated: string;
  readonly asked: string | null;
  readonly used: string | null;
  readonly reason: ContractReason;
}

/** What the contract of a request did to it, part by part; undefined where none is in force. */
export function workloadReceipt(prepared: Prepared, { outcome }: Bill): JsonObject | undefined {
  const { workload } = prepared.request;
  if (!workload) return undefined;
  const { version, terms } = workload;
  const effects = [
    outputEffect(prepared, terms, outcome.deployment),
    reasoningEffect(prepared, terms, outcome.deployment),
    ...historyEffects(prepared.request, terms),
    retrievalEffect(prepared.request, terms),
    ...cacheEffects(prepared, terms, outcome.cachedMs),
    asyncEffect(prepared.request, terms),
  ];
  return {
    contract: terms.contractKey,
    contract_version: version,
    effects: effects.filter((each) => each !== undefined),
  };
}

/**
 * What the usage row of a request keeps about its contract: the version that was in force, which
 * never changes, and what was asked of it, so that every part can be decided again.
 */
export function workloadRecord(request: InferenceRequest): JsonObject | undefined {
  const { workload, pruned, context, compiled, body, outputTokensMax } = request;
  if (!workload) return undefined;
  const { version, terms } = workload;
  const effort = terms.reasoningEffortMax === null ? undefined : statedEffort(body);
  return {
    contract: terms.contractKey,
    version,
    ...(terms.outputTokensMax !== null && { output_tokens_asked: outputTokensMax ?? null }),
    ...(effort !== undefined && { reasoning_effort_asked: effort }),
    ...(pruned && {
      history_messages: pruned.historyMessages,
      history_messages_kept: pruned.keptMessages,
      history_tokens_kept: pruned.keptTokens,
    }),
    ...(context &&
      terms.retrievalTokensMax !== null && {
        retrieval_tokens_asked: context.tokensMax ?? null,
        retrieval_tokens_kept: compiled?.compiled.usedTokens ?? null,
      }),
  };
}

function outputEffect(
  { request, route }: Prepared,
  { outputTokensMax: stated }: WorkloadTerms,
  deployment: Deployment,
): Effect | undefined {
  if (stated === null) return undefined;
  const { outputTokensMax: asked } = request;
  const bounds = tokenBounds(request, deployment, route.outputTokensCap);
  const used = Math.floor(bounds.outputTokensMax / request.choices);
  const reason =
    used < (lower(stated, asked) ?? stated) ? 'bounded_elsewhere' : reasonOf(stated, asked);
  return effect('output_tokens', { stated, asked, used, reason });
}

function reasoningEffect(
  { request }: Prepared,
  { reasoningEffortMax: stated }: WorkloadTerms,
  { capabilities }: Deployment,
): Effect | undefined {
  if (stated === null) return undefined;
  const { body } = request;
  const { effort: used, reason } = effortInForce(body, stated, capabilities.includes('reasoning'));
  return effect('reasoning_effort', { stated, asked: statedEffort(body), used, reason });
}

function historyEffects(
  { pruned }: InferenceRequest,
  { historyMessagesMax, historyTokensMax }: WorkloadTerms,
): (Effect | undefined)[] {
  if (!pruned) return [];
  const { historyMessages, keptMessages, keptTokens } = pruned;
  const isWhole = keptMessages === historyMessages;
  const whole = historyMessages === 0 ? 'no_earlier_turn' : 'within';
  const reason = isWhole ? whole : 'pruned';
  return [
    historyMessagesMax === null
      ? undefined
      : effect('history_messages', {
          stated: historyMessagesMax,
          asked: historyMessages,
          used: keptMessages,
          reason,
        }),
    historyTokensMax === null
      ? undefined
      : effect('history_tokens', {
          stated: historyTokensMax,
          // What was dropped has not been counted.
          asked: isWhole ? keptTokens : undefined,
          used: keptTokens,
          reason,
        }),
  ];
}

function retrievalEffect(
  { context, compiled }: InferenceRequest,
  { retrievalTokensMax: stated }: WorkloadTerms,
): Effect | undefined {
  if (stated === null) return undefined;
  const asked = context?.tokensMax;
  const used = compiled?.compiled.usedTokens;
  const reason = context ? reasonOf(stated, asked) : 'no_blocks';
  return effect('retrieval_tokens', { stated, asked, used, reason });
}

function cacheEffects(
  { cache }: Prepared,
  { exactCacheSeconds, exactCacheScope }: WorkloadTerms,
  cachedMs: number | undefined,
): (Effect | undefined)[] {
  if (!cache) return [];
  const { directive: asked } = cache;
  const isOpen = cache.identity !== undefined;
  const missed = cache.isFresh ? 'bypassed' : 'provider_asked';
  const opened = cachedMs === undefined ? missed : 'kept_answer';
  const closed = cache.closedBy.includes('no_store') ? 'bypassed' : 'closed';
  const reason = isOpen ? opened : closed;
  const stated = exactCacheSeconds;
  const used = isOpen ? stated : undefined;
  return [
    effect('cache_seconds', { stated, asked, used, reason }),
    exactCacheScope === null
      ? undefined
      : effect('cache_scope', {
          stated: exactCacheScope,
          asked: undefined,
          used: isOpen ? exactCacheScope : undefined,
          reason,
        }),
  ];
}

function asyncEffect(
  { stream, metadata }: InferenceRequest,
  { asyncFrom: stated }: WorkloadTerms,
): Effect | undefined {
  if (stated === null) return undefined;
  const { interaction_class: named } = metadata.rest;
  const asked = typeof named === 'string' ? named : null;
  const isPatient = canWait({ streamed: stream, interactionClass: asked }, stated);
  const reason = stream ? 'streamed' : isPatient ? 'patient' : 'urgent';
  const used = reason === 'patient' ? 'recommended' : undefined;
  return effect('async', { stated, asked, used, reason });
}

function reasonOf(stated: number, asked: number | undefined): ContractReason {
  if (asked === undefined) return 'set';
  return asked > stated ? 'lowered' : 'within';
}

type Figure = string | number | null | undefined;

/** Figures and codes alike are told as texts, so that every part has one shape. */
function effect(
  part: ContractPart,
  told: {
    readonly stated: string | number;
    readonly asked: Figure;
    readonly used: Figure;
    readonly reason: ContractReason;
  },
): Effect {
  const { stated, asked, used, reason } = told;
  return { part, stated: String(stated), asked: textOf(asked), used: textOf(used), reason };
}

function textOf(figure: Figure): string | null {
  return figure == null ? null : String(figure);
}
