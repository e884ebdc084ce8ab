import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { PriceVector, UsageVector } from '../../catalog/providers/price.js';
import { USAGE_DIMENSIONS } from '../../catalog/providers/vocabulary.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { SITUATION_FIELDS, type Situation } from '../decision/tables.js';
import { DECISION_MEMBER, DECISION_RECORD, type DecisionRecord } from './recorded.js';
import type { AnswerLength, PastDecision } from './what-if.rules.js';

/** The decisions of a window that are asked for. */
export interface PastWindow {
  readonly from: Date;
  readonly to: Date;
  readonly contractKey: string | null;
  readonly useCase: string | null;
}

/** No more decisions are read at once; the latest ones are. */
export const DECISIONS_MAX = 100_000;
/** Read and decided at once: between pages others have their turn. */
const PAGE = 500;

interface DecisionRow extends UsageVector {
  readonly id: string;
  readonly seq: bigint;
  readonly model: string;
  readonly provider: string;
  readonly status: string;
  readonly cost_micro: bigint;
  readonly is_hit: boolean;
  /** Whole micro-rubles as text, by dimension. */
  readonly prices: Readonly<Record<string, string>>;
  readonly simulated: boolean;
  readonly created_at: Date;
  readonly record: SealedContent;
}

/** The columns of a decision row but for the record of the decision. */
const ROW_SQL = Prisma.sql`id, seq, model, provider, status, cost_micro, simulated, created_at,
  input_uncached, input_cached, cache_write, output_text, output_reasoning, prices,
  coalesce(metadata ->> 'gw_cache' = 'hit', false) AS is_hit`;

/** A recorded decision before its situation is known. */
export interface RecordedDecision extends Omit<PastDecision, 'situation'> {
  readonly at: Date;
  readonly isSimulated: boolean;
  readonly isAnswered: boolean;
}

/** Goes through the recorded decisions of a window, the latest first, page by page. */
export async function* recordedDecisions(
  ctx: AuthorizedCtx,
  { from, to, contractKey, useCase }: PastWindow,
): AsyncGenerator<readonly RecordedDecision[]> {
  let below: bigint | null = null;
  for (let read = 0; read < DECISIONS_MAX; read += PAGE) {
    const rows: readonly DecisionRow[] = await database(ctx).$queryRaw<DecisionRow[]>`
      SELECT ${ROW_SQL}, metadata -> ${DECISION_MEMBER} AS record
      FROM usage_event
      WHERE tenant_id = ${ctx.who.tenantId}::uuid AND metadata ? 'gw_routing'
        AND created_at >= ${from} AND created_at < ${to}
        AND (${below}::bigint IS NULL OR seq < ${below}::bigint)
        AND (${contractKey}::text IS NULL
             OR metadata -> 'gw_routing' ->> 'contract_key' = ${contractKey}::text)
        AND (${useCase}::text IS NULL
             OR metadata -> 'gw_routing' ->> 'use_case' = ${useCase}::text)
      ORDER BY seq DESC LIMIT ${PAGE}`;
    await requireUsageSince(database(ctx), from);
    if (rows.length > 0) yield rows.map(decisionOf);
    if (rows.length < PAGE) return;
    below = rows.at(-1)?.seq ?? null;
    await nextTurn();
  }
}

/** The recorded decision about one request, or undefined. */
export async function recordedDecision(
  ctx: AuthorizedCtx,
  requestId: string,
): Promise<RecordedDecision | undefined> {
  const [row] = await database(ctx).$queryRaw<DecisionRow[]>`
    SELECT ${ROW_SQL}, metadata -> ${DECISION_MEMBER} AS record
    FROM usage_event
    WHERE tenant_id = ${ctx.who.tenantId}::uuid AND id = ${requestId}::uuid
      AND metadata ? 'gw_routing'`;
  return row && decisionOf(row);
}

