import { createHash } from 'node:crypto';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { chatForCaller, type OwnChat } from '../../inference/in-process.js';
import { fail, GatewayError } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { WorkStopped, withinTime } from '../../kernel/json-schema/within-time.js';
import { fixedGrades, outcomeOf, parsedJson } from '../../prompts/evaluations/graders.rules.js';
import { isIndifferent } from '../../prompts/evaluations/indifferent.rules.js';
import type { CaseResult, Grade, Target } from '../../prompts/evaluations/tables.js';
import { EVALUATION_BOUNDS } from '../../prompts/evaluations/vocabulary.js';
import { compileOutputSchema } from '../../prompts/packages/gate/output-schema.js';
import { askJudges, type Judged } from './judge.js';
import type { Payer } from './payer.js';
import type { PlannedCase, RunPlan } from './plan.js';
import { measuredAs } from './record.js';

/** A case that is to be run with a target. */
export interface Item {
  readonly place: number;
  readonly planned: PlannedCase;
  readonly target: Target;
}

/**
 * Runs one case with one model and judges the answer. What usage recorded of the request decides
 * which model answered, whether it was simulated and what it cost, and not what the answer says of
 * itself. A request that is refused or fails is a result that proves nothing.
 * @throws BudgetExhausted, and what is no refusal of the gateway
 */
export async function runCase(
  ctx: AuthorizedCtx,
  plan: RunPlan,
  { planned, target }: Item,
  payer: Payer,
): Promise<CaseResult> {
  const body = bodyOf(ctx, plan, planned, target);
  const { given, bytes } = planned;
  const sized = { model: target.model, bytes, maxTokens: target.maxTokens };
  const nothing = unanswered(planned, target);
  try {
    const asked = await payer.pay(sized, () =>
      chatForCaller(ctx, 'prompt_evaluation', body, undefined, target.name),
    );
    const answer = textOf(asked);
    const grades = [...schemaGrades(planned, answer), ...boundedGrades(planned, answer)];
    const isRejected = grades.some(({ passed }) => passed === false);
    const { dataClass } = asked;
    const judged = await askJudges(ctx, { plan, given, answer, dataClass, isRejected, payer });
    const all = [...grades, ...indifferentGrades(planned)];
    return await recorded(ctx, plan, { nothing, asked, answer, grades: all, judged, target });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { ...nothing, errorCode: error.code };
  }
}

function unanswered({ index, given }: PlannedCase, target: Target): CaseResult {
  return {
    caseIndex: index,
    caseName: given.name,
    target: target.name,
    model: target.model,
    answeredModel: null,
    requestId: null,
    judgeRequestIds: [],
    outcome: 'unproved',
    errorCode: null,
    schemaValid: null,
    grades: [],
    outputHash: null,
    outputChars: null,
    costMicro: 0n,
    latencyMs: 0,
    simulated: false,
  };
}

/** The request of a case: the prompt by its number, then the messages of the case. */
function bodyOf(
  { services: { registry } }: AuthorizedCtx,
  { id, promptKey, version }: RunPlan,
  { given, schema, variables }: PlannedCase,
  { model, temperature, maxTokens }: Target,
): JsonObject {
  const able = registry.models.get(model)?.capabilities.includes('json_schema') ?? false;
  const format = able
    ? { type: 'json_schema', json_schema: { name: 'answer', schema } }
    : { type: 'json_object' };
  return {
    model,
    gw_prompt: { key: promptKey, version, variables },
    ...(given.messages.length > 0 && {
      messages: given.messages.map(({ role, content }) => ({ role, content })),
    }),
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    // The schema of the version is asked for by the prompt itself.
    ...(given.outputSchema != null && { response_format: format }),
    metadata: measuredAs(id),
  };
}

function textOf({ answer }: OwnChat): string {
  const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
  const content = asObject(asObject(choice)?.message)?.content;
  return typeof content === 'string' ? content : '';
}

