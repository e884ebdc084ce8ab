import { changesText } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { decodedAt } from './decoded.js';
import { type Encoding, unmaskText, type Vault } from './mask.js';
import { changedEach, changedMembers } from './rewrite.js';
import { mayHoldValues } from './scan.js';
import type { ScanReport } from './stream.js';
import { AnswerPipe } from './stream.js';
import { TokenRun } from './token-run.js';

/**
 * Members of an answer that refer to something or stand for themselves. The client's own values
 * come back in them; what a policy masks in texts is not looked for.
 */
export const ANSWER_REFERENCES: ReadonlySet<string> = new Set(
  (
    'id call_id tool_call_id type role name object format finish_reason native_finish_reason ' +
    'model provider system_fingerprint service_tier'
  ).split(' '),
);

/** The lists of log probabilities that an answer may carry; others are left out when it changes. */
export const TOKEN_LISTS = ['content', 'refusal'] as const;

/** True where an answer cannot pass as it is. */
function changesAnswer(modes: FirewallModes, vault: Vault): boolean {
  return !vault.isEmpty || changesText(modes);
}

/** Rewrites what stands whole in an answer: its texts and names at any depth. */
export class AnswerWalk {
  constructor(
    private readonly modes: FirewallModes,
    private readonly vault: Vault,
    private readonly report: ScanReport,
  ) {}

  /** A whole answer; never mutated, and the answer itself where nothing changes. */
  body<T extends object>(body: T): T {
    return changedMembers(body, this.name, (name, value) => {
      if (name === 'choices') return changedEach(value, (choice) => this.choice(choice));
      return name === 'usage' ? value : this.value(name, value);
    }) as T;
  }

  private choice(choice: unknown): unknown {
    const given = asObject(choice);
    if (!given) return this.value('', choice);
    return changedMembers(given, this.name, (name, value) =>
      name === 'logprobs' ? this.logprobs(value) : this.value(name, value),
    );
  }

  /** Any value, with the name of the member that it stands in. */
  value(name: string, value: unknown): unknown {
    if (typeof value === 'string') return this.text(name, value);
    if (typeof value !== 'object' || value === null) return value;
    if (name === 'arguments') return this.asJson(value);
    if (Array.isArray(value)) return changedEach(value, (element) => this.value(name, element));
    return changedMembers(value as JsonObject, this.name, (inner, member) =>
      this.value(inner, member),
    );
  }

  /** The name of a member, judged like a text. */
  readonly name = (name: string): string =>
    mayHoldValues(name, this.modes) ? this.judged(name, 'plain') : this.restored(name);

  private readonly restored = (text: string): string => unmaskText(text, this.vault);

  private text(name: string, text: string): string {
    if (ANSWER_REFERENCES.has(name)) return this.restored(text);
    if (name === 'arguments') return this.judged(text, 'json');
    const encoded = decodedAt(name, text);
    if (encoded?.kind === 'binary' && !encoded.isReadable) return text;
    return mayHoldValues(text, this.modes) ? this.judged(text, 'plain') : this.restored(text);
  }

  private judged(text: string, encoding: Encoding): string {
    const pipe = new AnswerPipe(this.modes, this.vault, encoding, this.report);
    return pipe.push(text) + pipe.flush();
  }

  /** Arguments that a provider gives as an object are judged as the text that they usually are. */
  private asJson(value: object): unknown {
    const text = JSON.stringify(value);
    const judged = this.judged(text, 'json');
    return judged === text ? value : JSON.parse(judged);
  }

  private logprobs(value: unknown): unknown {
    const given = asObject(value);
    if (!given || !changesAnswer(this.modes, this.vault)) return value;
    const lists = TOKEN_LISTS.filter((name) => name in given).map((name) => {
      const entries = given[name];
      if (!Array.isArray(entries)) return [name, null];
      const run = new TokenRun(this.modes, this.vault);
      const read = entries.flatMap((entry) => run.push(asObject(entry) ?? {}));
      return [name, [...read, ...run.flush()]];
    });
    return Object.fromEntries(lists);
  }
}
