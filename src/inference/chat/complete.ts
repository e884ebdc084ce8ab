import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { WireBody } from '../../kernel/wire.js';
import { schemaValidity } from '../../prompts/use/schema-validity.js';
import { chatAnswerText, measure } from '../measure.js';
import {
  answerOnce,
  answerWhole,
  billWhole,
  type Called,
  type Finished,
  parseAnswer,
} from '../non-streaming.js';
import { appendMember } from '../splice.js';
import { authenticate } from '../stages/authenticate.js';
import { firewallOut } from '../stages/firewall-out.js';
import { receipts } from '../stages/receipts.js';
import { wireUsage } from '../upstream/usage.js';
import { askedRequest } from './asked.js';

/**
 * Answers a chat request in one piece, by the stages of `stages.ts`: the receipts are in the answer
 * before it is charged, so that nothing can fail after the charge.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function completeChat(ctx: Ctx, body: unknown): Promise<WireBody> {
  return answerOnce(authenticate(ctx), (caller) => complete(caller, body));
}

async function complete(caller: AuthorizedCtx, body: unknown): Promise<WireBody> {
  const asked = askedRequest(caller, body);
  const request = asked instanceof Promise ? await asked : asked;
  caller.transport.spans?.passed('read');
  if (request.stream) {
    const message = 'stream: true is answered by the subscription chatCompletionStream.';
    failOnFaults([{ path: 'stream', code: 'invalid', message }]);
  }
  return answerWhole(caller, request, finish);
}

async function finish(called: Called): Promise<Finished> {
  const { prepared, answer } = called;
  const { request, admission, inspected } = prepared;
  const owner = prepared.ctx.who.tenantId;
  const parsed = parseAnswer(answer.body, 'choices', 'a chat completion');
  const measured = await measure(request, {
    sent: inspected.inspection.body,
    raw: parsed.usage,
    text: () => chatAnswerText(parsed),
    deployment: called.cachedMs === undefined ? answer.deployment : undefined,
  });
  const reading = firewallOut(parsed, admission.policy, inspected, { owner });
  const out = reading instanceof Promise ? await reading : reading;
  const schemaValid = request.prompt && schemaValidity(request.prompt.version, out.body);
  const bill = billWhole(called, measured, finishReasonOf(parsed), schemaValid);
  const usage = wireUsage(bill.outcome.usage);
  const isRewritten = bill.overrun !== undefined || measured.usageFault !== undefined;
  const wire = normalised(out.body, answer.deployment.id, usage, isRewritten);
  const added = receipts(prepared, bill, out);
  const body =
    wire === parsed
      ? appendMember(answer.body, added)
      : Buffer.from(JSON.stringify({ ...wire, ...added }));
  return { body, bill };
}

function finishReasonOf({ choices }: JsonObject): string | undefined {
  const reason = asObject((choices as unknown[])[0])?.finish_reason;
  return typeof reason === 'string' ? reason : undefined;
}

/**
 * The answer in the shape that clients rely on: the public model name, usage with its details,
 * `refusal` and `logprobs` present, and the usage that is billed. The same object where nothing is
 * missing.
 */
function normalised(
  answer: JsonObject,
  model: string,
  usage: object,
  usageDiffers: boolean,
): JsonObject {
  const choices = answer.choices as JsonObject[];
  const complete =
    !usageDiffers &&
    answer.model === model &&
    choices.every((choice) => {
      const message = asObject(choice.message);
      return message && 'refusal' in message && 'logprobs' in choice;
    }) &&
    hasUsageDetails(answer.usage);
  if (complete) return answer;
  return {
    ...answer,
    model,
    choices: choices.map((choice) => ({
      ...choice,
      message: { refusal: null, ...asObject(choice.message) },
      logprobs: choice.logprobs ?? null,
    })),
    usage: { ...asObject(answer.usage), ...usage },
  };
}

function hasUsageDetails(usage: unknown): boolean {
  const given = asObject(usage);
  return (
    asObject(given?.prompt_tokens_details)?.cached_tokens !== undefined &&
    asObject(given?.completion_tokens_details)?.reasoning_tokens !== undefined
  );
}
