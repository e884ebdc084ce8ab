import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import { SandboxRefusal } from './sandbox-request.js';

const DIMENSIONS = 256;
const DIMENSIONS_MAX = 4_096;
const INPUTS_MAX = 2_048;
const INPUT_TOKENS_MAX = 8_192;

/**
 * The embeddings of a request: unit vectors that are the sum of one fixed direction for each
 * token, so that equal texts are equal, texts that share words are near, and a text and its token
 * array give the same vector. Simulated: no meaning is in them beyond shared tokens.
 * @throws SandboxRefusal for what a provider would refuse as invalid
 */
export function embed(body: Readonly<Record<string, unknown>>, tokenizer: Tokenizer): unknown {
  const inputs = readInputs(body.input).map((one) =>
    typeof one === 'string' ? tokenizer.encode(one) : one,
  );
  if (inputs.some((tokens) => tokens.length > INPUT_TOKENS_MAX)) {
    throw new SandboxRefusal(`an input is longer than ${INPUT_TOKENS_MAX} tokens.`);
  }
  const dimensions = body.dimensions ?? DIMENSIONS;
  if (!isDimensions(dimensions)) {
    throw new SandboxRefusal(`'dimensions' must be between 1 and ${DIMENSIONS_MAX}.`);
  }
  const base64 = body.encoding_format === 'base64';
  const tokens = inputs.reduce((sum, one) => sum + one.length, 0);
  return {
    object: 'list',
    simulated: true,
    model: body.model,
    data: inputs.map((one, index) => {
      const vector = unitVector(one, dimensions);
      const embedding = base64 ? littleEndian(vector) : [...vector];
      return { object: 'embedding', index, embedding };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function readInputs(input: unknown): readonly (string | number[])[] {
  const inputs = typeof input === 'string' || isTokens(input) ? [input] : input;
  const valid =
    Array.isArray(inputs) &&
    inputs.length > 0 &&
    inputs.length <= INPUTS_MAX &&
    inputs.every((one) => (typeof one === 'string' ? one !== '' : isTokens(one)));
  if (!valid) {
    throw new SandboxRefusal("'input' must be text, texts, a token array or token arrays.");
  }
  return inputs as (string | number[])[];
}

function isTokens(value: unknown): value is number[] {
  const isToken = (one: unknown) => Number.isInteger(one) && (one as number) >= 0;
  return Array.isArray(value) && value.length > 0 && value.every(isToken);
}

function isDimensions(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= DIMENSIONS_MAX;
}

function unitVector(tokens: readonly number[], dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (const token of tokens) {
    let state = (token + 1) >>> 0;
    for (let index = 0; index < dimensions; index += 1) {
      // A xorshift step for each coordinate: fixed directions without a table of them.
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      state ^= state >>> 13;
      sum[index] = (sum[index] ?? 0) + (state | 0) / 0x80000000;
    }
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (value, index) => {
    return length === 0 ? Number(index === 0) : value / length;
  });
}

function littleEndian(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  return bytes.toString('base64');
}
