import type { Behaviour } from '../../support/upstream-double.mjs';

/** Usage of every scripted answer: 20 tokens in, of which 8 cached, and 5 out. */
const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 5,
  total_tokens: 25,
  prompt_tokens_details: { cached_tokens: 8 },
};

/** A call of a function as a model makes it. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const HEAD = { id: 'chatcmpl-scripted', created: 1_700_000_000, model: 'chat' };

/** A whole JSON answer, as it is. */
export function jsonAnswer(body: unknown): Behaviour {
  return { raw: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** A stream of events, as they are, with `[DONE]`. */
export function eventsAnswer(events: readonly unknown[]): Behaviour {
  const raw = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  return { raw: `${raw}data: [DONE]\n\n`, headers };
}

/** An answer that calls functions. */
export function callsAnswer(...calls: readonly ScriptedCall[]): Behaviour {
  const tool_calls = calls.map((call, index) => ({ ...wireCall(call, index) }));
  const message = { role: 'assistant', content: null, tool_calls };
  return jsonAnswer({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage: USAGE,
  });
}

/** The same as a stream, the arguments in two pieces. */
export function callsStream(...calls: readonly ScriptedCall[]): Behaviour {
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  const opened = calls.flatMap((call, index) => {
    const whole = wireCall(call, index);
    const text = whole.function.arguments;
    const pieces = [text.slice(0, 5), text.slice(5)];
    const head = { index, ...whole, function: { ...whole.function, arguments: '' } };
    return [
      chunk({ tool_calls: [head] }),
      ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });
  return eventsAnswer([
    chunk({ role: 'assistant', content: null }),
    ...opened,
    chunk({}, 'tool_calls'),
    { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE },
  ]);
}

/** Embeddings as lists of numbers, whatever encoding was asked for. */
export function vectorsAnswer(...vectors: readonly (readonly number[])[]): Behaviour {
  return embeddingsAnswer(vectors);
}

/** Embeddings in base64, whatever encoding was asked for. */
export function packedAnswer(...vectors: readonly (readonly number[])[]): Behaviour {
  return embeddingsAnswer(
    vectors.map((vector) => Buffer.from(new Float32Array(vector).buffer).toString('base64')),
  );
}

function embeddingsAnswer(embeddings: readonly unknown[]): Behaviour {
  const data = embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  const usage = { prompt_tokens: 6, total_tokens: 6 };
  return jsonAnswer({ object: 'list', model: 'embed', data, usage });
}

function wireCall(call: ScriptedCall, index: number) {
  return {
    id: `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  };
}
