import { NO_USAGE, type UsageVector } from '../../catalog/providers/price.js';
import { asObject, type JsonObject, parsedJson } from '../../kernel/json.js';
import type { UsageFault } from '../usage-faults.rules.js';

/** Usage as an upstream reports it. Names and meanings differ between upstreams. */
export type RawUsage = JsonObject;

/**
 * Turns an upstream's usage into the disjoint vector. Cached tokens count inside the input for
 * most upstreams and beside it for some, reasoning tokens likewise inside or beside the output;
 * `total_tokens` tells which, and without it the usual reading holds. An explicit zero is a zero.
 * @returns undefined when the input is not stated, or the output of a chat is not, or where parts
 * exceed their whole in the only reading that the figures allow
 */
export function normaliseUsage(
  raw: RawUsage,
  operation: 'chat' | 'embeddings',
): UsageVector | undefined {
  const total = count(raw.total_tokens);
  const output = count(raw.completion_tokens) ?? count(raw.output_tokens);
  const input = statedInput(raw, total, output);
  if (input === undefined) return undefined;
  if (operation === 'embeddings') return { ...NO_USAGE, input_uncached: input };
  if (output === undefined) return undefined;

  const inputDetails = asObject(raw.prompt_tokens_details ?? raw.input_tokens_details) ?? {};
  const outputDetails = asObject(raw.completion_tokens_details ?? raw.output_tokens_details) ?? {};
  const cached =
    count(inputDetails.cached_tokens) ??
    count(raw.prompt_cache_hit_tokens) ??
    count(raw.cache_read_input_tokens) ??
    0;
  const written =
    count(inputDetails.cache_write_tokens) ??
    count(inputDetails.cache_creation_tokens) ??
    count(raw.cache_creation_input_tokens) ??
    0;
  const reasoning = count(outputDetails.reasoning_tokens) ?? count(raw.reasoning_tokens) ?? 0;

  const readings = readingsOf(raw, cached + written, reasoning, input, output);
  const fitting = readings.find(
    (reading) => total === undefined || total === reading.input + reading.output,
  );
  // Only a total or a name can tell that parts lie beside their whole.
  const usual = readings.find((one) => one.isUsual);
  const chosen = fitting !== undefined && total !== undefined ? fitting : usual;
  if (chosen === undefined) return undefined;
  return {
    input_uncached: chosen.input - cached - written,
    input_cached: cached,
    cache_write: written,
    output_text: chosen.output - reasoning,
    output_reasoning: reasoning,
  };
}

interface Reading {
  /** All input and all output tokens, whatever they are made of. */
  readonly input: number;
  readonly output: number;
  /** Whether this is the reading where no total tells otherwise. */
  readonly isUsual: boolean;
}

/** The possible meanings of the figures, most usual first. None may make a part negative. */
function readingsOf(
  raw: RawUsage,
  cache: number,
  reasoning: number,
  input: number,
  output: number,
): readonly Reading[] {
  const besideByName = raw.cache_read_input_tokens !== undefined && raw.input_tokens !== undefined;
  const inputs = [
    { sum: input, isUsual: !besideByName },
    { sum: input + cache, isUsual: besideByName },
  ].filter(({ sum }) => sum >= cache);
  const outputs = [
    { sum: output, isUsual: true },
    { sum: output + reasoning, isUsual: false },
  ].filter(({ sum }) => sum >= reasoning);
  if (besideByName) inputs.reverse();
  return inputs.flatMap((one) =>
    outputs.map((other) => ({
      input: one.sum,
      output: other.sum,
      isUsual: one.isUsual && other.isUsual,
    })),
  );
}

/** The fault of counts that are stated and contradict each other. */
export function statesContradiction(
  raw: RawUsage,
  operation: 'chat' | 'embeddings',
): UsageFault | undefined {
  const total = count(raw.total_tokens);
  const output = count(raw.completion_tokens) ?? count(raw.output_tokens);
  const isStated = statedInput(raw, total, output) !== undefined;
  return isStated && (operation === 'embeddings' || output !== undefined)
    ? 'parts_exceed_whole'
    : undefined;
}

function statedInput(
  raw: RawUsage,
  total: number | undefined,
  output: number | undefined,
): number | undefined {
  const stated = count(raw.prompt_tokens) ?? count(raw.input_tokens);
  if (stated !== undefined) return stated;
  if (total === undefined || total < (output ?? 0)) return undefined;
  return total - (output ?? 0);
}

/** The usage object of the chat wire, made from the vector: every client reads the same meaning. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** Writes a vector as the usage of a chat answer. */
export function wireUsage(usage: UsageVector): WireUsage {
  const prompt = usage.input_uncached + usage.input_cached + usage.cache_write;
  const completion = usage.output_text + usage.output_reasoning;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.input_cached },
    completion_tokens_details: { reasoning_tokens: usage.output_reasoning },
  };
}

const USAGE_KEY = Buffer.from('"usage"');
/** What may stand between a key and its object: a colon and white space. */
const BETWEEN: ReadonlySet<number | undefined> = new Set([0x3a, 0x20, 0x09, 0x0a, 0x0d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The usage object of a whole answer, cut out of its bytes, so that a long answer need not be
 * parsed to be billed. Inside a JSON string the quotes of `"usage"` would be escaped.
 * @returns undefined when the answer has no usage object
 */
export function usageOfBody(body: Buffer): RawUsage | undefined {
  const key = body.lastIndexOf(USAGE_KEY);
  if (key < 0) return undefined;
  let open = key + USAGE_KEY.length;
  while (BETWEEN.has(body[open])) open += 1;
  const end = body[open] === 0x7b ? objectEnd(body, open) : undefined;
  if (end === undefined) return undefined;
  return asObject(parsedJson(body.toString('utf8', open, end)));
}

function objectEnd(body: Buffer, open: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = open; at < body.length; at += 1) {
    const byte = body[at];
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === 0x7b) depth += 1;
    else if (byte === 0x7d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
