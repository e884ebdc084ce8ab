import type { Ctx } from '../../../graph/ctx.js';
import { failOnFaults, GatewayError } from '../../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';
import { completeChat } from '../complete.js';
import { streamChat } from '../stream.js';
import { typedFault, typedFaults, typedPath, wireBody } from './body.rules.js';

/**
 * Answers a typed chat request by the way that every chat takes.
 * @throws whatever `completeChat` does; faults are named by the paths of the typed request
 */
export async function askWhole(ctx: Ctx, input: object): Promise<JsonObject> {
  const answer = await named(input, (body) => completeChat(ctx, body));
  return asObject(answer.toJSON()) ?? {};
}

/**
 * The same as a stream; usage is always told on the last chunk.
 * @throws whatever `streamChat` does before the call
 */
export async function askStream(ctx: Ctx, input: object): Promise<AsyncIterable<JsonObject>> {
  const stream = await named(input, (body) =>
    streamChat(ctx, { ...body, stream: true, stream_options: { include_usage: true } }),
  );
  return stream as AsyncIterable<unknown> as AsyncIterable<JsonObject>;
}

async function named<T>(input: object, ask: (body: JsonObject) => Promise<T>): Promise<T> {
  failOnFaults(typedFaults(input as JsonObject));
  try {
    return await ask(wireBody(input as JsonObject));
  } catch (thrown) {
    throw thrown instanceof GatewayError ? renamed(thrown) : thrown;
  }
}

function renamed(error: GatewayError): GatewayError {
  const { faults, param } = error.details;
  if (faults !== undefined) failOnFaults(faults.map(typedFault));
  if (param === undefined) return error;
  const details = { ...error.details, param: typedPath(param) };
  return new GatewayError(error.code, details);
}
