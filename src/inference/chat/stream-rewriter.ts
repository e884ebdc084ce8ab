import { looksForNothing, withoutInjection } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { AnswerWalk } from '../firewall/answer-texts.js';
import type { FirewallOut } from '../firewall/inspect.js';
import type { Vault } from '../firewall/mask.js';
import { mayHoldValues, scan } from '../firewall/scan.js';
import { ScanReport } from '../firewall/stream.js';
import { ChoiceRewriter } from './choice-rewriter.js';
import { parseEvents, writeEvent } from './event-text.js';

const NOTHING = Buffer.alloc(0);

const MODEL = '"model"';
const NAMED = /^"model"\s*:\s*"(?:[^"\\]|\\.)*"/;
const NAME_BYTES_MAX = 1_024;

/** Passes events as bytes, with the public name of the model in place of the provider's own. */
export class PassthroughRewriter {
  private found = '';
  private readonly replacement: string;

  constructor(publicModel: string) {
    this.replacement = `"model":${JSON.stringify(publicModel)}`;
  }

  /** The same events with the public name. */
  push(events: Buffer): Buffer {
    // The first chunk of some providers names no model, or an empty one.
    const known = this.found && events.includes(this.found, 0, 'latin1');
    if (!known) this.found = this.nameIn(events);
    if (this.found === this.replacement || this.found === '') return events;
    const text = events.toString('latin1');
    return Buffer.from(text.replaceAll(this.found, this.latinReplacement()), 'latin1');
  }

  /** Nothing: it holds nothing back. */
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

/** Rewrites events: the client's own values come back, what a policy forbids is masked. */
export class MaskingRewriter {
  private readonly report = new ScanReport();
  private readonly whole: AnswerWalk;
  private readonly choices = new Map<number, ChoiceRewriter>();
  private frame: JsonObject = {};

  constructor(
    private readonly publicModel: string,
    private readonly modes: FirewallModes,
    private readonly vault: Vault,
  ) {
    this.whole = new AnswerWalk(modes, vault, this.report);
  }

  /** Events as they may be written now; empty when all of it waits. */
  push(events: Buffer): Buffer {
    return Buffer.concat(parseEvents(events).map((chunk) => writeEvent(this.rewrite(chunk))));
  }

  /** What was found on the way. */
  found(): FirewallOut {
    return foundBy(this.report);
  }

  /** What was held back; the stream has ended. */
  flush(): Buffer {
    const rest = [...this.choices].flatMap(([index, rewriter]) => {
      const members = rewriter.flush({ index, delta: {}, finish_reason: null });
      return members ? [writeEvent({ ...this.frame, choices: [members] })] : [];
    });
    this.choices.clear();
    return Buffer.concat(rest);
  }

  private rewrite(chunk: JsonObject): JsonObject {
    const { choices, usage, ...rest } = chunk;
    const frame = { ...this.whole.body(rest), model: this.publicModel };
    this.frame = { ...frame, ...(usage === undefined ? {} : { usage: null }) };
    const stated = usage === undefined ? {} : { usage };
    if (!Array.isArray(choices)) return { ...chunk, ...frame };
    const rewritten = choices.map((choice) => this.rewriteChoice(asObject(choice) ?? {}));
    return { ...frame, choices: rewritten, ...stated };
  }

  private rewriteChoice(choice: JsonObject): JsonObject {
    const index = typeof choice.index === 'number' ? choice.index : 0;
    const rewriter =
      this.choices.get(index) ?? new ChoiceRewriter(this.modes, this.vault, this.report);
    this.choices.set(index, rewriter);
    const rewritten = rewriter.push(choice);
    if (typeof choice.finish_reason !== 'string') return rewritten;
    this.choices.delete(index);
    // The last chunk of a choice takes along what its texts still hold back.
    return rewriter.flush(rewritten) ?? rewritten;
  }
}

const NOTHING_FOUND: FirewallOut = { findings: [], masked: [] };

/** Counts what stands in a text that has passed; as it is there whole, it is looked at once. */
export function scanSaid(text: string, modes: FirewallModes, vault: Vault): FirewallOut {
  const wanted = withoutInjection(modes);
  if (looksForNothing(wanted) || !mayHoldValues(text, wanted)) return NOTHING_FOUND;
  const report = new ScanReport();
  for (const { class: code, confidence, start, end } of scan(text, wanted)) {
    if (!vault.owns(code, text.slice(start, end))) report.tally.add(code, confidence);
  }
  return foundBy(report);
}

/** A report as receipts show it. */
function foundBy(report: ScanReport): FirewallOut {
  const masked = [...report.masked].map(([code, count]) => ({ class: code, count }));
  return { findings: report.tally.counts(), masked };
}
