import type { Encoding } from './mask.js';

/** JSON objects as they come from a client or an upstream. */
type Json = Readonly<Record<string, unknown>>;

/** One text of a body, how it is written, and whether the instructions in it are foreign. */
export interface BodyText {
  readonly text: string;
  readonly encoding: Encoding;
  /** Written by a user or a tool, so that injection markers count. */
  readonly isForeign: boolean;
}

/** Gives the text that is to stand instead; the same text where nothing changes. */
export type Rewrite = (text: BodyText) => string;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object with one field rewritten; the same object where the field stays the same. */
function withField<T extends Json>(
  object: T,
  key: string,
  rewrite: (value: unknown) => unknown,
): T {
  if (!(key in object)) return object;
  const before = object[key];
  const after = rewrite(before);
  return after === before ? object : { ...object, [key]: after };
}

/** The list with its elements rewritten; the same list where each stays the same. */
function eachOf(value: unknown, rewrite: (element: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return value;
  let changed: unknown[] | undefined;
  value.forEach((element, index) => {
    const after = rewrite(element);
    if (after === element) return;
    changed ??= [...value];
    changed[index] = after;
  });
  return changed ?? value;
}

/** A string, or content parts with `text` or `refusal` in them. */
function content(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return rewrite(value);
  const field = (text: unknown) => (typeof text === 'string' ? rewrite(text) : text);
  return eachOf(value, (part) => {
    if (typeof part === 'string') return rewrite(part);
    if (!isObject(part)) return part;
    return withField(withField(part, 'text', field), 'refusal', field);
  });
}

function callArguments(value: unknown, rewrite: Rewrite): unknown {
  if (!isObject(value)) return value;
  return withField(value, 'arguments', (text) =>
    typeof text === 'string' ? rewrite({ text, encoding: 'json', isForeign: false }) : text,
  );
}

/** The calls of a message: `tool_calls`, also of custom tools, and the older `function_call`. */
function calls<T extends Json>(message: T, rewrite: Rewrite): T {
  const plain = (text: string) => rewrite({ text, encoding: 'plain', isForeign: false });
  const rewritten = withField(message, 'tool_calls', (list) =>
    eachOf(list, (call) => {
      if (!isObject(call)) return call;
      const named = withField(call, 'function', (value) => callArguments(value, rewrite));
      return withField(named, 'custom', (value) =>
        isObject(value) ? withField(value, 'input', (input) => content(input, plain)) : value,
      );
    }),
  );
  return withField(rewritten, 'function_call', (value) => callArguments(value, rewrite));
}

const FOREIGN_ROLES = new Set(['user', 'tool', 'function']);

function requestMessage(value: unknown, rewrite: Rewrite): unknown {
  if (!isObject(value)) return value;
  const isForeign = FOREIGN_ROLES.has(String(value.role));
  const plain = (text: string) => rewrite({ text, encoding: 'plain', isForeign });
  const named = withField(value, 'name', (name) => (typeof name === 'string' ? plain(name) : name));
  return calls(
    withField(named, 'content', (parts) => content(parts, plain)),
    rewrite,
  );
}

/** Every text at any depth of a value; names of members stay. */
function deepTexts(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return eachOf(value, (element) => deepTexts(element, rewrite));
  if (!isObject(value)) return value;
  let rewritten = value;
  for (const key of Object.keys(value)) {
    rewritten = withField(rewritten, key, (member) => deepTexts(member, rewrite));
  }
  return rewritten;
}

/** Members that are read in a way of their own, and the name of the model. */
const READ_APART = new Set(['messages', 'prediction', 'input', 'model']);

/**
 * Rewrites each text of a request that leaves: contents and names of messages, arguments of calls,
 * a predicted output, the input of embeddings, and whatever stands in any other member, such as
 * tools, metadata or the user. Token arrays, images and sound hold no text and stay. The body is
 * never mutated, and is the answer itself where no text changes.
 */
export function rewriteRequest<T extends object>(body: T, rewrite: Rewrite): T {
  const own = (text: string) => rewrite({ text, encoding: 'plain', isForeign: false });
  let rewritten = body as T & Json;
  rewritten = withField(rewritten, 'messages', (list) =>
    eachOf(list, (message) => requestMessage(message, rewrite)),
  );
  rewritten = withField(rewritten, 'prediction', (value) =>
    isObject(value) ? withField(value, 'content', (parts) => content(parts, own)) : value,
  );
  rewritten = withField(rewritten, 'input', (input) => content(input, own));
  for (const key of Object.keys(body)) {
    if (READ_APART.has(key)) continue;
    rewritten = withField(rewritten, key, (value) => deepTexts(value, own));
  }
  return rewritten;
}

/** Fields of an answer's message that are read by people; the last two are vendors' extensions. */
const ANSWER_FIELDS = ['content', 'refusal', 'reasoning_content', 'reasoning'];

function answerMessage(value: unknown, rewrite: Rewrite): unknown {
  if (!isObject(value)) return value;
  const plain = (text: string) => rewrite({ text, encoding: 'plain', isForeign: false });
  const read = ANSWER_FIELDS.reduce(
    (message, field) => withField(message, field, (text) => content(text, plain)),
    value,
  );
  return calls(read, rewrite);
}

/** Rewrites each text of an answer that is no stream; never mutates it. */
export function rewriteAnswer<T extends object>(body: T, rewrite: Rewrite): T {
  return withField(body as T & Json, 'choices', (list) =>
    eachOf(list, (choice) =>
      isObject(choice)
        ? withField(choice, 'message', (message) => answerMessage(message, rewrite))
        : choice,
    ),
  );
}
