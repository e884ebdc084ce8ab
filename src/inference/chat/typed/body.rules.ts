import type { Fault } from '../../../kernel/errors/fail.js';
import { fault } from '../../../kernel/errors/faults.js';
import { snakeCase } from '../../../kernel/fields/names.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';

/** Fields whose names on the wire are others than theirs in lower case with underscores. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  prompt: 'gw_prompt',
  approval: 'gw_approval',
  context: 'gw_context',
};
const TYPED_NAMES = Object.fromEntries(
  Object.entries(WIRE_NAMES).map(([typed, wire]) => [wire, typed]),
);

/** Values of the caller's own, which are passed on by reference and not renamed. */
const KEPT = new Set(['parameters', 'schema', 'format', 'logitBias', 'variables']);

/**
 * The body of the wire for a typed chat request: what is left out stays out. `more` adds members
 * that have no field, and cannot replace one.
 */
export function wireBody(input: JsonObject): JsonObject {
  const { messages, tools, toolChoice, responseFormat, metadata, more, ...plain } = input;
  return {
    ...asObject(more),
    ...renamed(plain),
    ...optional('messages', eachOf(messages, wireMessage)),
    ...optional('tools', eachOf(tools, tagged)),
    ...optional('tool_choice', of(toolChoice, wireToolChoice)),
    ...optional('response_format', of(responseFormat, wireFormat)),
    ...optional('metadata', of(metadata, wireMetadata)),
  };
}

/** Members that the field itself decides about. */
const DECIDED = ['stream', 'stream_options'];

/** Every fault of what a typed request cannot say by its type. */
export function typedFaults(input: JsonObject): Fault[] {
  const { more, metadata, messages } = input;
  const decided = DECIDED.filter((name) => asObject(more)?.[name] != null);
  return [
    ...objectFaults('input.more', more),
    ...objectFaults('input.metadata.more', asObject(metadata)?.more),
    ...twiceFaults('input', input),
    ...twiceFaults('input.metadata', asObject(metadata)),
    ...decided.map((name) =>
      fault(`input.more.${name}`, 'invalid', 'is decided by the field: leave it out'),
    ),
    ...((messages ?? []) as JsonObject[]).flatMap(({ content, parts }, index) =>
      content == null || parts == null
        ? []
        : [fault(`input.messages.${index}.parts`, 'invalid', 'cannot stand beside content')],
    ),
  ];
}

/** A member that has a field and is in `more` too: neither may replace the other unseen. */
function twiceFaults(path: string, { more, ...members }: JsonObject = {}): Fault[] {
  const others = asObject(more) ?? {};
  return Object.entries(members).flatMap(([name, value]) => {
    const wire = wireName(name);
    if (value == null || others[wire] == null) return [];
    return [fault(`${path}.more.${wire}`, 'invalid', `cannot stand beside ${name}`)];
  });
}

function objectFaults(path: string, value: unknown): Fault[] {
  return value == null || asObject(value) ? [] : [fault(path, 'wrong_type', 'must be an object')];
}

/** A fault of the wire under the path of the typed request, as its caller wrote it. */
export function typedFault(fault: Fault): Fault {
  const path = typedPath(fault.path);
  const tail = fault.message.startsWith(fault.path) ? fault.message.slice(fault.path.length) : '';
  return { ...fault, path, message: tail === '' ? fault.message : `${path}${tail}` };
}

/** `messages.0.content.1.image_url` as `input.messages.0.parts.1.imageUrl`. */
export function typedPath(path: string): string {
  const isOther = path === '' || path === 'input' || path.startsWith('header ');
  if (isOther || path.startsWith('input.')) return path;
  const steps = path.split('.');
  const typed = steps.map((step, index) => {
    if (step === 'content' && /^\d+$/.test(steps[index + 1] ?? '')) return 'parts';
    return (
      TYPED_NAMES[step] ?? step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    );
  });
  return ['input', ...typed].join('.');
}

function wireMessage({ parts, toolCalls, ...message }: JsonObject): JsonObject {
  return {
    ...renamed(message),
    ...optional('content', eachOf(parts, tagged)),
    ...optional('tool_calls', eachOf(toolCalls, wireCall)),
  };
}

function wireCall({ id, ...call }: JsonObject): unknown {
  return { id, ...asObject(tagged(call)) };
}

function wireToolChoice({ mode, ...choice }: JsonObject): unknown {
  return mode ?? tagged(choice, (name) => ({ name }));
}

function wireFormat({ kind, ...format }: JsonObject): unknown {
  return kind == null ? tagged(format) : { type: kind };
}

/** A label that is null says nothing, and so takes nothing from `more`. */
function wireMetadata({ more, ...labels }: JsonObject): JsonObject {
  const said = Object.entries(labels).filter(([, value]) => value != null);
  return { ...asObject(more), ...renamed(Object.fromEntries(said)) };
}

/** The one kind that is given, as an object of the wire whose `type` names it. */
function tagged(given: JsonObject, wrap = (value: unknown) => value): unknown {
  const entry = Object.entries(given).find(([, value]) => value != null);
  if (!entry) return {};
  const [name, value] = entry;
  if (name === 'other') return value;
  const type = wireName(name);
  const inner = asObject(value);
  return { type, [type]: inner ? renamed(inner) : wrap(value) };
}

/** The members under their names on the wire. */
function renamed(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const inner = KEPT.has(name) ? undefined : asObject(member);
      return [wireName(name), inner ? renamed(inner) : member];
    }),
  );
}

function wireName(name: string): string {
  return WIRE_NAMES[name] ?? snakeCase(name);
}

function eachOf(list: unknown, write: (value: JsonObject) => unknown): unknown {
  return Array.isArray(list) ? list.map((value) => write(value as JsonObject)) : undefined;
}

function of(value: unknown, write: (value: JsonObject) => unknown): unknown {
  const given = asObject(value);
  return given && write(given);
}

function optional(name: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [name]: value };
}