function schemaGrades({ schema }: PlannedCase, answer: string): Grade[] {
  if (!schema) return [];
  const none = { grader: 'schema' as const, score: null };
  const found = answer.length <= EVALUATION_BOUNDS.answerChars ? parsedJson(answer) : undefined;
  if (!found) return [{ ...none, passed: false, message: 'The answer is no JSON.' }];
  const compiled = compileOutputSchema(schema);
  if (!compiled.compiled) {
    const message = `The schema does not compile: ${compiled.reason}`.slice(0, MESSAGE_CHARS);
    return [{ ...none, passed: false, message }];
  }
  const faults = compiled.faultsOf(found.json).length;
  const message = faults === 0 ? null : `The answer breaks the schema in ${faults} places.`;
  return [{ ...none, passed: faults === 0, message }];
}

const MESSAGE_CHARS = 500;
/** What the rules of a case are given for one answer. */
const GRADING_MS_MAX = 500;

function boundedGrades({ given }: PlannedCase, answer: string): Grade[] {
  const max = EVALUATION_BOUNDS.answerChars;
  const none = { grader: 'rule', passed: false, score: null } as const;
  if (answer.length > max) {
    return [{ ...none, message: `The answer has more than ${max} characters.` }];
  }
  try {
    return withinTime(GRADING_MS_MAX, () => fixedGrades(given, answer));
  } catch (thrown) {
    if (!(thrown instanceof WorkStopped)) throw thrown;
    return [{ ...none, message: 'The rules of the case take too long for the answer.' }];
  }
}

const indifferent = new WeakMap<PlannedCase, boolean>();

/** What leaves a case unproved whose rules say nothing of the answer that they have passed. */
function indifferentGrades(planned: PlannedCase): Grade[] {
  const isKnown = indifferent.get(planned) ?? isIndifferent(planned.given, planned.schema ?? null);
  indifferent.set(planned, isKnown);
  return isKnown ? [{ grader: 'rule', passed: null, score: null, message: INDIFFERENT }] : [];
}

const INDIFFERENT =
  'The rules of the case would pass the question itself, or an answer without having read it: no ' +
  'proof.';

/** Why an answer is not judged: it has no text, or its model was cut off. */
function incomplete({ answer }: OwnChat): string | null {
  const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
  const { message, finish_reason: reason } = asObject(choice) ?? {};
  if (!asObject(message)?.content) return 'no_text';
  return reason === 'length' ? 'answer_cut' : null;
}

interface Answered {
  readonly nothing: CaseResult;
  readonly asked: OwnChat;
  readonly answer: string;
  readonly grades: readonly Grade[];
  readonly judged: Judged;
  readonly target: Target;
}

async function recorded(
  ctx: AuthorizedCtx,
  plan: RunPlan,
  { nothing, asked, answer, grades, judged, target }: Answered,
): Promise<CaseResult> {
  const { tenantId } = ctx.who;
  const ids = [asked.requestId, ...judged.requestIds];
  const rows = await database(ctx).usageEvent.findMany({ where: { tenantId, id: { in: ids } } });
  const row = rows.find(({ id }) => id === asked.requestId);
  if (!row) return fail('internal_error');
  const all = [...grades, ...judged.grades];
  const errorCode = otherThanAsked(ctx, plan, row, target) ?? incomplete(asked);
  return {
    ...nothing,
    answeredModel: row.model,
    requestId: asked.requestId,
    judgeRequestIds: judged.requestIds,
    outcome: errorCode === null ? outcomeOf(all) : 'unproved',
    errorCode,
    schemaValid: grades.find(({ grader }) => grader === 'schema')?.passed ?? null,
    grades: all,
    outputHash: createHash('sha256').update(answer, 'utf8').digest('hex'),
    outputChars: answer.length,
    costMicro: rows.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
    latencyMs: row.latencyMs,
    simulated: rows.some(({ simulated }) => simulated),
  };
}

/** Why an answer shows nothing of the version with its model; null where it does. */
function otherThanAsked(
  { services: { registry } }: AuthorizedCtx,
  { version, contentHash }: RunPlan,
  row: { readonly model: string; readonly metadata: unknown },
  { model, name }: Target,
): string | null {
  const used = asObject(asObject(row.metadata)?.gw_prompt);
  if (used?.version !== version || used.content_hash !== contentHash) return 'other_version';
  // A model that no variant names is a target by its own name.
  if ((used.variant ?? model) !== name) return 'other_variant';
  return registry.models.has(model) && row.model !== model ? 'other_model' : null;
}
