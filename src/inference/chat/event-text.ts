import { asObject, type JsonObject } from '../../kernel/json.js';

const DATA = 'data:';

/** The JSON values of whole events, `[DONE]` and comments left out. */
export function parseEvents(events: Buffer): JsonObject[] {
  const values: JsonObject[] = [];
  for (const event of events.toString('utf8').split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith(DATA))
      .map((line) => line.slice(DATA.length).trim())
      .join('\n');
    if (data === '' || data === '[DONE]') continue;
    const value = asObject(JSON.parse(data));
    if (value) values.push(value);
  }
  return values;
}

/** The JSON value of the first of some whole events. */
export function firstEvent(events: Buffer): JsonObject | undefined {
  const end = events.indexOf('\n\n');
  return parseEvents(end < 0 ? events : events.subarray(0, end))[0];
}

/** A value as one event. */
export function writeEvent(value: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
}

const TEXTS = /"(?:content|reasoning_content|refusal|arguments|name)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
const FINISH = /"finish_reason"\s*:\s*"(\w+)"/g;

/** What the stream has said so far, read only when it is asked for. */
export class SaidText {
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  private folded = '';

  /** Keeps events; beyond a mebibyte they are folded into their text, so that memory is bounded. */
  add(events: Buffer): void {
    this.parts.push(events);
    this.bytes += events.length;
    if (this.bytes > FOLD_BYTES) this.fold();
  }

  /** All text that the model has produced: content, reasoning, refusals, tool calls. */
  text(): string {
    this.fold();
    return this.folded;
  }

  /** Why the model stopped; undefined while it has not. */
  finishReason(): string | undefined {
    for (let index = this.parts.length - 1; index >= 0; index -= 1) {
      const found = [...(this.parts[index]?.toString('latin1').matchAll(FINISH) ?? [])].at(-1);
      if (found) return found[1];
    }
    return undefined;
  }

  private fold(): void {
    const last = this.parts.at(-1);
    for (const events of this.parts) this.folded += textOf(events.toString('utf8'));
    this.parts.length = 0;
    this.bytes = 0;
    if (last) this.keepLast(last);
  }

  /** The newest events stay, emptied of text, since the reason to stop is in them. */
  private keepLast(events: Buffer): void {
    const reasons = [...events.toString('latin1').matchAll(FINISH)].map((match) => match[0]);
    if (reasons.length > 0) this.parts.push(Buffer.from(reasons.join('')));
  }
}

const FOLD_BYTES = 1_048_576;

function textOf(events: string): string {
  let text = '';
  for (const match of events.matchAll(TEXTS)) {
    const escaped = match[1] ?? '';
    text += escaped.includes('\\') ? (JSON.parse(`"${escaped}"`) as string) : escaped;
  }
  return text;
}
