import { asObject, type JsonObject } from '../../kernel/json.js';
import { utf8Text } from '../../kernel/utf8.js';

const DATA = 'data:';

/** The JSON objects of whole events; `[DONE]`, comments and what cannot be read are left out. */
export function parseEvents(events: Buffer): JsonObject[] {
  const values: JsonObject[] = [];
  for (const data of payloadsOf(utf8Text(events))) {
    if (data === '' || data === '[DONE]') continue;
    const value = parsedObject(data);
    if (value) values.push(value);
  }
  return values;
}

/**
 * The payload of each event. Line ends are found as single characters: an expression for them goes
 * character by character, which takes long in an event of some mebibytes.
 */
function* payloadsOf(text: string): Iterable<string> {
  let lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found;
    const end = text[next - 1] === '\r' ? next - 1 : next;
    if (end <= at) {
      yield lines.join('\n');
      lines = [];
    } else if (text.startsWith(DATA, at)) lines.push(text.slice(at + DATA.length, end).trim());
    at = next + 1;
  }
  yield lines.join('\n');
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A value as one event. */
export function writeEvent(value: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
}

const TEXT_BEGINS = /"(?:content|reasoning_content|refusal|arguments|name)"\s*:\s*"/g;
const FINISH = '"finish_reason"';
const REASON = /^"finish_reason"\s*:\s*"(\w+)"/;
const REASON_BYTES_MAX = 128;

/** What events say. */
export interface Said {
  readonly text: string;
  /** How many texts that are not empty; each is a token of its model or more. */
  readonly pieces: number;
}

/** What the stream has said so far, read only when it is asked for. */
export class SaidText {
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  private folded: Said = { text: '', pieces: 0 };
  private foldedReason: string | undefined;

  /** Keeps events; beyond a mebibyte they are folded into their text, so that memory is bounded. */
  add(events: Buffer): void {
    this.parts.push(events);
    this.bytes += events.length;
    if (this.bytes > FOLD_BYTES) this.fold();
  }

  /** All text that the model has produced: content, reasoning, refusals, tool calls. */
  text(): string {
    this.fold();
    return this.folded.text;
  }

  /** The same with one more event, which is not kept. */
  with(event: Buffer): Said {
    this.fold();
    return joined(this.folded, saidBy(utf8Text(event)));
  }

  /** Why the model stopped; undefined while it has not. */
  finishReason(): string | undefined {
    for (let index = this.parts.length - 1; index >= 0; index -= 1) {
      const found = lastReason(this.parts[index]);
      if (found !== undefined) return found;
    }
    return this.foldedReason;
  }

  private fold(): void {
    this.foldedReason = this.finishReason();
    for (const events of this.parts) {
      this.folded = joined(this.folded, saidBy(utf8Text(events)));
    }
    this.parts.length = 0;
    this.bytes = 0;
  }
}

/** The last reason to finish in some events; most name the member without one. */
function lastReason(events: Buffer | undefined): string | undefined {
  let at = events?.lastIndexOf(FINISH) ?? -1;
  while (events && at >= 0) {
    const reason = REASON.exec(events.toString('latin1', at, at + REASON_BYTES_MAX))?.[1];
    if (reason !== undefined) return reason;
    at = at === 0 ? -1 : events.lastIndexOf(FINISH, at - 1);
  }
  return undefined;
}

const FOLD_BYTES = 1_048_576;

/** What stands between the quotes of a JSON string; as it is where it is none. */
function unescaped(escaped: string): string {
  try {
    return JSON.parse(`"${escaped}"`) as string;
  } catch {
    return escaped;
  }
}

function saidBy(events: string): Said {
  let text = '';
  let pieces = 0;
  TEXT_BEGINS.lastIndex = 0;
  while (TEXT_BEGINS.test(events)) {
    const start = TEXT_BEGINS.lastIndex;
    const end = closingQuote(events, start);
    if (end < 0) break;
    TEXT_BEGINS.lastIndex = end + 1;
    if (end > start) pieces += 1;
    const escaped = events.slice(start, end);
    text += escaped.includes('\\') ? unescaped(escaped) : escaped;
  }
  return { text, pieces };
}

/** Where a JSON string ends, by its first quote that nothing escapes; -1 where it does not. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (first > start && text[first - 1] === '\\') first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}

function joined(one: Said, other: Said): Said {
  return { text: one.text + other.text, pieces: one.pieces + other.pieces };
}
