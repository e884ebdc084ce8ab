import { CACHED_ANSWER_BASIS_POINTS } from '../../catalog/providers/price.js';
import { isRestricted } from '../../kernel/firewall/data-class.rules.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import { divide, type MicroRub } from '../../kernel/money.js';
import type { WorkloadTerms } from './contract-cache.js';
import { ASYNC_CLASSES, type ContractPart, type HistoryGap } from './contract-vocabulary.js';

/** A recorded chat request of a workload that was answered. Prices in micro-rubles. */
export interface PastChat {
  /** When its usage was recorded. */
  readonly atMs: number;
  readonly latencyMs: number;
  /** The model that was chosen, another than answered after a fallback; null where unrecorded. */
  readonly chosenModel: string | null;
  readonly projectId: string;
  readonly clientId: string | null;
  /** Whether the response cache answered it. */
  readonly isHit: boolean;
  /** What equal prompts share; null where the request has none. */
  readonly fingerprint: string | null;
  readonly dataClass: DataClass;
  readonly outputText: number;
  readonly outputReasoning: number;
  readonly outputTextMicroPerMillion: bigint;
  readonly outputReasoningMicroPerMillion: bigint;
  readonly amountMicro: bigint;
  readonly streamed: boolean;
  readonly interactionClass: string | null;
}

/** What one part of a contract would have done. */
export interface PartEffect {
  readonly part: ContractPart;
  readonly basis: 'at_most' | 'advice' | 'cannot_certify';
  /** Requests that it concerns; null where that cannot be known. */
  readonly requests: number | null;
  readonly savedMicro: MicroRub | null;
  readonly missing: readonly HistoryGap[];
}

/** What a contract would have done to recorded requests. */
export interface SupposedContract {
  readonly requests: number;
  readonly chargedMicro: MicroRub;
  /** What the parts that can be certified would have saved together; null where none can. */
  readonly savedMicro: MicroRub | null;
  readonly parts: readonly PartEffect[];
}

/**
 * What a contract would have done to the answered requests of a workload, which are added newest
 * first: its ceiling by the recorded tokens and prices, its cache by equal fingerprints. Each part
 * bounds what it would have saved by itself, since a request of several choices may have had more
 * tokens left, and equal prompts may differ in what is not recorded. In the sum of both each ruble
 * is saved once: a kept answer saves its share of what the ceiling leaves.
 */
export class SupposedContractTally {
  readonly #cache: SupposedCache;
  readonly #output = { requests: 0, savedMicro: 0n };
  readonly #kept = { requests: 0, savedMicro: 0n };
  /** What kept answers save of what the ceiling leaves. */
  #keptOfLeftMicro = 0n;
  #requests = 0;
  #chargedMicro = 0n;
  #patient = 0;
  readonly #cacheGaps = new Set<HistoryGap>();

  constructor(private readonly terms: WorkloadTerms) {
    this.#cache = new SupposedCache(terms);
  }

  /** Adds the request that was recorded before all those that are added. */
  add(request: PastChat): void {
    const { outputTokensMax: ceiling, asyncFrom } = this.terms;
    const { amountMicro } = request;
    this.#requests += 1;
    this.#chargedMicro += amountMicro;
    if (asyncFrom !== null && canWait(request, asyncFrom)) this.#patient += 1;
    const cutMicro = ceiling === null ? 0n : beyondCeilingMicro(request, ceiling);
    if (ceiling !== null && tokensOf(request) > ceiling) this.#output.requests += 1;
    this.#output.savedMicro += cutMicro;
    const gap = cacheGapOf(request);
    if (gap) this.#cacheGaps.add(gap);
    const answered = this.#cache.answers(request, cutMicro);
    if (!answered) return;
    this.#kept.requests += 1;
    this.#kept.savedMicro += savedByCache(answered.amountMicro);
    this.#keptOfLeftMicro += savedByCache(answered.amountMicro - answered.cutMicro);
  }

