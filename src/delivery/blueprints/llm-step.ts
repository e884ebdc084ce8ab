import type { AuthorizedCtx } from '../../graph/ctx.js';
import { withoutSplitEnd } from '../../inference/firewall/cut.js';
import { chatForCaller } from '../../inference/in-process.js';
import { fail, GatewayError, toGatewayError } from '../../kernel/errors/fail.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { formatRub, MICRO_PER_RUB } from '../../kernel/money.js';
import { type RenderedMessage, renderMessages } from '../../prompts/template.js';
import { requestCostMicroMax } from './cost-bound.js';
import type { Manifest, StepOf } from './manifest.js';
import { MANIFEST_SCHEMAS } from './manifest-schema.js';
import { FIREWALL, ROUTING, type StepAttempt } from './run-tables.js';
import type { StepRecord } from './storable.js';
import { FALLBACK_CODES } from './vocabulary.js';

/** What asking the models of a step came to; routing and firewall are of the last request. */
export type Asked = Pick<
  StepRecord,
  'attempts' | 'routing' | 'firewall' | 'output' | 'outputValid'
> & {
  /** Why no model served; undefined where one did. */
  readonly failure: GatewayError | undefined;
};

/** What stays the same for every request of a run. */
export interface RunFacts {
  readonly manifest: Manifest;
  /** The models to ask, the first one first. */
  readonly models: readonly string[];
  /** Further members of `metadata` that the caller gave. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A run with what its manifest still allows it to cost. */
interface PaidRun extends RunFacts {
  readonly allowedMicro: bigint;
}

/** A step, a model that is asked for it, and the values that its template reads. */
interface Question {
  readonly step: StepOf<'llm'>;
  readonly model: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Asks the first model of the run, then the next one where the failure is one that another model
 * may not have. Every request goes through the pipeline of the gateway in the caller's name,
 * and each one that was answered is billed, also where its answer did not satisfy the schema.
 */
export async function askModels(
  ctx: AuthorizedCtx,
  run: PaidRun,
  asked: Omit<Question, 'model'>,
): Promise<Asked> {
  const attempts: StepAttempt[] = [];
  let last: Asked = { ...NOTHING, attempts };
  for (const model of run.models) {
    const question = { ...asked, model };
    const spentMicro = costMicroOf(attempts);
    const left = { ...run, allowedMicro: run.allowedMicro - spentMicro };
    last = { ...(await askOnce(ctx, left, question, attempts)), attempts };
    if (!last.failure || !FALLBACK_CODES.has(last.failure.code)) break;
  }
  return last;
}

/** What the requests of a step have cost so far, in micro-rubles. */
export function costMicroOf(attempts: readonly Pick<StepAttempt, 'costMicro'>[]): bigint {
  return attempts.reduce((sum, { costMicro }) => sum + costMicro, 0n);
}

const NOTHING = {
  routing: null,
  firewall: null,
  output: null,
  outputValid: null,
  failure: undefined,
} as const;

function requestBody(
  { services }: AuthorizedCtx,
  { manifest, metadata }: RunFacts,
  { step, model, values }: Question,
): JsonObject {
  const { output_schema: schema, max_output_tokens, temperature } = step;
  const able = services.registry.models.get(model)?.capabilities.includes('json_schema') ?? false;
  return {
    model,
    messages: renderMessages(step.template, values),
    ...(max_output_tokens === undefined ? {} : { max_tokens: max_output_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema ? { response_format: formatOf(step.id, schema, able) } : {}),
    metadata: { ...metadata, feature: manifest.feature },
  };
}

/**
 * A template can repeat a value, so what a request can cost is known only when it is written. A
 * request whose cost nothing bounds is refused.
 */
function requireAffordable(
  { services }: AuthorizedCtx,
  step: StepOf<'llm'>,
  { model, messages }: JsonObject,
  allowedMicro: bigint,
): void {
  const facts = services.registry.models.get(String(model));
  const most = facts && requestCostMicroMax(step, messages as readonly RenderedMessage[], facts);
  if (most === undefined) fail('blueprint_step_cost_unbounded', { values: { step: step.id } });
  if (most <= allowedMicro) return;
  const values = { most: formatRub(most), left: formatRub(allowedMicro) };
  fail('blueprint_step_cost_exceeded', { values });
}

/** A model that answers by a schema is given it; another one is asked for JSON. */
function formatOf(name: string, schema: JsonObject, able: boolean): JsonObject {
  if (!able) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name, strict: true, schema } };
}

async function askOnce(
  ctx: AuthorizedCtx,
  run: PaidRun,
  question: Question,
  attempts: StepAttempt[],
): Promise<Omit<Asked, 'attempts'>> {
  const { step, model } = question;
  try {
    const body = requestBody(ctx, run, question);
    requireAffordable(ctx, step, body, run.allowedMicro);
    const label = `${step.id} ${attempts.length}`;
    const { requestId, answer } = await chatForCaller(ctx, 'blueprint', body, label);
    const routing = asObject(answer.gw_routing) ?? {};
    const costMicro = BigInt(Math.round(Number(routing.cost_rub) * Number(MICRO_PER_RUB)));
    const read = readOutput(step, answer);
    const values = { model, faults: shownFaults(read.faults) };
    const failure =
      read.faults.length > 0 ? new GatewayError('blueprint_output_invalid', { values }) : undefined;
    attempts.push({ model, requestId, costMicro, errorCode: failure?.code ?? null });
    return {
      routing: routingOf(routing),
      firewall: firewallOf(asObject(answer.gw_firewall) ?? {}),
      output: read.output,
      outputValid: step.output_schema ? read.faults.length === 0 : null,
      failure,
    };
  } catch (error) {
    const failure = toGatewayError(error);
    // The run is recorded all the same, since earlier steps of it are billed.
    if (failure.code === 'internal_error' && !ctx.signal.aborted) {
      ctx.services.log.error({ err: error, requestId: ctx.requestId }, 'a blueprint step failed');
    }
    attempts.push({ model, requestId: null, costMicro: 0n, errorCode: failure.code });
    // What the firewall found in a request that it refused.
    const blocked = asObject(failure.details.data?.gw_firewall);
    return { ...NOTHING, firewall: blocked ? firewallOf(blocked) : null, failure };
  }
}

/** What an output breaks of its schema, in sentences. */
export function outputFaults(schema: JsonObject, output: unknown): string[] {
  return MANIFEST_SCHEMAS.valueFaults(schema, output, 'output').map(({ message }) => message);
}

const FAULTS_SHOWN = 10;

/** The violations of a schema as a failure names them. */
export function shownFaults(faults: readonly string[]): string {
  const more = faults.length - FAULTS_SHOWN;
  const shown = faults.slice(0, FAULTS_SHOWN).join(' ');
  return more > 0 ? `${shown} And ${more} more.` : shown;
}

/** The output of an answer, and what it breaks of the schema of its step. */
function readOutput({ output_schema: schema }: StepOf<'llm'>, answer: JsonObject) {
  const [choice] = (answer.choices ?? []) as readonly JsonObject[];
  const { content } = asObject(choice?.message) ?? {};
  const text = typeof content === 'string' ? content : '';
  if (!schema) return { output: { text }, faults: [] };
  try {
    const output: unknown = JSON.parse(text);
    return { output, faults: outputFaults(schema, output) };
  } catch {
    // What a limit of tokens has cut may end with the head of a value that nobody finds any more.
    const kept = choice?.finish_reason === 'length' ? withoutSplitEnd(text) : text;
    return { output: { text: kept }, faults: ['The answer is no JSON.'] };
  }
}

function routingOf(receipt: JsonObject) {
  const failed = Array.isArray(receipt.fallbacks) ? receipt.fallbacks.length : 0;
  return openedContent(ROUTING.fields, { ...receipt, failed_calls: failed } as SealedContent);
}

function firewallOf({ verdict, data_class, findings }: JsonObject) {
  const told: JsonObject = {
    verdict: verdict ?? 'unknown',
    data_class: data_class ?? 'unknown',
    findings: findings ?? [],
  };
  return openedContent(FIREWALL.fields, told as SealedContent);
}
