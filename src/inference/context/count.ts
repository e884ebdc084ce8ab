import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ModelFacts } from '../../catalog/providers/model.js';
import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import type { JsonObject } from '../../kernel/json.js';
import { IMAGE_TOKENS, IMAGE_TOKENS_LOW } from '../../routing/decision/cost.rules.js';
import type { InferenceRequest } from '../request.js';
import { countChatInput, REPLY_TOKENS } from '../upstream/tokens.js';

/** So much is counted without letting others have their turn. UTF-16 units. */
const SLICE_CHARS = 8_192;
/** A slice ends at white space among its last characters, where there is some. */
const LOOK_BACK_CHARS = 256;
/** What a place may cost where a text was cut, or is joined to another one. Tokens. */
export const JOINT_TOKENS = 4;

/** Counts tokens of long texts in turns with everything else that the process does. */
export class PatientCounter {
  private charsSinceTurn = 0;

  constructor(private readonly tokenizer: Tokenizer) {}

  /** Tokens of a text by the encoding that is counted here: exact for a text of one slice. */
  async count(text: string): Promise<number> {
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      const to = sliceEnd(text, from);
      tokens += this.tokenizer.count(text.slice(from, to));
      if (to < text.length) tokens += JOINT_TOKENS;
      await this.giveWay(to - from);
      from = to;
    }
    return tokens;
  }

  private async giveWay(chars: number): Promise<void> {
    this.charsSinceTurn += chars;
    if (this.charsSinceTurn < SLICE_CHARS) return;
    this.charsSinceTurn = 0;
    await nextTurn();
  }
}

function sliceEnd(text: string, from: number): number {
  const most = from + SLICE_CHARS;
  if (most >= text.length) return text.length;
  for (let at = most; at > most - LOOK_BACK_CHARS; at -= 1) {
    if (/\s/.test(text.charAt(at))) return at;
  }
  // Never between the halves of one character.
  return /[\uDC00-\uDFFF]/.test(text.charAt(most)) ? most - 1 : most;
}

/** The lowest rate of MPEG sound is 8 kbit/s: a second of sound takes at least these bytes. */
const AUDIO_BYTES_PER_SECOND_MIN = 1_000;

/** Tokens of a chat without its blocks. */
interface PromptTokens {
  readonly textTokens: number;
  /** Of images, sound and files. */
  readonly mediaTokens: number;
}

/**
 * Tokens of a chat without its blocks, by the published counting rule of the chat format; images
 * and sound at the most that the model's facts allow, inlined files at a token a byte. What lies
 * elsewhere is not counted.
 */
export async function promptTokens(
  counter: PatientCounter,
  { body, size }: Pick<InferenceRequest, 'body' | 'size'>,
  model: ModelFacts,
): Promise<PromptTokens> {
  const audioSeconds = size.audioBytes / AUDIO_BYTES_PER_SECOND_MIN;
  const mediaTokens =
    size.images * model.imageTokensMax +
    size.imagesLow * model.imageTokensLowMax +
    Math.ceil(audioSeconds * model.audioTokensPerSecondMax) +
    size.fileBytes;
  // The rule counts each image by itself too.
  const images = size.images * IMAGE_TOKENS + size.imagesLow * IMAGE_TOKENS_LOW;
  return { textTokens: (await chatTokens(counter, body)) - images, mediaTokens };
}

/** Tokens of one message of a chat by the same rule; an image counts as routing estimates it. */
export async function messageTokens(counter: PatientCounter, message: JsonObject): Promise<number> {
  return (await chatTokens(counter, { messages: [message] })) - REPLY_TOKENS;
}

/** Members that providers write into the prompt too. */
const TOLD_TOO = ['functions', 'response_format', 'prediction'] as const;

async function chatTokens(counter: PatientCounter, body: JsonObject): Promise<number> {
  const messages = body.messages as readonly JsonObject[];
  const tools = Array.isArray(body.tools) ? body.tools : [];
  const countBy = (count: (text: string) => number) =>
    countChatInput({ ...NOTHING, count }, messages, tools);
  // The rule is asked twice: which texts it counts, and what comes of their tokens.
  const counted = new Map<string, number>();
  countBy((text) => counted.set(text, 0).size);
  for (const text of counted.keys()) counted.set(text, await counter.count(text));
  let tokens = countBy((text) => counted.get(text) ?? 0);
  const more = [...messages.map(uncounted), ...TOLD_TOO.map((name) => body[name])];
  for (const each of more) if (each != null) tokens += await counter.count(JSON.stringify(each));
  return tokens;
}

const NOTHING: Omit<Tokenizer, 'count'> = { encode: () => [], decode: () => '' };

/** What the counting rule leaves out of a message; null where that is nothing. */
function uncounted({ role, name, content, tool_calls, ...more }: JsonObject): JsonObject | null {
  return Object.keys(more).length === 0 ? null : more;
}
