import { asObject, type JsonObject } from '../../kernel/json.js';
import { parseEvents, writeEvent } from '../chat/event-text.js';
import type { UsageChunk } from '../upstream/call.js';
import type { RawUsage } from '../upstream/usage.js';
import type { Recording } from './recording.js';

/** A whole answer as a provider writes one, and its usage. */
export interface WholeForm {
  readonly body: Buffer;
  readonly usage: RawUsage | undefined;
}

const OBJECTS = { whole: 'chat.completion', chunk: 'chat.completion.chunk' } as const;

/**
 * A whole answer as the events of a stream: one chunk with all that it says, one with the reason
 * why it ends, and its usage. Undefined for what has no such form.
 */
export function streamOf(body: Buffer): Recording | undefined {
  const parsed = parsedObject(body);
  const choice = soleChoice(parsed);
  const message = asObject(choice?.message);
  if (!parsed || !choice || !message) return undefined;
  const { choices: _, usage, object: __, ...frame } = parsed;
  const { finish_reason, message: ___, logprobs = null, index: ____, ...more } = choice;
  const chunk = (part: JsonObject): JsonObject => ({
    ...frame,
    object: OBJECTS.chunk,
    choices: [{ index: 0, ...part }],
  });
  const said = Object.entries(message).filter(([, value]) => value !== null);
  const first = chunk({ ...more, delta: Object.fromEntries(said), logprobs, finish_reason: null });
  const last = chunk({ delta: {}, logprobs: null, finish_reason: finish_reason ?? null });
  const figures = asObject(usage);
  return {
    events: Buffer.concat([writeEvent(first), writeEvent(last)]),
    count: 2,
    usage:
      figures && ({ ...frame, object: OBJECTS.chunk, choices: [], usage: figures } as UsageChunk),
  };
}

/**
 * The events of a stream as a whole answer: texts of its deltas are joined. Undefined for what has
 * no such form, as calls of tools and several choices.
 */
export function wholeOf({ events, usage }: Omit<Recording, 'count'>): WholeForm | undefined {
  const chunks = parseEvents(events);
  const [first] = chunks;
  if (!first) return undefined;
  const { choices: _, object: __, usage: ___, ...frame } = first;
  const joined: Joined = {
    message: { role: 'assistant', content: null },
    logprobs: [],
    finish: null,
  };
  for (const chunk of chunks) if (!join(joined, chunk)) return undefined;
  const { message, logprobs, finish } = joined;
  const choice = {
    index: 0,
    message,
    logprobs: logprobs.length === 0 ? null : { content: logprobs },
    finish_reason: finish,
  };
  const figures = usage?.usage;
  const whole = {
    ...frame,
    object: OBJECTS.whole,
    choices: [choice],
    ...(figures && { usage: figures }),
  };
  return { body: Buffer.from(JSON.stringify(whole)), usage: figures };
}

/** What the chunks have said so far. */
interface Joined {
  readonly message: Record<string, unknown>;
  readonly logprobs: unknown[];
  finish: unknown;
}

/** Adds what a chunk says; false where it says what is no text. */
function join(joined: Joined, { choices }: JsonObject): boolean {
  if (!Array.isArray(choices)) return false;
  for (const each of choices) {
    const choice = asObject(each);
    if (!choice || (choice.index ?? 0) !== 0) return false;
    for (const [name, value] of Object.entries(asObject(choice.delta) ?? {})) {
      if (value === null) continue;
      if (typeof value !== 'string') return false;
      const before = joined.message[name];
      const isText = name !== 'role' && typeof before === 'string';
      joined.message[name] = isText ? before + value : value;
    }
    const logprobs = asObject(choice.logprobs)?.content;
    if (Array.isArray(logprobs)) for (const entry of logprobs) joined.logprobs.push(entry);
    joined.finish = choice.finish_reason ?? joined.finish;
  }
  return true;
}

function soleChoice(parsed: JsonObject | undefined): JsonObject | undefined {
  const choices = parsed?.choices;
  return Array.isArray(choices) && choices.length === 1 ? asObject(choices[0]) : undefined;
}

function parsedObject(body: Buffer): JsonObject | undefined {
  try {
    return asObject(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}
