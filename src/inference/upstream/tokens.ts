import type { ModelFacts } from '../../catalog/providers/model.js';
import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import type { TokenBounds } from '../bounds.rules.js';
import type { InferenceRequest } from '../request.js';

/** An image may cost this many tokens whatever its address; inlined ones are bounded by bytes. */
const IMAGE_TOKENS_MAX = 4_096;
/** What a provider's template may put around the messages, and around tool definitions. */
const TEMPLATE_TOKENS_MAX = 64;
const TOOLS_TEMPLATE_TOKENS_MAX = 512;

/** What decides how many tokens a request can have, all known without reading its text. */
export interface RequestSize {
  /** Bytes of the JSON body. */
  readonly bodyBytes: number;
  readonly images: number;
  readonly tools: boolean;
  readonly contextWindow: number;
}

/**
 * A bound on the input tokens of a request, for the hold. Byte-level encodings give at least one
 * byte to each token, JSON only lengthens text, and the braces and names around a message outweigh
 * its separator tokens; templates and images get an allowance. A prompt past the window is refused
 * by the provider, so the window bounds it too. It costs nothing and is three to five times too
 * high for prose, which matters little: a hold lives as long as its request.
 */
export function inputTokensMax(size: RequestSize): number {
  const bound =
    size.bodyBytes +
    TEMPLATE_TOKENS_MAX +
    (size.tools ? TOOLS_TEMPLATE_TOKENS_MAX : 0) +
    size.images * IMAGE_TOKENS_MAX;
  return Math.min(bound, size.contextWindow);
}

/** The most tokens that a request can use with a model. */
export function tokenBounds(
  request: InferenceRequest,
  model: ModelFacts,
  outputTokensCap: number | undefined,
): TokenBounds {
  const own = model.maxOutputTokens;
  const each = Math.min(request.outputTokensMax ?? own, own, outputTokensCap ?? own);
  return {
    inputTokensMax: inputTokensMax({
      bodyBytes: request.bodyBytes,
      images: request.images,
      tools: request.needs.includes('tools'),
      contextWindow: model.contextWindow,
    }),
    outputTokensMax: each * request.choices,
  };
}

/** Bytes of UTF-8 that a token takes on average in mixed Russian and English prose. */
const BYTES_PER_TOKEN = 5;

/** A guess of tokens from bytes, for rate limits and for choosing a model. Not for money. */
export function tokensAbout(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** A message as far as counting needs it. */
interface CountedMessage {
  readonly role?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

const MESSAGE_TOKENS = 3;
const REPLY_TOKENS = 3;
const IMAGE_TOKENS = 765;

/**
 * Input tokens of a chat by the published counting rule of the chat format: three tokens around a
 * message, its texts and names, three to open the reply; tool definitions as their JSON, an image
 * as one of high detail.
 */
export function countChatInput(
  tokenizer: Tokenizer,
  messages: readonly unknown[],
  tools: readonly unknown[] = [],
): number {
  let sum = REPLY_TOKENS;
  for (const each of messages) {
    const message = (each ?? {}) as CountedMessage;
    sum += MESSAGE_TOKENS + textTokens(tokenizer, message.role);
    sum += contentTokens(tokenizer, message.content);
    if (message.name !== undefined) sum += 1 + textTokens(tokenizer, message.name);
    if (message.tool_calls !== undefined) {
      sum += tokenizer.count(JSON.stringify(message.tool_calls));
    }
  }
  return tools.length === 0 ? sum : sum + tokenizer.count(JSON.stringify(tools));
}

function contentTokens(tokenizer: Tokenizer, content: unknown): number {
  if (!Array.isArray(content)) return textTokens(tokenizer, content);
  let sum = 0;
  for (const part of content as { type?: unknown; text?: unknown }[]) {
    sum += part?.type === 'image_url' ? IMAGE_TOKENS : textTokens(tokenizer, part?.text);
  }
  return sum;
}

function textTokens(tokenizer: Tokenizer, text: unknown): number {
  return typeof text === 'string' ? tokenizer.count(text) : 0;
}
