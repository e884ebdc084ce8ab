import { changesText } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { PLACEHOLDER, type Vault } from './mask.js';
import { mayHoldValues } from './scan.js';
import { beginningOfPlaceholder, StreamScanner } from './stream.js';

/** A range of the tokens' text, and what the client reads instead. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/** A token with the place in the text at which it begins. */
interface Placed {
  readonly entry: JsonObject;
  readonly token: string;
  readonly start: number;
}

/** What only a placeholder or a piece of one holds. */
const PIECE_OF_PLACEHOLDER = /\[\[|GW_|\]\]/;

/**
 * The log probabilities of a text's tokens, in any pieces, so that they read as the text does. The
 * tokens that touch a placeholder of the client's value, or a value that a policy replaces, become
 * one entry: its token is what the client reads, its bytes are those of that text, its log
 * probability is the sum, and it has no alternatives. Other tokens pass as they are, without the
 * alternatives that hold a piece of a placeholder or what may be a value.
 */
export class TokenRun {
  private readonly scanner: StreamScanner;
  private waiting: Placed[] = [];
  private edits: Edit[] = [];
  /** The text from `heldFrom` on, in which a placeholder may not have ended yet. */
  private held = '';
  private heldFrom = 0;
  private length = 0;
  private readonly replaces: boolean;

  constructor(
    private readonly modes: FirewallModes,
    private readonly vault: Vault,
  ) {
    this.replaces = changesText(modes);
    const edit = (start: number, end: number, instead: string) => {
      this.edits.push({ start, end, instead });
    };
    this.scanner = new StreamScanner(modes, vault, 'plain', undefined, edit);
  }

  /** The entries that may be emitted now. */
  push(entry: JsonObject): JsonObject[] {
    const token = typeof entry.token === 'string' ? entry.token : '';
    this.waiting.push({ entry, token, start: this.length });
    this.length += token.length;
    this.held += token;
    if (this.replaces) this.scanner.push(token);
    this.settlePlaceholders(beginningOfPlaceholder(this.held));
    return this.release(Math.min(this.scanner.settled, this.heldFrom));
  }

  /** What was held back; the text has ended. */
  flush(): JsonObject[] {
    if (this.replaces) this.scanner.flush();
    this.settlePlaceholders(this.held.length);
    return this.release(this.length);
  }

  private settlePlaceholders(end: number): void {
    for (const { 0: placeholder, index } of this.held.slice(0, end).matchAll(PLACEHOLDER)) {
      const instead = this.vault.valueOf(placeholder);
      if (instead === undefined) continue;
      const start = this.heldFrom + index;
      this.edits.push({ start, end: start + placeholder.length, instead });
    }
    this.heldFrom += end;
    this.held = this.held.slice(end);
  }

  /** Entries whose text ends at a settled place; what belongs together leaves together. */
  private release(settled: number): JsonObject[] {
    this.edits.sort((left, right) => left.start - right.start);
    const released: JsonObject[] = [];
    let taken = 0;
    while (taken < this.waiting.length) {
      const run = this.runFrom(taken);
      if (run.end > settled) break;
      if (run.edits.length > 0) released.push(joined(run));
      else for (const token of run.tokens) released.push(this.passed(token));
      taken += run.tokens.length;
      this.edits.splice(0, run.edits.length);
    }
    this.waiting = this.waiting.slice(taken);
    return released;
  }

  /** The token at an index, with those that share an edit with it, and their edits. */
  private runFrom(index: number): Run {
    const tokens: Placed[] = [];
    const edits: Edit[] = [];
    let end = this.waiting[index]?.start ?? 0;
    for (let next = this.waiting[index]; next; next = this.waiting[index + tokens.length]) {
      const last = edits.at(-1);
      if (tokens.length > 0 && (!last || next.start >= last.end)) break;
      tokens.push(next);
      end = next.start + next.token.length;
      for (let edit = this.edits[edits.length]; edit && edit.start < end; ) {
        edits.push(edit);
        edit = this.edits[edits.length];
      }
    }
    return { tokens, edits, end: Math.max(end, edits.at(-1)?.end ?? end) };
  }

  private readonly passed = ({ entry }: Placed): JsonObject => {
    const { top_logprobs: alternatives } = entry;
    if (!Array.isArray(alternatives)) return entry;
    const fit = alternatives.filter((alternative) => this.mayBeShown(asObject(alternative)?.token));
    return fit.length === alternatives.length ? entry : { ...entry, top_logprobs: fit };
  };

  private mayBeShown(token: unknown): boolean {
    if (typeof token !== 'string') return true;
    if (!this.vault.isEmpty && PIECE_OF_PLACEHOLDER.test(token)) return false;
    return !this.replaces || !mayHoldValues(token, this.modes);
  }
}

/** Neighbouring tokens with the edits inside of them, and where the last of both ends. */
interface Run {
  readonly tokens: readonly Placed[];
  readonly edits: readonly Edit[];
  readonly end: number;
}

function joined({ tokens, edits }: Run): JsonObject {
  const offset = tokens[0]?.start ?? 0;
  const text = tokens.map(({ token }) => token).join('');
  let written = '';
  let from = 0;
  for (const { start, end, instead } of edits) {
    written += text.slice(from, Math.max(from, start - offset)) + instead;
    from = Math.max(from, end - offset);
  }
  written += text.slice(from);
  return {
    ...tokens[0]?.entry,
    token: written,
    bytes: [...Buffer.from(written)],
    logprob: tokens.reduce((sum, { entry }) => sum + (Number(entry.logprob) || 0), 0),
    top_logprobs: [],
  };
}
