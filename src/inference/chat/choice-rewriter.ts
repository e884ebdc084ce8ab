import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { ANSWER_REFERENCES, AnswerWalk, TOKEN_LISTS } from '../firewall/answer-texts.js';
import { BINARY_MEMBERS } from '../firewall/encoded-text.js';
import type { Vault } from '../firewall/mask.js';
import { changedMembers } from '../firewall/rewrite.js';
import { AnswerPipe, type ScanReport, StreamUnmasker } from '../firewall/stream.js';
import { TokenRun } from '../firewall/token-run.js';

/** A step into a delta: a member, or the element of a list by its own `index`. */
type Step =
  | { readonly member: string }
  | { readonly index: number }
  /** The next element of a list whose elements have no index, and what kind it says it is. */
  | { readonly next: JsonObject };

/** The text of one place of a delta, whose pieces clients put together. */
interface PlacedPipe {
  readonly pipe: Pick<AnswerPipe, 'push' | 'flush'>;
  readonly place: readonly Step[];
}

/** Texts that the next element of a list continues where the elements have no index … */
const CONTINUED = new Set(['text', 'thinking', 'content', 'refusal', 'summary']);
/** … in these members of a delta. The elements of other lists are whole. */
const CONTINUED_IN =
  /^\/(?:content|refusal|reasoning|reasoning_content|reasoning_details|thinking|thinking_blocks)\//;
const BASE64 = /^[\w+/=-]*$/;

/**
 * One choice of a stream. Every text of its deltas, at any depth, is a text in pieces: it passes
 * scanner and unmasker, and what they hold back follows with a later piece or with the end.
 */
export class ChoiceRewriter {
  private readonly pipes = new Map<string, PlacedPipe>();
  private readonly tokens = new Map<string, TokenRun>();
  private readonly whole: AnswerWalk;

  constructor(
    private readonly modes: FirewallModes,
    private readonly vault: Vault,
    private readonly report: ScanReport,
  ) {
    this.whole = new AnswerWalk(modes, vault, report);
  }

  /** A chunk's choice as it may leave now. */
  push(choice: JsonObject): JsonObject {
    return changedMembers(choice, this.whole.name, (name, value) => {
      if (name === 'delta') return this.delta(value);
      if (name === 'logprobs') return this.logprobs(value);
      return this.whole.value(name, value);
    }) as JsonObject;
  }

  /** The choice with all that is still held back; undefined where that is nothing. */
  flush(choice: JsonObject): JsonObject | undefined {
    let delta: unknown = choice.delta;
    for (const { pipe, place } of this.pipes.values()) {
      const text = pipe.flush();
      if (text !== '') delta = appended(delta, place, text);
    }
    this.pipes.clear();
    let logprobs = choice.logprobs;
    for (const [list, run] of this.tokens) {
      const rest = run.flush();
      if (rest.length > 0) logprobs = withEntries(logprobs, list, rest);
    }
    this.tokens.clear();
    if (delta === choice.delta && logprobs === choice.logprobs) return undefined;
    return { ...choice, delta, ...(logprobs === undefined ? {} : { logprobs }) };
  }

  private delta(value: unknown): unknown {
    const given = asObject(value);
    return given ? this.object(given, [], '', false) : value;
  }

  private object(given: JsonObject, place: readonly Step[], path: string, isNext: boolean) {
    let shown = '';
    const renamed = (name: string) => {
      shown = this.whole.name(name);
      return shown;
    };
    return changedMembers(given, renamed, (name, value) =>
      this.value(name, value, [...place, { member: shown }], `${path}/${name}`, isNext),
    );
  }

  /** `isNext` says that the value stands in a list whose elements have no index. */
  private value(
    name: string,
    value: unknown,
    place: readonly Step[],
    path: string,
    isNext: boolean,
  ): unknown {
    if (typeof value === 'string') {
      if (BINARY_MEMBERS.has(name) && BASE64.test(value)) return value;
      const isWhole = isNext && !(CONTINUED.has(name) && CONTINUED_IN.test(path));
      if (isWhole) return this.whole.value(name, value);
      return this.pipe(name, place, path).push(value);
    }
    if (Array.isArray(value)) {
      return value.map((element) => this.element(name, element, place, path, isNext));
    }
    const given = asObject(value);
    if (!given) return value;
    if (name === 'arguments') return this.whole.value(name, value);
    return this.object(given, place, path, isNext);
  }

  private element(
    name: string,
    element: unknown,
    place: readonly Step[],
    path: string,
    isNext: boolean,
  ): unknown {
    const given = asObject(element);
    if (!given) return this.whole.value(name, element);
    if (typeof given.index === 'number') {
      return this.object(
        given,
        [...place, { index: given.index }],
        `${path}/${given.index}`,
        isNext,
      );
    }
    const kind = typeof given.type === 'string' ? { type: given.type } : {};
    // The calls of tools have an index in every provider that streams them in pieces.
    if (name === 'tool_calls')
      return this.object(given, [...place, { index: 0 }], `${path}/0`, false);
    return this.object(given, [...place, { next: kind }], `${path}/*${kind.type ?? ''}`, true);
  }

  private pipe(name: string, place: readonly Step[], path: string): PlacedPipe['pipe'] {
    const known = this.pipes.get(path);
    if (known) return known.pipe;
    const encoding = name === 'arguments' ? 'json' : 'plain';
    const pipe = ANSWER_REFERENCES.has(name)
      ? new StreamUnmasker(this.vault)
      : new AnswerPipe(this.modes, this.vault, encoding, this.report);
    this.pipes.set(path, { pipe, place });
    return pipe;
  }

  private logprobs(value: unknown): unknown {
    const given = asObject(value);
    if (!given) return value;
    const lists = TOKEN_LISTS.filter((name) => name in given).map((name) => {
      const entries = given[name];
      if (!Array.isArray(entries)) return [name, null];
      const run = this.tokens.get(name) ?? new TokenRun(this.modes, this.vault);
      this.tokens.set(name, run);
      return [name, entries.flatMap((entry) => run.push(asObject(entry) ?? {}))];
    });
    return Object.fromEntries(lists);
  }
}

/** The value with a text added at a place of it. */
function appended(value: unknown, place: readonly Step[], text: string): unknown {
  const [step, ...inner] = place;
  if (!step) return `${typeof value === 'string' ? value : ''}${text}`;
  if ('member' in step) {
    const given = asObject(value);
    return { ...given, [step.member]: appended(given?.[step.member], inner, text) };
  }
  const begun = 'index' in step ? { index: step.index } : step.next;
  return [...(Array.isArray(value) ? value : []), appended(begun, inner, text)];
}

function withEntries(logprobs: unknown, list: string, entries: readonly JsonObject[]): JsonObject {
  const given = asObject(logprobs) ?? { content: null, refusal: null };
  const before = given[list];
  return { ...given, [list]: [...(Array.isArray(before) ? before : []), ...entries] };
}
