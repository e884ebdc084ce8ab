import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { refusal } from '../../graph/node.js';
import { chatForCaller, measuredLabels } from '../../inference/in-process.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { MicroRub } from '../../kernel/money.js';
import type { Sourced } from '../../kernel/provenance.js';
import { measuredFrom } from '../../records/measured.js';
import type { ItemResult } from './comparison-tables.js';
import {
  type EvaluationItem,
  evaluationHash,
  judgeOf,
  messagesOf,
  outputsOf,
  provesNothing,
} from './evaluation.rules.js';

/** What running an evaluation set showed. Neither prompts nor answers are kept. */
export interface Evaluation {
  readonly sha256: string;
  readonly results: readonly ItemResult[];
  /** What usage says of the runs. */
  readonly recorded: Sourced<RecordedRuns>;
}

/** What the rows of usage say of the runs of a set. */
export interface RecordedRuns {
  /** The model that answered most items; undefined where none was answered. */
  readonly model: string | undefined;
  readonly latenciesMs: readonly number[];
  /** True where a simulated model answered at least one item. */
  readonly simulated: boolean;
  /** What the runs were charged, in micro-rubles. */
  readonly costMicro: MicroRub;
}

/** How many items run at the same time. */
const CONCURRENCY = 10;

/**
 * Runs a set through the gateway: every item is a chat request of the caller, in its own project,
 * billed as any other, with the feature `migration:<key>`; none of them counts as live traffic, and
 * none is served by a kept answer.
 * An item that is refused is a result.
 * @throws permission_denied for a caller who may not call models
 */
export async function runEvaluation(
  ctx: AuthorizedCtx,
  migrationKey: string,
  model: string,
  items: readonly EvaluationItem[],
): Promise<Evaluation> {
  if (!ctx.who.permissions.has('inference.run')) throw refusal(ctx, 'inference.run');
  const results: ItemResult[] = [];
  const outputs = outputsOf(items);
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) {
      const body = bodyOf(item, model, `migration:${migrationKey}`);
      const ran = await runItem(ctx, item, body, `item ${index}`);
      results[index] = { index, ...ran, ...knownOf(item, outputs) };
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return {
    sha256: evaluationHash(items),
    results,
    recorded: await measuredFrom(ctx, runsOf(ctx, results), recordedRuns),
  };
}

interface RunRow {
  readonly id: string;
  readonly model: string;
  readonly simulated: boolean;
  readonly latencyMs: number;
  readonly amountMicro: MicroRub;
}

/** The usage of the items that were answered: it is written before an answer leaves. */
function runsOf({ who }: AuthorizedCtx, results: readonly ItemResult[]) {
  const ids = results.flatMap(({ requestId }) => requestId ?? []);
  return (rows: Transaction) => rows.$queryRaw<RunRow[]>`
    SELECT id::text, model, simulated, latency_ms AS "latencyMs", amount_micro AS "amountMicro"
    FROM usage_event WHERE tenant_id = ${who.tenantId}::uuid AND id = ANY(${ids}::uuid[])
    ORDER BY seq`;
}

function recordedRuns(rows: readonly RunRow[]): RecordedRuns {
  return {
    model: mostFrequent(rows.map(({ model }) => model)),
    latenciesMs: rows.map(({ latencyMs }) => latencyMs),
    simulated: rows.some(({ simulated }) => simulated),
    costMicro: rows.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
  };
}

/**
 * What an item shows without being run: whether an echo would pass, or other answers would, and the
 * source passes.
 */
function knownOf(item: EvaluationItem, outputs: readonly string[]) {
  const { useCase, expect, sourceOutput, ...asked } = item;
  const judge = judgeOf(expect);
  const texts = messagesOf({ ...asked, expect }).map(({ content }) => content);
  return {
    useCase: useCase ?? null,
    echo: [...texts, texts.join('\n')].some(judge),
    provesNothing: provesNothing(item, outputs),
    sourcePassed: sourceOutput == null ? null : judge(sourceOutput),
  };
}

async function runItem(
  ctx: AuthorizedCtx,
  { expect }: EvaluationItem,
  body: JsonObject,
  label: string,
): Promise<Omit<ItemResult, 'index' | keyof ReturnType<typeof knownOf>>> {
  try {
    const { requestId, answer } = await chatForCaller(ctx, 'migration_evaluation', body, label);
    const simulated = asObject(answer.gw_routing)?.simulated === true;
    return { passed: judgeOf(expect)(textOf(answer)), requestId, errorCode: null, simulated };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { passed: false, requestId: null, errorCode: error.code, simulated: false };
  }
}

/** An item that expects a schema asks for structured output, as a client that needs it would. */
function bodyOf(item: EvaluationItem, model: string, feature: string): JsonObject {
  const schema = item.expect.jsonSchema;
  const format = { type: 'json_schema', json_schema: { name: 'expected', schema } };
  const messages = messagesOf(item).map(({ role, content }) => ({ role, content }));
  const request = { model, messages, metadata: measuredLabels(feature) };
  return schema == null ? request : { ...request, response_format: format };
}

function textOf(answer: JsonObject): string {
  const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
  const content = asObject(asObject(choice)?.message)?.content;
  return typeof content === 'string' ? content : '';
}

/** The value that occurs most often, the earliest of equals. */
function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}
