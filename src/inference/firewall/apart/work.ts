import { modesWith, ownRulesOf } from '../../../kernel/firewall/modes.js';
import { type OwnClassRule, OwnRules } from '../../../kernel/firewall/own-classes.js';
import type { FirewallModes } from '../../../kernel/firewall/vocabulary.js';
import { MaskingRewriter, scanSaid } from '../../chat/stream-rewriter.js';
import {
  type FirewallOut,
  inspectRequest,
  inspectResponse,
  type RequestInspection,
  type ResponseInspection,
} from '../inspect.js';
import { type PackedVault, Vault } from '../mask.js';
import type { TokenReadings } from '../survey.js';

/** Modes as they are taken to another thread, with what their own classes are made of. */
export interface SentModes {
  readonly modes: FirewallModes;
  readonly rules: readonly OwnClassRule[];
}

/** What is given away to be scanned, all of it plain values. */
export type Work =
  | {
      readonly kind: 'request';
      readonly body: object;
      readonly modes: SentModes;
      readonly readings: TokenReadings;
    }
  | {
      readonly kind: 'answer';
      readonly body: object;
      readonly modes: SentModes;
      readonly vault: PackedVault;
    }
  | {
      readonly kind: 'said';
      readonly text: string;
      readonly modes: SentModes;
      readonly vault: PackedVault;
    }
  | {
      readonly kind: 'begin';
      readonly stream: number;
      readonly model: string;
      readonly modes: SentModes;
      readonly vault: PackedVault;
      /** What the stream has brought until now, of which everything has left already. */
      readonly before: readonly Uint8Array[];
    }
  | { readonly kind: 'events'; readonly stream: number; readonly events: Uint8Array }
  | { readonly kind: 'flush'; readonly stream: number }
  | { readonly kind: 'forget'; readonly stream: number };

/** An inspection of which the body is left out where it is the one that was given. */
export type SentInspection<T extends { readonly body: object }> = Omit<T, 'body' | 'vault'> & {
  readonly body: T['body'] | undefined;
};

/** What comes back, by the kind of the work. */
export interface Results {
  readonly request: SentInspection<RequestInspection<object>> & { readonly vault: PackedVault };
  readonly answer: SentInspection<ResponseInspection<object>>;
  readonly said: FirewallOut;
  readonly begin: undefined;
  readonly events: Uint8Array;
  readonly flush: { readonly events: Uint8Array; readonly found: FirewallOut };
  readonly forget: undefined;
}

/** The same modes, as another thread can take them. */
export function sentModes(modes: FirewallModes): SentModes {
  return { modes: { ...modes }, rules: ownRulesOf(modes)?.rules ?? [] };
}

/** Rules are compiled once for as many policies. */
const RULES_KEPT_MAX = 32;
const compiled = new Map<string, OwnRules>();

function modesOf({ modes, rules }: SentModes): FirewallModes {
  if (rules.length === 0) return modes;
  const key = JSON.stringify(rules);
  const known = compiled.get(key) ?? new OwnRules(rules);
  compiled.delete(key);
  compiled.set(key, known);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= RULES_KEPT_MAX) break;
    compiled.delete(oldest);
  }
  return modesWith(modes, known);
}

function vaultOf(packed: PackedVault): Vault {
  const unpacking = Vault.unpacking(packed);
  for (;;) {
    const { done, value } = unpacking.next();
    if (done) return value;
  }
}

/** What had been read of a stream went with a thread that was ended. */
export class ScanLost extends Error {
  constructor() {
    super('a stream is not known to the thread that scans');
  }
}

const streams = new Map<number, MaskingRewriter>();

function streamOf(number: number): MaskingRewriter {
  const known = streams.get(number);
  if (!known) throw new ScanLost();
  return known;
}

const WAYS: { readonly [K in Work['kind']]: (work: Extract<Work, { kind: K }>) => Results[K] } = {
  request({ body, modes, readings }) {
    const { body: read, vault, ...found } = inspectRequest(body, modesOf(modes), readings);
    return { ...found, body: read === body ? undefined : read, vault: vault.packed() };
  },
  answer({ body, modes, vault }) {
    const { body: read, ...found } = inspectResponse(body, modesOf(modes), vaultOf(vault));
    return { ...found, body: read === body ? undefined : read };
  },
  said: ({ text, modes, vault }) => scanSaid(text, modesOf(modes), vaultOf(vault)),
  begin({ stream, model, modes, vault, before }) {
    const rewriter = new MaskingRewriter(model, modesOf(modes), vaultOf(vault));
    // Where texts are cut depends on them alone: read again, they leave the same state.
    for (const events of before) rewriter.push(Buffer.from(events));
    streams.set(stream, rewriter);
    return undefined;
  },
  events: ({ stream, events }) => streamOf(stream).push(Buffer.from(events)),
  flush({ stream }) {
    const rewriter = streamOf(stream);
    return { events: rewriter.flush(), found: rewriter.found() };
  },
  forget({ stream }) {
    streams.delete(stream);
    return undefined;
  },
};

/** Does the work, in whichever thread this is called. */
export function perform<K extends Work['kind']>(work: Extract<Work, { kind: K }>): Results[K] {
  return WAYS[work.kind as K](work);
}