  /** What all of them come to. */
  result(): SupposedContract {
    const parts = this.#requests === 0 ? unknownParts(this.terms) : this.#parts();
    const isCertain = (part: ContractPart) =>
      parts.some((each) => each.part === part && each.savedMicro !== null);
    const [byCeiling, byCache] = [isCertain('output_tokens'), isCertain('cache_seconds')];
    const outputMicro = byCeiling ? this.#output.savedMicro : 0n;
    const savedMicro = outputMicro + (byCache ? this.#keptOfLeftMicro : 0n);
    return {
      requests: this.#requests,
      chargedMicro: this.#chargedMicro,
      savedMicro: byCeiling || byCache ? savedMicro : null,
      parts,
    };
  }

  #parts(): readonly PartEffect[] {
    return partsOf(this.terms, {
      output: this.#output,
      kept: this.#kept,
      cacheGaps: [...this.#cacheGaps],
      patient: this.#patient,
    });
  }
}

/** What each part would have done. */
interface PartSums {
  readonly output: Saved;
  readonly kept: Saved;
  /** What requests lack that the cache would have been open to. */
  readonly cacheGaps: readonly HistoryGap[];
  /** Requests that can wait as the contract says. */
  readonly patient: number;
}

type Saved = Pick<PartEffect, 'requests' | 'savedMicro'>;

/** The parts that a contract states, each with what usage rows lack to certify it. */
const UNCERTIFIED = [
  ['reasoning_effort', 'reasoningEffortMax', 'effort_not_recorded'],
  ['history_messages', 'historyMessagesMax', 'messages_not_recorded'],
  ['history_tokens', 'historyTokensMax', 'messages_not_recorded'],
  ['retrieval_tokens', 'retrievalTokensMax', 'blocks_not_recorded'],
] as const;

function partsOf(
  terms: WorkloadTerms,
  { output, kept, cacheGaps, patient }: PartSums,
): readonly PartEffect[] {
  const { outputTokensMax, exactCacheEnabled, asyncFrom } = terms;
  const cache =
    cacheGaps.length === 0
      ? bounded('cache_seconds', kept)
      : uncertified('cache_seconds', ...cacheGaps);
  return [
    ...(outputTokensMax === null ? [] : [bounded('output_tokens', output)]),
    ...UNCERTIFIED.flatMap(([part, field, gap]) =>
      terms[field] === null ? [] : [uncertified(part, gap)],
    ),
    ...(exactCacheEnabled ? [cache] : []),
    ...(asyncFrom === null ? [] : [advised(patient)]),
  ];
}

/** Without a request nothing is known of any part. */
function unknownParts(terms: WorkloadTerms): readonly PartEffect[] {
  const none = { requests: 0, savedMicro: 0n };
  const sums = { output: none, kept: none, cacheGaps: [], patient: 0 };
  return partsOf(terms, sums).map(({ part }) => uncertified(part, 'no_requests'));
}

function bounded(part: ContractPart, saved: Saved): PartEffect {
  return { part, basis: 'at_most', ...saved, missing: [] };
}

function uncertified(part: ContractPart, ...missing: HistoryGap[]): PartEffect {
  return { part, basis: 'cannot_certify', requests: null, savedMicro: null, missing };
}

function advised(requests: number): PartEffect {
  return { part: 'async', basis: 'advice', requests, savedMicro: null, missing: [] };
}

/** Whether a request is at least as patient as a class; one that does not say so is urgent. */
export function canWait(
  { streamed, interactionClass }: Pick<PastChat, 'streamed' | 'interactionClass'>,
  from: string,
): boolean {
  if (streamed || interactionClass === null) return false;
  const classes: readonly string[] = ASYNC_CLASSES.codes;
  return classes.indexOf(interactionClass) >= classes.indexOf(from);
}

function tokensOf({ outputText, outputReasoning }: PastChat): number {
  return outputText + outputReasoning;
}

/** What the tokens beyond a ceiling had cost, those of the text first; rounded up. */
function beyondCeilingMicro(request: PastChat, ceiling: number): MicroRub {
  const beyond = Math.max(0, tokensOf(request) - ceiling);
  const text = Math.min(beyond, request.outputText);
  const reasoning = beyond - text;
  const micro =
    BigInt(text) * request.outputTextMicroPerMillion +
    BigInt(reasoning) * request.outputReasoningMicroPerMillion;
  const saved = divide(micro, 1_000_000n, 'ceil');
  return saved < request.amountMicro ? saved : request.amountMicro;
}

/** What a kept answer saves of a price, rounded up. */
function savedByCache(micro: MicroRub): MicroRub {
  return divide(micro * BigInt(WHOLE - CACHED_ANSWER_BASIS_POINTS), BigInt(WHOLE), 'ceil');
}

/** All of an amount, in basis points. */
const WHOLE = 10_000;

/** Why it cannot be known whether a kept answer would have done, or done for a later request. */
function cacheGapOf(request: PastChat): HistoryGap | undefined {
  if (isRestricted(request.dataClass) || request.isHit) return undefined;
  if (request.fingerprint === null) return 'no_fingerprints';
  return request.chosenModel === null ? 'chosen_model_not_recorded' : undefined;
}

/** A request that an earlier one may have been made an answer for. */
interface Later {
  readonly askedAtMs: number;
  readonly isHit: boolean;
  readonly amountMicro: MicroRub;
  readonly cutMicro: MicroRub;
}

/**
 * Which requests a cache would have answered at most: each whose prompt was that of an earlier one
 * whose answer was within the term. Which of equal prompts were equal requests is not recorded, so
 * the earlier one may have been answered by the cache itself.
 */
class SupposedCache {
  readonly #later = new Map<string, Later>();

  constructor(private readonly terms: WorkloadTerms) {}

  /** The next later request of the same prompt, where the answer to this one would have done. */
  answers(request: PastChat, cutMicro: MicroRub): Later | undefined {
    const { exactCacheEnabled, exactCacheSeconds } = this.terms;
    const { fingerprint, chosenModel, atMs, latencyMs, isHit, amountMicro } = request;
    if (!exactCacheEnabled || isRestricted(request.dataClass)) return undefined;
    if (fingerprint === null || chosenModel === null) return undefined;
    const name = JSON.stringify([this.scopeOf(request), chosenModel, fingerprint]);
    const later = this.#later.get(name);
    this.#later.set(name, { askedAtMs: atMs - latencyMs, isHit, amountMicro, cutMicro });
    const isWithin = later && later.askedAtMs - atMs < exactCacheSeconds * 1_000;
    return isWithin && !later.isHit ? later : undefined;
  }

  private scopeOf({ projectId, clientId }: PastChat): string {
    const { exactCacheScope, exactCacheByClient } = this.terms;
    if (exactCacheScope === 'project') return projectId;
    const isByClient = exactCacheScope === null && exactCacheByClient === true;
    return exactCacheScope === 'client' || isByClient ? (clientId ?? '') : '';
  }
}
