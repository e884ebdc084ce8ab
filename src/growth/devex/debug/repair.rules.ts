import type { Fault } from '../../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';
import { conversions, standIns } from './conversion.rules.js';
import { dottedPlace, type Place, pointerOf, sizeOf, valueAt } from './patch.rules.js';
import type { Operation } from './tables.js';
import { schemasAt } from './wire-schema.rules.js';

/**
 * Operations that may mend a fault of the wire, the smallest first; of the same size, what keeps
 * more of the meaning. `schema` is the one that the wire publishes.
 */
export function wireRepairs(body: JsonObject, schema: JsonObject, fault: Fault): Operation[] {
  const place = dottedPlace(body, fault.path);
  const value = valueAt(body, place);
  const schemas = schemasAt(schema, place);
  const made = value === undefined ? additions(place, schemas) : mended(body, place, schemas);
  return made
    .map((operation) => ({ operation, size: sizeOf(body, operation) }))
    .sort((one, other) => one.size - other.size)
    .map(({ operation }) => operation);
}

function additions(place: Place, schemas: readonly JsonObject[]): Operation[] {
  const name = place.at(-1);
  if (name === undefined) return [];
  return [
    ...standIns(name, schemas).map((value) => operation('add', place, value)),
    ...removals(place.slice(0, -1)),
  ];
}

function mended(body: JsonObject, place: Place, schemas: readonly JsonObject[]): Operation[] {
  const value = valueAt(body, place);
  return [
    ...conversions(value, schemas).map((each) => operation('replace', place, each)),
    ...(value === null || value === ''
      ? standIns(place.at(-1) ?? '', schemas).map((each) => operation('replace', place, each))
      : []),
    ...missingMember(value, place),
    ...removals(place),
  ];
}

/** An object of which none of some members is there, as a message of the assistant. */
function missingMember(value: unknown, place: Place): Operation[] {
  const members = asObject(value);
  if (!members || members.content !== undefined) return [];
  return [operation('add', [...place, 'content'], '')];
}

/** What makes the request what it is: nothing of this is taken out as a whole. */
const KEPT: readonly string[] = ['/model', '/messages', '/input', '/gw_prompt'];

/** The place itself, and what it stands in, from the inside out; what makes the request stays. */
function removals(place: Place): Operation[] {
  return place
    .map((_, index) => place.slice(0, place.length - index))
    .filter((each) => !KEPT.includes(pointerOf(each)))
    .map((each) => operation('remove', each, null));
}

function operation(op: Operation['op'], place: Place, value: unknown): Operation {
  return { op, path: pointerOf(place), value };
}

/** What a request may lose so that a model need not be able to do more than most are. */
export function lessDemanding(body: JsonObject): Operation[][] {
  const there = (name: string) => body[name] !== undefined;
  const dropped = (...names: string[]) =>
    names.filter(there).map((name) => operation('remove', [name], null));
  const ways = [
    dropped('stream', 'stream_options'),
    dropped('response_format'),
    dropped('tools', 'tool_choice', 'parallel_tool_calls'),
    partsOut(body),
  ];
  return ways.filter((way) => way.length > 0);
}

/** Every part of a content that is no text, the last first, so that places stay true. */
function partsOut({ messages }: JsonObject): Operation[] {
  if (!Array.isArray(messages)) return [];
  return messages
    .flatMap((message, index) => {
      const content = asObject(message)?.content;
      if (!Array.isArray(content)) return [];
      const places = content.flatMap((part, at) =>
        asObject(part)?.type === 'text' ? [] : [['messages', String(index), 'content', String(at)]],
      );
      return places.length < content.length ? places : [['messages', String(index)]];
    })
    .reverse()
    .map((place) => operation('remove', place, null));
}

/**
 * The largest message that is neither of the system nor the last one: what a prompt that fits no
 * window can do without most easily.
 */
export function shorter({ messages }: JsonObject): Operation[] {
  if (!Array.isArray(messages) || messages.length < 2) return [];
  const sizes = messages
    .slice(0, -1)
    .map((message, index) => ({ index, size: JSON.stringify(message).length, message }))
    .filter(({ message }) => !['system', 'developer'].includes(String(asObject(message)?.role)))
    .sort((one, other) => other.size - one.size);
  const [largest] = sizes;
  return largest ? [operation('remove', ['messages', String(largest.index)], null)] : [];
}

/** Names another model. */
export function otherModel(body: JsonObject, model: string): Operation {
  return operation(body.model === undefined ? 'add' : 'replace', ['model'], model);
}

const OUTPUT_LIMITS = ['max_completion_tokens', 'max_tokens'] as const;
/** As many answer tokens as an answer of use has; what asks for fewer is not refused for more. */
const OUTPUT_UNSTATED = 256;

/** Fewer answer tokens, half as many each time: the first that passes takes the least away. */
export function lessOutput(body: JsonObject): Operation[][] {
  const stated = OUTPUT_LIMITS.filter((name) => typeof body[name] === 'number');
  const limits = stated.map((name) => Number(body[name]));
  const most = Math.min(...limits, stated.length === 0 ? OUTPUT_UNSTATED : Infinity);
  const halves: number[] = [];
  for (let tokens = Math.floor(most / 2); tokens >= 1; tokens = Math.floor(tokens / 2)) {
    halves.push(tokens);
  }
  return halves.map((tokens) =>
    stated.length === 0
      ? [operation('add', ['max_tokens'], tokens)]
      : stated
          .filter((name) => Number(body[name]) > tokens)
          .map((name) => operation('replace', [name], tokens)),
  );
}
