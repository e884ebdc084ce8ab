import { builder } from '../../graph/builder.js';
import { jsonScalar } from '../../graph/scalars.js';
import type { JsonObject } from '../../kernel/json.js';
import {
  CHAT_CHUNK_SCHEMA,
  CHAT_COMPLETION_SCHEMA,
  CHAT_REQUEST_SCHEMA,
  EMBEDDINGS_REQUEST_SCHEMA,
  EMBEDDINGS_SCHEMA,
} from '../wire-schemas.js';

type WireName =
  | 'ChatCompletionRequest'
  | 'ChatCompletion'
  | 'ChatCompletionChunk'
  | 'EmbeddingsRequest'
  | 'Embeddings';

declare global {
  namespace GatewaySchema {
    interface Scalars extends Record<WireName, { Input: unknown; Output: unknown }> {}
  }
}

wireScalar(
  'ChatCompletionRequest',
  'A chat-completions request as SDK clients send it: model, messages, tools, response_format ' +
    'and the rest. Unknown fields are kept and forwarded.',
  CHAT_REQUEST_SCHEMA,
);
wireScalar(
  'ChatCompletion',
  'A chat completion as SDK clients read it, with gw_routing, gw_slo and gw_firewall.',
  CHAT_COMPLETION_SCHEMA,
);
wireScalar(
  'ChatCompletionChunk',
  'A chunk of a streamed chat completion; the last one carries the receipts.',
  CHAT_CHUNK_SCHEMA,
);
wireScalar(
  'EmbeddingsRequest',
  'An embeddings request as SDK clients send it. Unknown fields are kept and forwarded.',
  EMBEDDINGS_REQUEST_SCHEMA,
);
wireScalar(
  'Embeddings',
  'A list of embeddings as SDK clients read it, with the receipts.',
  EMBEDDINGS_SCHEMA,
);

/** A body of the wire. A request goes on to a provider: what it holds is none of the gateway's. */
function wireScalar(name: WireName, description: string, schema: JsonObject): void {
  const extensions = { passedOn: name.endsWith('Request') };
  builder.addScalarType(name, jsonScalar(name, description, schema), { extensions });
}
