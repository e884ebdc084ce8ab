import { asObject, parsedJson } from '../../kernel/json.js';
import { utf8Text } from '../../kernel/utf8.js';

/**
 * Tells whether a chunk gives the customer anything: text, a tool call, a refusal, reasoning, or
 * the reason why the answer ended. A chunk with only the role gives nothing, so that after it
 * another deployment may still answer.
 */
export function hasContent(chunk: unknown): boolean {
  const choices = asObject(chunk)?.choices;
  if (!Array.isArray(choices)) return false;
  return choices.some((choice: unknown) => {
    const { delta, finish_reason: finishReason } = asObject(choice) ?? {};
    if (typeof finishReason === 'string') return true;
    const given = Object.entries(asObject(delta) ?? {});
    return given.some(([name, value]) => name !== 'role' && isFilled(value));
  });
}

/** What was seen of some whole events: the value of the first one, and whether any has content. */
export interface Looked {
  readonly first: unknown;
  readonly gives: boolean;
}

/**
 * Looks for content in some whole events. They are read one at a time, as most often the first or
 * second of a long run has some.
 * @throws SyntaxError when one that is read is no JSON
 */
export function lookForContent(events: Buffer): Looked {
  let first: unknown;
  const gives = someEvent(events, (payload) => {
    const chunk: unknown = JSON.parse(payload);
    first ??= chunk;
    return hasContent(chunk);
  });
  return { first, gives };
}

/** Whether any of some whole events has content; what is no JSON has none. */
export function someContent(events: Buffer): boolean {
  return someEvent(events, (payload) => hasContent(parsedJson(payload)));
}

/** True when the payloads of all events are JSON. */
export function allJson(events: Buffer): boolean {
  return !someEvent(events, (payload) => parsedJson(payload) === undefined);
}

function someEvent(events: Buffer, test: (payload: string) => boolean): boolean {
  for (let at = 0; at < events.length; ) {
    const end = events.indexOf('\n\n', at);
    if (end < 0) return false;
    if (test(utf8Text(events.subarray(at + 'data:'.length, end)))) return true;
    at = end + 2;
  }
  return false;
}

function isFilled(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}
