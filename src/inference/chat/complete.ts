import type { Ctx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { WireBody } from '../../kernel/wire.js';
import { schemaValidity } from '../../prompts/use/schema-validity.js';
import { chatAnswerText, measure } from '../measure.js';
import { appendMember } from '../splice.js';
import { authenticate } from '../stages/authenticate.js';
import { firewallOut } from '../stages/firewall-out.js';
import { prompt } from '../stages/prompt.js';
import { receipts } from '../stages/receipts.js';
import { wireUsage } from '../upstream/usage.js';
import { answerWhole, type Called, parseAnswer, settleWhole } from '../whole.js';
import { readChatRequest } from './request.js';

/**
 * Answers a chat request in one piece: authenticate, prompt, admit, firewall in, route, hold, call,
 * firewall out, settle, receipts.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function completeChat(ctx: Ctx, body: unknown): Promise<WireBody> {
  const caller = authenticate(ctx);
  const asked = prompt(caller, body);
  const given = asked instanceof Promise ? await asked : asked;
  const request = readChatRequest(given.body, given.bodyBytes, given.prompt);
  if (request.stream) {
    const message = 'stream: true is answered by the subscription chatCompletionStream.';
    failOnFaults([{ path: 'stream', code: 'invalid', message }]);
  }
  return answerWhole(caller, request, finish);
}

async function finish(called: Called): Promise<WireBody> {
  const { prepared, answer } = called;
  const { request, admission, inspected } = prepared;
  const parsed = parseAnswer(answer.body, 'choices', 'a chat completion');
  const measured = await measure(request, parsed.usage, () => chatAnswerText(parsed));
  const out = firewallOut(parsed, admission.policy, inspected);
  const wire = normalised(out.body, answer.deployment.id, wireUsage(measured.usage));
  const schemaValid = request.prompt && schemaValidity(request.prompt.version, out.body);
  const finishReason = finishReasonOf(parsed);
  const settled = await settleWhole(called, measured, finishReason, schemaValid);
  const added = receipts(prepared, settled, out);
  const untouched = wire === parsed;
  if (untouched) return new WireBody(appendMember(answer.body, added));
  return new WireBody(Buffer.from(JSON.stringify({ ...wire, ...added })));
}

function finishReasonOf({ choices }: JsonObject): string | undefined {
  const reason = asObject((choices as unknown[])[0])?.finish_reason;
  return typeof reason === 'string' ? reason : undefined;
}

/**
 * The answer in the shape that clients rely on: the public model name, usage with its details,
 * `refusal` and `logprobs` present. The same object where nothing is missing.
 */
function normalised(answer: JsonObject, model: string, usage: object): JsonObject {
  const choices = answer.choices as JsonObject[];
  const complete =
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
