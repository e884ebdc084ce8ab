import type { Deployment } from '../catalog/providers/model.js';
import { NO_USAGE, type UsageVector } from '../catalog/providers/price.js';
import { loadTokenizer, type Tokenizer } from '../catalog/providers/tokenizer.js';
import { tokensAtLeast } from '../catalog/providers/tokens-at-least.js';
import type { Operation } from '../catalog/providers/vocabulary.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import { countInTurns } from './count-in-turns.js';
import type { InferenceRequest } from './request.js';
import { type Counter, countChatInput } from './upstream/tokens.js';
import { normaliseUsage, statesContradiction } from './upstream/usage.js';
import { inputOf, isFar, mayBeFar, type UsageFault } from './usage-faults.rules.js';

/** Usage and where its figures come from. */
export interface Measured {
  readonly usage: UsageVector;
  readonly usageSource: 'upstream' | 'estimated';
  readonly rawUsage: unknown;
  /** Why the provider's figures were not billed; undefined where they were or none came. */
  readonly usageFault: UsageFault | undefined;
  /** What the provider claims, where that can be read; it is held against the bounds. */
  readonly claimed: UsageVector | undefined;
}

/** What an answer is measured by. */
export interface Answered {
  /** The body that was sent: what is masked in it is what the provider counts. */
  readonly sent: JsonObject;
  /** The usage object of the provider, as it came. */
  readonly raw: unknown;
  /** All text of the answer that the client sees or that was thought aloud. */
  readonly text: () => string;
  /** The deployment that answered; undefined for an answer that was measured when it was kept. */
  readonly deployment: Pick<Deployment, 'capabilities'> | undefined;
}

/**
 * The usage of an answer: the provider's figures where it gave sound ones, else counted here from
 * the text that was sent and the text that came. Figures are sound where no part exceeds its whole
 * and none is farther from the local count than the published distance.
 */
export async function measure(request: InferenceRequest, answered: Answered): Promise<Measured> {
  const { raw } = answered;
  const given = asObject(raw);
  const stated = given && normaliseUsage(given, request.operation);
  const counted = new LocalCounts(request, answered);
  const fault = stated
    ? await distanceFault(request, stated, answered, counted)
    : given && statesContradiction(given, request.operation);
  if (stated && !fault) {
    const source = { usageSource: 'upstream', rawUsage: raw, usageFault: undefined } as const;
    return { usage: stated, ...source, claimed: stated };
  }
  const usage = {
    ...NO_USAGE,
    input_uncached: await counted.input(),
    output_text: request.operation === 'chat' ? await counted.output() : 0,
  };
  const source = { usageSource: 'estimated', rawUsage: raw ?? null, usageFault: fault } as const;
  return { usage, ...source, claimed: stated };
}

/** What is counted here of a request and its answer, each at most once. */
class LocalCounts {
  private inputTokens: Promise<number> | undefined;
  private outputTokens: Promise<number> | undefined;

  constructor(
    private readonly request: InferenceRequest,
    private readonly answered: Answered,
  ) {}

  input(): Promise<number> {
    const { operation } = this.request;
    this.inputTokens ??= loadTokenizer().then((tokenizer) =>
      countInTurns(tokenizer, (counter) => tokensOfInput(counter, operation, this.answered.sent)),
    );
    return this.inputTokens;
  }

  output(): Promise<number> {
    this.outputTokens ??= loadTokenizer().then((tokenizer) =>
      countText(tokenizer, this.answered.text()),
    );
    return this.outputTokens;
  }
}

/**
 * Whether counts are far from what is counted here. Images, sound, files and what a provider
 * fetches are counted by no tokenizer, nor is reasoning that the provider keeps to itself.
 */
async function distanceFault(
  request: InferenceRequest,
  stated: UsageVector,
  { sent, text, deployment }: Answered,
  counted: LocalCounts,
): Promise<UsageFault | undefined> {
  if (!deployment) return undefined;
  const { size, needs, operation } = request;
  const hasTools = needs.includes('tools');
  const input = inputOf(stated);
  const isText = size.images + size.imagesLow + size.audioBytes + size.fileBytes === 0;
  const prompt = {
    bytes: size.textBytes,
    tokensMin: () => tokensOfInput(AT_LEAST, operation, sent),
  };
  const asksInput = isText && !size.isOpen && mayBeFar(input, prompt, hasTools);
  const answer = operation === 'chat' && !thinksOrSpeaks(request, deployment) ? text() : undefined;
  const asksOutput = answer !== undefined && mayBeFar(stated.output_text, saidIn(answer), hasTools);
  const isFault =
    (asksInput && isFar(input, await counted.input(), hasTools)) ||
    (asksOutput && isFar(stated.output_text, await counted.output(), hasTools));
  return isFault ? 'far_from_local_count' : undefined;
}

function thinksOrSpeaks(
  { needs }: InferenceRequest,
  { capabilities }: Pick<Deployment, 'capabilities'>,
): boolean {
  return capabilities.includes('reasoning') || needs.includes('audio');
}

function saidIn(text: string): Parameters<typeof mayBeFar>[1] {
  return { bytes: Buffer.byteLength(text), tokensMin: () => tokensAtLeast(text) };
}

function countText(tokenizer: Tokenizer, text: string): Promise<number> {
  return countInTurns(tokenizer, ({ count }) => count(text));
}

const AT_LEAST: Counter = { count: tokensAtLeast };

function tokensOfInput(counter: Counter, operation: Operation, body: JsonObject): number {
  if (operation === 'embeddings') return countEmbedded(counter, body.input);
  const lists: readonly unknown[] = [body.tools, body.functions];
  const tools = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  return countChatInput(counter, body.messages as unknown[], tools);
}

/** Tokens of an embeddings input; token arrays are counted as they are. */
function countEmbedded(tokenizer: Counter, input: unknown): number {
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
