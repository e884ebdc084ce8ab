import { loadRegistry } from '../../../src/catalog/providers/registry.js';
import { createUpstream } from '../../../src/inference/upstream/upstream.js';

const registry = loadRegistry(
  {
    GW_SANDBOX: true,
    GW_PROVIDERS_FILE: undefined,
    GW_FIRST_BYTE_TIMEOUT_MS: 400,
    GW_CHUNK_GAP_TIMEOUT_MS: 400,
  },
  {},
);
/** The way out to the sandbox alone, with short deadlines. */
export const upstream = createUpstream({
  registry,
  config: {
    GW_CONNECT_TIMEOUT_MS: 400,
    GW_FIRST_BYTE_TIMEOUT_MS: 400,
    GW_FIRST_BYTE_TOTAL_TIMEOUT_MS: 2_500,
    GW_REQUEST_TIMEOUT_MS: 3_000,
  },
});

/** A request body. */
export type Body = Record<string, unknown>;

/** Calls the chain of a model. */
export function call(model: string, body: Body, signal = new AbortController().signal) {
  return upstream.call(registry.chain(model), {
    operation: model.endsWith('embed') ? 'embeddings' : 'chat',
    stream: body.stream === true,
    signal,
    jurisdictionsAllowed: ['rf'],
    bodyFor: ({ upstreamName }) => Buffer.from(JSON.stringify({ ...body, model: upstreamName })),
  });
}

/** Calls and expects a whole answer, parsed. */
export async function whole(body: Body, model = 'sandbox/gw-mini') {
  const answer = await call(model, body);
  if (answer.kind !== 'whole') throw new Error('a stream came');
  return JSON.parse(answer.body.toString('utf8'));
}
