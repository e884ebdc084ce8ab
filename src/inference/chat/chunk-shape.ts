import { asObject, type JsonObject } from '../../kernel/json.js';
import { parseEvents, writeEvent } from './event-text.js';

/** A list of choices that is empty or begins with an object. */
const CHOICES = /"choices"\s*:\s*\[\s*[{\]]/g;
const USAGE = /"usage"/g;
const EVENT_END = '\n\n';
const CHUNK_END = '}\n\n';
const CHUNK_ENDS = /\}\n\n/g;

/**
 * Gives the chunks of a provider what clients rely on: events that are no chunks are dropped, the
 * first delta of each choice names its role, and where the client asked for usage every chunk has
 * the member. Events that lack nothing pass as the same bytes.
 */
export class ChunkShape {
  private readonly opened = new Set<unknown>();
  private named: JsonObject | undefined;

  /**
   * @param choices how many choices the client asked for
   * @param withUsage whether the client asked for usage
   */
  constructor(
    private readonly choices: number,
    private readonly withUsage: boolean,
  ) {}

  /** The indexes of the choices that have begun. */
  get begunChoices(): readonly unknown[] {
    return [...this.opened];
  }

  /** The members of the first chunk that name the answer, as its last chunks repeat them. */
  get frame(): JsonObject {
    const { id, object, created } = this.named ?? {};
    return { id, object, created };
  }

  /**
   * Whole events as the client may see them; empty when none of them is a chunk.
   * @param first the value of the first event, where it was parsed already
   */
  push(events: Buffer, count: number, first?: unknown): Buffer {
    // Until every choice has begun, one event at a time: in a long run only the first few matter.
    const parts: Buffer[] = [];
    let parsed = asObject(first);
    let at = 0;
    let left = count;
    while (left > 1 && this.opened.size < this.choices) {
      const end = events.indexOf(EVENT_END, at) + EVENT_END.length;
      parts.push(this.shapedEvents(events.subarray(at, end), 1, parsed));
      parsed = undefined;
      at = end;
      left -= 1;
    }
    const rest = this.shapedEvents(at === 0 ? events : events.subarray(at), left, parsed);
    return at === 0 ? rest : Buffer.concat([...parts, rest]);
  }

  /** @param parsed the value of the first event, where it is known */
  private shapedEvents(events: Buffer, count: number, parsed: JsonObject | undefined): Buffer {
    if (this.opened.size >= this.choices) {
      const text = events.toString('latin1');
      const begun = occurrences(text, CHOICES) >= count;
      const stated = this.withUsage ? occurrences(text, USAGE) : count;
      if (begun && stated >= count) return events;
      if (begun && stated === 0 && occurrences(text, CHUNK_ENDS) === count) {
        return withNullUsage(text);
      }
    }
    const given = parsed && count === 1 ? [parsed] : parseEvents(events);
    const shaped = given.map((chunk) => this.shaped(chunk)).filter((chunk) => chunk !== undefined);
    this.named ??= shaped[0];
    const unchanged =
      shaped.length === given.length && shaped.every((one, at) => one === given[at]);
    return unchanged ? events : Buffer.concat(shaped.map(writeEvent));
  }

  private shaped(chunk: JsonObject): JsonObject | undefined {
    if (!Array.isArray(chunk.choices)) return undefined;
    if (!chunk.choices.every((choice) => asObject(choice))) return undefined;
    const choices = chunk.choices.map((choice: unknown) => this.begun(choice));
    const begins = choices.some((choice, at) => choice !== (chunk.choices as unknown[])[at]);
    const lacksUsage = this.withUsage && !('usage' in chunk);
    if (!begins && !lacksUsage) return chunk;
    return { ...chunk, choices, ...(lacksUsage ? { usage: null } : {}) };
  }

  /** A choice whose first delta has a role. */
  private begun(choice: unknown): unknown {
    const given = asObject(choice);
    if (!given || this.opened.has(given.index)) return choice;
    this.opened.add(given.index);
    const delta = asObject(given.delta) ?? {};
    if (typeof delta.role === 'string') return choice;
    return { ...given, delta: { ...delta, role: 'assistant' } };
  }
}

/**
 * The same chunks with the member that they lack. A brace before a blank line closes a chunk: in
 * JSON a line's end stands in no string.
 */
function withNullUsage(text: string): Buffer {
  return Buffer.from(text.replaceAll(CHUNK_END, `,"usage":null${CHUNK_END}`), 'latin1');
}

/** How often a global expression is found: sooner than a text is that begins with a quote. */
function occurrences(text: string, expression: RegExp): number {
  let count = 0;
  expression.lastIndex = 0;
  while (expression.test(text)) count += 1;
  return count;
}
