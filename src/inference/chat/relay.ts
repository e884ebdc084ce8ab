import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { Encoding, Vault } from '../firewall/mask.js';
import { ScanReport, StreamScanner, StreamUnmasker } from '../firewall/stream.js';
import type { FirewallOut } from '../stages/firewall-out.js';
import { parseEvents, writeEvent } from './event-text.js';
import { foundBy } from './said.js';

/** What happens to events between provider and client. */
export interface Relay {
  /** Events as they may be written now; empty when all of it waits. */
  push(events: Buffer): Buffer;
  /** What was held back; the stream has ended. */
  flush(): Buffer;
}

const NOTHING = Buffer.alloc(0);

const MODEL = '"model"';
const NAMED = /^"model"\s*:\s*"(?:[^"\\]|\\.)*"/;
const NAME_BYTES_MAX = 1_024;

/** Passes events as bytes, with the public name of the model in place of the provider's own. */
export class PassingRelay implements Relay {
  private found = '';
  private readonly replacement: string;

  constructor(publicModel: string) {
    this.replacement = `"model":${JSON.stringify(publicModel)}`;
  }

  push(events: Buffer): Buffer {
    // The first chunk of some providers names no model, or an empty one.
    const known = this.found && events.includes(this.found, 0, 'latin1');
    if (!known) this.found = this.nameIn(events);
    if (this.found === this.replacement || this.found === '') return events;
    const text = events.toString('latin1');
    return Buffer.from(text.replaceAll(this.found, this.latinReplacement()), 'latin1');
  }

  flush(): Buffer {
    return NOTHING;
  }

  /** The member as the provider writes it; empty where its events do not name a model. */
  private nameIn(events: Buffer): string {
    for (let at = events.indexOf(MODEL); at >= 0; at = events.indexOf(MODEL, at + 1)) {
      const found = NAMED.exec(events.toString('latin1', at, at + NAME_BYTES_MAX))?.[0];
      if (found !== undefined) return found;
    }
    return '';
  }

  private latinReplacement(): string {
    return Buffer.from(this.replacement).toString('latin1');
  }
}

/** One text of a stream on its way through scanner and unmasker. */
class TextPipe {
  private readonly scanner: StreamScanner;
  private readonly unmasker: StreamUnmasker;

  constructor(modes: FirewallModes, vault: Vault, encoding: Encoding, report: ScanReport) {
    this.scanner = new StreamScanner(modes, vault, encoding, report);
    this.unmasker = new StreamUnmasker(vault, encoding);
  }

  push(text: string): string {
    return this.unmasker.push(this.scanner.push(text));
  }

  flush(): string {
    return this.unmasker.push(this.scanner.flush()) + this.unmasker.flush();
  }
}

type Pipes = Map<string, { readonly pipe: TextPipe; readonly place: Place }>;

/** Which text of a chunk a pipe belongs to. */
interface Place {
  readonly choice: number;
  readonly field: 'content' | 'refusal' | 'arguments';
  readonly toolCall: number;
}

/** Rewrites events: the client's own values come back, what a policy forbids is masked. */
export class MaskingRelay implements Relay {
  private readonly report = new ScanReport();
  private readonly pipes: Pipes = new Map();
  private frame: JsonObject = {};

  constructor(
    private readonly publicModel: string,
    private readonly modes: FirewallModes,
    private readonly vault: Vault,
  ) {}

  push(events: Buffer): Buffer {
    return Buffer.concat(parseEvents(events).map((chunk) => writeEvent(this.rewrite(chunk))));
  }

  /** What was found on the way. */
  found(): FirewallOut {
    return foundBy(this.report);
  }

  flush(): Buffer {
    const rest = [...this.pipes.values()].flatMap(({ pipe, place }) => {
      const text = pipe.flush();
      return text === '' ? [] : [writeEvent({ ...this.frame, choices: [choiceOf(place, text)] })];
    });
    this.pipes.clear();
    return Buffer.concat(rest);
  }

  private rewrite(chunk: JsonObject): JsonObject {
    const { choices, usage, ...frame } = chunk;
    const usageMember = usage === undefined ? {} : { usage: null };
    this.frame = { ...frame, model: this.publicModel, ...usageMember };
    if (!Array.isArray(choices)) return { ...chunk, model: this.publicModel };
    const rewritten = choices.map((choice) => this.rewriteChoice(asObject(choice) ?? {}));
    return { ...chunk, model: this.publicModel, choices: rewritten };
  }

  private rewriteChoice(choice: JsonObject): JsonObject {
    const number = typeof choice.index === 'number' ? choice.index : 0;
    const delta = { ...asObject(choice.delta) };
    for (const field of ['content', 'refusal'] as const) {
      const text = delta[field];
      const place: Place = { choice: number, field, toolCall: 0 };
      if (typeof text === 'string') delta[field] = this.pipe(place).push(text);
    }
    if (Array.isArray(delta.tool_calls)) {
      delta.tool_calls = delta.tool_calls.map((part) => this.rewriteCall(number, asObject(part)));
    }
    const ended = typeof choice.finish_reason === 'string';
    return { ...choice, delta: ended ? this.withRest(number, delta) : delta };
  }

  private rewriteCall(choice: number, part: JsonObject | undefined): unknown {
    const called = asObject(part?.function);
    if (!part || typeof called?.arguments !== 'string') return part;
    const toolCall = typeof part.index === 'number' ? part.index : 0;
    const text = this.pipe({ choice, field: 'arguments', toolCall }).push(called.arguments);
    return { ...part, function: { ...called, arguments: text } };
  }

  /** The last chunk of a choice takes along what its texts still hold back. */
  private withRest(choice: number, delta: JsonObject): JsonObject {
    let rest: JsonObject = delta;
    for (const [key, { pipe, place }] of this.pipes) {
      if (place.choice !== choice) continue;
      const text = pipe.flush();
      this.pipes.delete(key);
      if (text !== '') rest = mergedDelta(rest, place, text);
    }
    return rest;
  }

  private pipe(place: Place): TextPipe {
    const key = `${place.choice}/${place.field}/${place.toolCall}`;
    const known = this.pipes.get(key);
    if (known) return known.pipe;
    const encoding = place.field === 'arguments' ? 'json' : 'plain';
    const pipe = new TextPipe(this.modes, this.vault, encoding, this.report);
    this.pipes.set(key, { pipe, place });
    return pipe;
  }
}

function choiceOf(place: Place, text: string): JsonObject {
  return { index: place.choice, delta: mergedDelta({}, place, text), finish_reason: null };
}

function mergedDelta(delta: JsonObject, place: Place, text: string): JsonObject {
  if (place.field !== 'arguments') {
    return { ...delta, [place.field]: `${delta[place.field] ?? ''}${text}` };
  }
  const calls = (delta.tool_calls ?? []) as JsonObject[];
  const rest = { index: place.toolCall, function: { arguments: text } };
  return { ...delta, tool_calls: [...calls, rest] };
}
