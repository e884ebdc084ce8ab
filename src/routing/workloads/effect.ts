import { DRY_RUN_DAYS } from '../../access/policies/vocabulary.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { FINGERPRINT_MEMBER } from '../../kernel/origin.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { measuredFrom } from '../../records/measured.js';
import { Turns } from '../replay/past.js';
import { DECISION_MEMBER } from '../replay/recorded.js';
import type { WorkloadTerms } from './contract-cache.js';
import { type PastChat, type SupposedContract, SupposedContractTally } from './effect.rules.js';
import type { CONTRACT_EFFECT } from './effect-tables.js';
import { statedContract } from './service.js';

const DAY_MS = 86_400_000;
/** The most requests that are replayed, the newest of the window. */
const REQUESTS_MAX = 200_000;
/** Read at once: between pages, and whenever work takes long, others have their turn. */
const PAGE = 500;

/**
 * What a contract would have done to the requests of the last seven days: a dry run of publishing
 * it.
 * @throws invalid_request with every fault, detail_dropped, report_timed_out
 */
export async function contractEffect(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof CONTRACT_EFFECT.fields>> {
  const terms = statedContract(given);
  const to = sharedNow();
  const from = new Date(to.getTime() - DRY_RUN_DAYS * DAY_MS);
  const read = replayOf(ctx, terms, from);
  const { value, provenance } = await measuredFrom(ctx, read, ([past]) => past, {
    usageSince: from,
  });
  if (!value) throw new Error('a replay has one result');
  return { from, to, ...value, provenance };
}

interface Replay extends SupposedContract {
  readonly complete: boolean;
}

/** Reads the requests of a workload page by page, the newest first, and sums them up. */
function replayOf(ctx: AuthorizedCtx, terms: WorkloadTerms, from: Date) {
  return async (rows: Transaction): Promise<[Replay]> => {
    const tally = new SupposedContractTally(terms);
    const turns = new Turns();
    let below: bigint | null = null;
    let [read, isWhole] = [0, false];
    while (!isWhole && read < REQUESTS_MAX) {
      const page: readonly PastRow[] = await pageOf(ctx, rows, terms.contractKey, { from, below });
      for (const request of page) {
        tally.add(request);
        await turns.next();
      }
      read += page.length;
      below = page.at(-1)?.seq ?? null;
      isWhole = page.length < PAGE;
    }
    const [more] = isWhole ? [] : await pageOf(ctx, rows, terms.contractKey, { from, below });
    return [{ complete: more === undefined, ...tally.result() }];
  };
}

interface PastRow extends PastChat {
  readonly seq: bigint;
}

/**
 * Chat requests of a workload are found as the chat path finds its contract. The chosen model is
 * that of the decision of the router, else what a budget degraded to, an alias meant or the client
 * named; a name of the gateway without a decision says none.
 */
function pageOf(
  { who: { tenantId } }: AuthorizedCtx,
  rows: Transaction,
  contractKey: string,
  { from, below }: { readonly from: Date; readonly below: bigint | null },
): Promise<PastRow[]> {
  return rows.$queryRaw<PastRow[]>`
    SELECT seq, extract(epoch FROM created_at)::float8 * 1000 AS "atMs",
      latency_ms AS "latencyMs", CASE
        WHEN metadata ? ${DECISION_MEMBER} THEN metadata -> ${DECISION_MEMBER} ->> 'model'
        WHEN coalesce(metadata -> 'gw_degraded' ->> 'to', metadata -> 'gw_alias' ->> 'target',
                      requested_model) ILIKE 'gw:%' THEN NULL
        ELSE coalesce(metadata -> 'gw_degraded' ->> 'to', metadata -> 'gw_alias' ->> 'target',
                      requested_model) END AS "chosenModel",
      project_id AS "projectId", client_id AS "clientId",
      coalesce(metadata ->> 'gw_cache' = 'hit', false) AS "isHit",
      metadata ->> ${FINGERPRINT_MEMBER} AS fingerprint, data_class AS "dataClass",
      output_text AS "outputText", output_reasoning AS "outputReasoning",
      coalesce(prices ->> 'output_text', '0')::bigint AS "outputTextMicroPerMillion",
      coalesce(prices ->> 'output_reasoning', '0')::bigint AS "outputReasoningMicroPerMillion",
      amount_micro AS "amountMicro", streamed,
      metadata ->> 'interaction_class' AS "interactionClass"
    FROM usage_event
    WHERE tenant_id = ${tenantId}::uuid AND created_at >= ${from} AND operation = 'chat'
      AND (${below}::bigint IS NULL OR seq < ${below}::bigint)
      AND ${Prisma.raw(LIVE_USAGE_SQL)} AND ${contractKey} = CASE
        WHEN jsonb_typeof(metadata -> 'workload') = 'string' THEN metadata ->> 'workload'
        ELSE 'default' END
    ORDER BY seq DESC LIMIT ${PAGE}::int`;
}
