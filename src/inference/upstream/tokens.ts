import type { ModelFacts } from '../../catalog/providers/model.js';
import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import { IMAGE_TOKENS, IMAGE_TOKENS_LOW } from '../../routing/decision/cost.rules.js';
import type { TokenBounds } from '../../routing/named.js';
import type { InferenceRequest } from '../request.js';
import type { RequestSize } from '../request-size.js';

/** What a provider's template may put around the messages, and around tool definitions. */
const TEMPLATE_TOKENS_MAX = 64;
const TOOLS_TEMPLATE_TOKENS_MAX = 512;

/** The lowest rate of MPEG sound is 8 kbit/s: a second of sound takes at least these bytes. */
const AUDIO_BYTES_PER_SECOND_MIN = 1_000;

/** What a request is bounded by: everything that decides about its tokens. */
export type BoundedRequest = Pick<
  InferenceRequest,
  'size' | 'needs' | 'outputTokensMax' | 'choices'
>;

/** What a model is bounded by. */
export type BoundingModel = Pick<
  ModelFacts,
  | 'contextWindow'
  | 'maxOutputTokens'
  | 'imageTokensMax'
  | 'imageTokensLowMax'
  | 'audioTokensPerSecondMax'
>;

/**
 * The most tokens that a request can use with a model: what is held, and what a reported usage is
 * held against. A request that states no limit may take the model's own; the policy's cap, where
 * there is one, is sent with the request and so bounds it too.
 */
export function tokenBounds(
  request: BoundedRequest,
  model: BoundingModel,
  outputTokensCap: number | undefined,
): TokenBounds {
  const own = model.maxOutputTokens;
  const each = Math.min(request.outputTokensMax ?? own, own, outputTokensCap ?? own);
  return {
    inputTokensMax: inputTokensMax(request, model),
    outputTokensMax: each * request.choices,
  };
}

/**
 * A bound on the input tokens. Byte-level encodings give at least one byte to each token, JSON
 * only lengthens text, and the braces and names around a message outweigh its separator tokens;
 * templates get an allowance, images and sound cost what the model's facts allow, inlined files
 * at most a token a byte. A prompt past the window is refused by the provider, so the window
 * bounds it too. It is three to five times too high for prose, which matters little: a hold lives
 * as long as its request.
 */
function inputTokensMax({ size, needs }: BoundedRequest, model: BoundingModel): number {
  const window = model.contextWindow * size.inputs;
  if (size.isOpen) return window;
  const audioSeconds = size.audioBytes / AUDIO_BYTES_PER_SECOND_MIN;
  const bound =
    size.textBytes +
    TEMPLATE_TOKENS_MAX +
    (needs.includes('tools') ? TOOLS_TEMPLATE_TOKENS_MAX : 0) +
    size.images * model.imageTokensMax +
    size.imagesLow * model.imageTokensLowMax +
    Math.ceil(audioSeconds * model.audioTokensPerSecondMax) +
    size.fileBytes;
  return Math.min(bound, window);
}

/** Bytes of UTF-8 that a token takes on average in mixed Russian and English prose. */
const TEXT_BYTES_PER_TOKEN = 5;
/** Compressed speech of usual quality, and documents with their fonts and pictures. */
const AUDIO_BYTES_PER_TOKEN = 1_000;
const FILE_BYTES_PER_TOKEN = 20;

/** A guess of the input tokens, for rate limits and for choosing a model. Not for money. */
export function tokensAbout(
  size: RequestSize,
  imageTokensMax: number = Number.POSITIVE_INFINITY,
): number {
  return Math.ceil(
    size.textBytes / TEXT_BYTES_PER_TOKEN +
      size.images * Math.min(IMAGE_TOKENS, imageTokensMax) +
      size.imagesLow * Math.min(IMAGE_TOKENS_LOW, imageTokensMax) +
      size.audioBytes / AUDIO_BYTES_PER_TOKEN +
      size.fileBytes / FILE_BYTES_PER_TOKEN,
  );
}

/** About how many tokens a request has without its images; its texts as counted, if they were. */
export function tokensWithoutImages(size: RequestSize): number {
  const { textTokens = 0, textBytes } = size;
  const guessedBytes = size.textTokens === undefined ? textBytes : 0;
  return textTokens + tokensAbout({ ...size, textBytes: guessedBytes, images: 0, imagesLow: 0 });
}

/** About what a request takes of a limit of tokens: its prompt, and all that it may answer. */
export function tokensAsked(
  request: BoundedRequest,
  model: BoundingModel,
  outputTokensCap: number | undefined,
): number {
  const { outputTokensMax } = tokenBounds(request, model, outputTokensCap);
  return tokensAbout(request.size, model.imageTokensMax) + outputTokensMax;
}

/** What one window must hold: counted, or a low guess of a chat or the mean text to embed. */
export function windowTokensAbout(
  size: RequestSize,
  { imageTokensMax }: Pick<ModelFacts, 'imageTokensMax'>,
): number {
  return size.windowTokens ?? Math.ceil(tokensAbout(size, imageTokensMax) / size.inputs);
}

/** A message as far as counting needs it. */
interface CountedMessage {
  readonly role?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

/** A content part likewise. */
interface CountedPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly image_url?: { readonly detail?: unknown } | null;
}

const MESSAGE_TOKENS = 3;
/** What opens the reply of a chat. */
export const REPLY_TOKENS = 3;

/** What says how many tokens a text has. */
export type Counter = Pick<Tokenizer, 'count'>;

/**
 * Input tokens of a chat by the published counting rule of the chat format: three tokens around a
 * message, its texts and names, three to open the reply; tool definitions as their JSON, an image
 * as one of high detail unless low is asked for.
 */
export function countChatInput(
  tokenizer: Counter,
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

function contentTokens(tokenizer: Counter, content: unknown): number {
  if (!Array.isArray(content)) return textTokens(tokenizer, content);
  let sum = 0;
  for (const part of content as CountedPart[]) {
    sum += part?.type === 'image_url' ? imageTokens(part) : textTokens(tokenizer, part?.text);
  }
  return sum;
}

function imageTokens({ image_url: image }: CountedPart): number {
  return image?.detail === 'low' ? IMAGE_TOKENS_LOW : IMAGE_TOKENS;
}

function textTokens(tokenizer: Counter, text: unknown): number {
  return typeof text === 'string' ? tokenizer.count(text) : 0;
}
