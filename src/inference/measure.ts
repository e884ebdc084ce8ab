import { NO_USAGE, type UsageVector } from '../catalog/providers/price.js';
import { loadTokenizer, type Tokenizer } from '../catalog/providers/tokenizer.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import type { InferenceRequest } from './request.js';
import { countChatInput } from './upstream/tokens.js';
import { normaliseUsage, type RawUsage } from './upstream/usage.js';

/** Usage and where its figures come from. */
export interface Measured {
  readonly usage: UsageVector;
  readonly usageSource: 'upstream' | 'estimated';
  readonly rawUsage: unknown;
}

/**
 * The usage of an answer: the provider's figures where it gave them, else counted here from the
 * text that was sent and the text that came.
 */
export async function measure(
  request: InferenceRequest,
  raw: unknown,
  answerText: () => string,
): Promise<Measured> {
  const stated =
    typeof raw === 'object' && raw !== null
      ? normaliseUsage(raw as RawUsage, request.operation)
      : undefined;
  if (stated) return { usage: stated, usageSource: 'upstream', rawUsage: raw };
  const tokenizer = await loadTokenizer();
  const usage = {
    ...NO_USAGE,
    input_uncached: countInput(tokenizer, request),
    output_text: request.operation === 'chat' ? tokenizer.count(answerText()) : 0,
  };
  return { usage, usageSource: 'estimated', rawUsage: raw ?? null };
}

function countInput(tokenizer: Tokenizer, { operation, body }: InferenceRequest): number {
  if (operation === 'embeddings') return countEmbedded(tokenizer, body.input);
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return countChatInput(tokenizer, body.messages as unknown[], tools);
}

/** Tokens of an embeddings input; token arrays are counted as they are. */
function countEmbedded(tokenizer: Tokenizer, input: unknown): number {
  if (typeof input === 'string') return tokenizer.count(input);
  if (typeof input === 'number') return 1;
  if (!Array.isArray(input)) return 0;
  return input.reduce<number>((sum, item) => sum + countEmbedded(tokenizer, item), 0);
}

/** All text that a whole chat answer holds, tool calls included. */
export function chatAnswerText(answer: JsonObject): string {
  const choices = Array.isArray(answer.choices) ? answer.choices : [];
  return choices
    .map((choice: unknown) => {
      const message = asObject(asObject(choice)?.message);
      const calls = message?.tool_calls ? JSON.stringify(message.tool_calls) : '';
      return `${message?.content ?? ''}${message?.reasoning_content ?? ''}${calls}`;
    })
    .join('\n');
}

/** All tokens of a vector. */
export function tokensIn(usage: UsageVector): number {
  return (
    usage.input_uncached +
    usage.input_cached +
    usage.cache_write +
    usage.output_text +
    usage.output_reasoning
  );
}