function decisionOf(row: DecisionRow): RecordedDecision {
  return {
    requestId: row.id,
    record: openedContent(DECISION_RECORD, row.record) as DecisionRecord,
    answeredBy: row.model,
    deployment: `${row.provider}:${row.model}`,
    costMicro: row.cost_micro,
    usage: usageOf(row),
    prices: pricesOf(row.prices),
    isHit: row.is_hit,
    at: row.created_at,
    isSimulated: row.simulated,
    isAnswered: row.status !== 'failed',
  };
}

/** The tokens alone: moved decisions are held without their records. */
function usageOf(row: DecisionRow): UsageVector {
  const { input_uncached, input_cached, cache_write, output_text, output_reasoning } = row;
  return { input_uncached, input_cached, cache_write, output_text, output_reasoning };
}

function pricesOf(prices: DecisionRow['prices']): PriceVector {
  const priced = USAGE_DIMENSIONS.codes.map((each) => [each, BigInt(prices[each] ?? 0)]);
  return Object.fromEntries(priced);
}

/** So many situations are held at once: each may have hundreds of models. */
export const SITUATIONS_HELD_MAX = 64;

/** How long work goes on before others have their turn, in milliseconds. */
const TURN_MS = 10;

/** Lets others have their turn whenever work has taken long enough. */
export class Turns {
  #beganMs = performance.now();

  /** Goes on at once, or in the next turn. */
  next(): Promise<void> | undefined {
    if (performance.now() - this.#beganMs < TURN_MS) return undefined;
    return nextTurn().then(() => {
      this.#beganMs = performance.now();
    });
  }
}

/** Situations by their hashes, each read and checked when a decision asks for it. */
export class PastSituations {
  readonly #held = new LRUCache<string, Situation>({ max: SITUATIONS_HELD_MAX });
  readonly #broken = new Set<string>();

  constructor(private readonly ctx: AuthorizedCtx) {}

  /** Those whose content is missing or has another hash than its own. */
  get broken(): string[] {
    return [...this.#broken];
  }

  /** The situation of a hash; undefined where it is broken. */
  async of(hash: string): Promise<Situation | undefined> {
    const held = this.#held.get(hash);
    if (held || this.#broken.has(hash)) return held;
    const row = await database(this.ctx).routingSituation.findFirst({
      where: { tenantId: this.ctx.who.tenantId, sha256: Buffer.from(hash, 'hex') },
    });
    const isIntact = row && createHash('sha256').update(row.content).digest('hex') === hash;
    if (!isIntact) {
      this.#broken.add(hash);
      return undefined;
    }
    const content = JSON.parse(row.content) as SealedContent;
    const situation = openedContent(SITUATION_FIELDS, content) as Situation;
    this.#held.set(hash, situation);
    return situation;
  }
}

interface LengthRow {
  readonly use_case: string;
  readonly model: string;
  readonly answers: number;
  readonly mean: number;
  readonly deviation: number;
}

/** How long the answers of each model have been in a window, by use case and model. */
export async function answerLengths(
  ctx: AuthorizedCtx,
  { from, to }: PastWindow,
): Promise<ReadonlyMap<string, AnswerLength>> {
  const rows = await database(ctx).$queryRaw<LengthRow[]>`
    SELECT coalesce(feature, 'default') AS use_case, model, count(*)::int AS answers,
           avg(output_text + output_reasoning)::float8 AS mean,
           coalesce(stddev_samp(output_text + output_reasoning), 0)::float8 AS deviation
    FROM usage_event
    WHERE tenant_id = ${ctx.who.tenantId}::uuid AND status = 'complete' AND NOT simulated
      AND created_at >= ${from} AND created_at < ${to}
    GROUP BY 1, 2`;
  await requireUsageSince(database(ctx), from);
  return new Map(
    rows.map(({ use_case: useCase, model, answers, mean, deviation }) => [
      lengthKey(useCase, model),
      { answers, meanTokens: mean, standardDeviation: deviation },
    ]),
  );
}

/** What an answer length is found by. */
export function lengthKey(useCase: string, model: string): string {
  return JSON.stringify([useCase, model]);
}
