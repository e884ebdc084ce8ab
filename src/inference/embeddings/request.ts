import { failOnFaults } from '../../kernel/errors/fail.js';
import { asObject } from '../../kernel/json.js';
import { type InferenceRequest, readMetadata, readStated, withoutOwnMembers } from '../request.js';
import { embeddingsSize } from '../request-size.js';
import { NOTHING_OUTSIDE } from '../stated-outside.js';
import { embeddingsFaults } from '../wire/embeddings-request.js';

/**
 * Reads an embeddings request: a text, texts, a token array or token arrays.
 * @throws invalid_request with every fault
 */
export function readEmbeddingsRequest(
  body: unknown,
  bodyBytes: number,
  outside = NOTHING_OUTSIDE,
): InferenceRequest {
  const given = asObject(body) ?? {};
  failOnFaults([...outside.faults, ...embeddingsFaults(given)]);
  const forwarded = withoutOwnMembers(given);
  return {
    operation: 'embeddings',
    body: forwarded,
    stripped: forwarded !== given,
    model: given.model as string,
    stream: false,
    includeUsage: false,
    needs: ['embeddings'],
    size: embeddingsSize(given.input, bodyBytes),
    outputTokensMax: 0,
    choices: 1,
    metadata: readMetadata(given),
    ...readStated(given, outside),
  };
}
