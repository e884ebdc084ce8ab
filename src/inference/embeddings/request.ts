import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { type InferenceRequest, readMetadata } from '../request.js';
import { embeddingsSize } from '../request-size.js';

const INPUTS_MAX = 2_048;
const DIMENSIONS_MAX = 65_536;

/**
 * Reads an embeddings request: a text, texts, a token array or token arrays.
 * @throws invalid_request with every fault
 */
export function readEmbeddingsRequest(body: unknown, bodyBytes: number): InferenceRequest {
  const given = asObject(body) ?? {};
  failOnFaults(embeddingsFaults(given));
  return {
    operation: 'embeddings',
    body: given,
    bodyBytes,
    model: given.model as string,
    stream: false,
    includeUsage: false,
    needs: ['embeddings'],
    size: embeddingsSize(given.input, bodyBytes),
    outputTokensMax: 0,
    choices: 1,
    metadata: readMetadata(given),
  };
}

function embeddingsFaults(body: JsonObject): Fault[] {
  const faults: Fault[] = [];
  if (typeof body.model !== 'string' || body.model === '') {
    faults.push({ path: 'model', code: 'missing', message: 'model must name a model.' });
  }
  if (!isInput(body.input)) {
    const list = `a list of 1 to ${INPUTS_MAX} texts`;
    const message = `input must be a text, ${list}, a token array or a list of token arrays.`;
    const code = body.input === undefined ? 'missing' : 'wrong_type';
    faults.push({ path: 'input', code, message });
  }
  const format = body.encoding_format;
  if (format != null && format !== 'float' && format !== 'base64') {
    const message = 'encoding_format must be float or base64.';
    faults.push({ path: 'encoding_format', code: 'unknown_value', message });
  }
  const size = body.dimensions;
  const sizeFits = Number.isInteger(size) && (size as number) >= 1;
  if (size != null && !(sizeFits && (size as number) <= DIMENSIONS_MAX)) {
    const message = `dimensions must be a whole number from 1 to ${DIMENSIONS_MAX}.`;
    faults.push({ path: 'dimensions', code: 'out_of_range', message });
  }
  return faults;
}

function isInput(input: unknown): boolean {
  if (typeof input === 'string') return input !== '';
  if (!Array.isArray(input) || input.length === 0) return false;
  if (input.every((item) => typeof item === 'number')) return input.every(isToken);
  if (input.length > INPUTS_MAX) return false;
  return (
    input.every((item) => typeof item === 'string' && item !== '') ||
    input.every((item) => Array.isArray(item) && item.length > 0 && item.every(isToken))
  );
}

function isToken(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}
