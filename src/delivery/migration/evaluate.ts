import type { AuthorizedCtx } from '../../graph/ctx.js';
import { refusal } from '../../graph/node.js';
import { chatForCaller } from '../../inference/in-process.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { type MicroRub, parseRub } from '../../kernel/money.js';
import { type EvaluationItem, evaluationHash, judgeOf, messagesOf } from './evaluation.rules.js';
import type { ItemResult } from './quality.rules.js';

/** What running an evaluation set showed. Neither prompts nor answers are kept. */
export interface Evaluation {
  readonly sha256: string;
  readonly results: readonly ItemResult[];
  /** The model that answered most items; undefined where none was answered. */
  readonly model: string | undefined;
  readonly latenciesMs: readonly number[];
  /** True where a simulated model answered at least one item. */
  readonly simulated: boolean;
  /** What the runs were charged, in micro-rubles. */
  readonly costMicro: MicroRub;
  /** Items whose source output passes; undefined unless every item has one. */
  readonly sourcePassed: number | undefined;
}

/** How many items run at the same time. */
const CONCURRENCY = 5;

interface Ran {
  readonly result: ItemResult;
  readonly model?: string;
  readonly latencyMs?: number;
  readonly costMicro: MicroRub;
}

/** What is run. */
export interface EvaluationOrder {
  readonly migrationKey: string;
  readonly model: string;
  readonly items: readonly EvaluationItem[];
}

/**
 * Runs a set through the gateway: every item is a chat request of the caller, in its own project,
 * billed as any other, with the feature `migration:<key>`; none of them counts as live traffic.
 * An item that is refused is a result.
 * @throws permission_denied for a caller who may not call models
 */
export async function runEvaluation(
  ctx: AuthorizedCtx,
  { migrationKey, model, items }: EvaluationOrder,
): Promise<Evaluation> {
  if (!ctx.who.permissions.has('inference.run')) throw refusal(ctx, 'inference.run');
  const ran: Ran[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) {
      ran[index] = await runItem(ctx, { index, item, model, feature: `migration:${migrationKey}` });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const sourceOutputs = items.flatMap(({ sourceOutput, expect }) =>
    sourceOutput == null ? [] : [judgeOf(expect)(sourceOutput)],
  );
  return {
    sha256: evaluationHash(items),
    results: ran.map(({ result }) => result),
    model: mostFrequent(ran.flatMap((each) => each.model ?? [])),
    simulated: ran.some(({ result }) => result.simulated),
    latenciesMs: ran.flatMap((each) => each.latencyMs ?? []),
    costMicro: ran.reduce((sum, each) => sum + each.costMicro, 0n),
    sourcePassed:
      sourceOutputs.length === items.length ? sourceOutputs.filter(Boolean).length : undefined,
  };
}

interface ItemOrder {
  readonly index: number;
  readonly item: EvaluationItem;
  readonly model: string;
  readonly feature: string;
}

async function runItem(ctx: AuthorizedCtx, order: ItemOrder): Promise<Ran> {
  const { index, item } = order;
  try {
    const body = bodyOf(order);
    const label = `item ${index}`;
    const own = await chatForCaller(ctx, 'migration_evaluation', body, label);
    const { requestId, answer } = own;
    const passed = judgeOf(item.expect)(textOf(answer));
    const routing = asObject(answer.gw_routing) ?? {};
    const simulated = routing.simulated === true;
    return {
      result: { index, passed, request_id: requestId, error_code: null, simulated },
      model: String(routing.model),
      latencyMs: Number(asObject(answer.gw_slo)?.latency_ms),
      costMicro: parseRub(Number(routing.cost_rub).toFixed(6)) ?? 0n,
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const refused = { passed: false, request_id: null, error_code: error.code, simulated: false };
    return { result: { index, ...refused }, costMicro: 0n };
  }
}

/** An item that expects a schema asks for structured output, as a client that needs it would. */
function bodyOf({ item, model, feature }: ItemOrder): JsonObject {
  const schema = item.expect.jsonSchema;
  const format =
    schema == null
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'expected', schema } } };
  const messages = messagesOf(item).map(({ role, content }) => ({ role, content }));
  return { model, messages, metadata: { feature, environment: 'evaluation' }, ...format };
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
