import { ownRulesOf } from '../../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../../kernel/firewall/vocabulary.js';
import { mayEmbed } from '../embedded.js';
import { BINARY_MEMBERS } from '../encoded-text.js';
import { isLookedAt } from '../scan.js';

/**
 * What is scanned at once, in the thread that serves requests; the rest is scanned apart. In UTF-16
 * units of text at which detectors look: a unit takes up to a microsecond, of a hostile text.
 */
export const AT_ONCE_MAX = 16_384;

/** A text at which no detector looks takes one pass: so many units of it weigh as much as one. */
const LIGHT_UNITS = 64;
/** A shorter text may tell something together with its neighbours. */
const LIGHT_LENGTH_MIN = 1_024;
/** A value, beside its text: where it is joined to its neighbours. */
const VALUE_WEIGHT = 8;
const ADDRESS = /^\s{0,16}data:/i;

/** The same where an organization looks for patterns: a unit then takes up to a millisecond. */
const WITH_PATTERNS_AT_ONCE_MAX = 0;

/** How much text is scanned at once by these modes, in the units of `AT_ONCE_MAX`. */
export function atOnceMax(modes: FirewallModes): number {
  return ownRulesOf(modes)?.hasPatterns ? WITH_PATTERNS_AT_ONCE_MAX : AT_ONCE_MAX;
}

/** Whether the scan of a body, or of any value, is more than a turn of the event loop may take. */
export function isHeavy(value: unknown, modes: FirewallModes): boolean {
  return weightOf(value, modes) > atOnceMax(modes);
}

/** Whether a body is so long that its caller is asked for funds before it is scanned. */
export function isLong(value: unknown, modes: FirewallModes): boolean {
  return weightOf(value, modes) > AT_ONCE_MAX;
}

function weightOf(value: unknown, modes: FirewallModes): number {
  return new Scale(modes).add('', value);
}

/** Weighs values until they are too heavy. */
class Scale {
  private weight = 0;

  constructor(private readonly modes: FirewallModes) {}

  add(name: string, value: unknown): number {
    this.weight += VALUE_WEIGHT;
    if (typeof value === 'string') this.weight += this.weightOf(name, value);
    else if (typeof value === 'object' && value !== null) this.addMembers(name, value);
    return this.weight;
  }

  private addMembers(name: string, value: object): void {
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length && this.weight <= AT_ONCE_MAX; at += 1) {
        this.add(name, value[at]);
      }
      return;
    }
    for (const [inner, member] of Object.entries(value)) {
      if (this.weight > AT_ONCE_MAX) return;
      this.weight += inner.length;
      this.add(inner, member);
    }
  }

  private weightOf(name: string, text: string): number {
    if (text.length < LIGHT_LENGTH_MIN || text.length > AT_ONCE_MAX * LIGHT_UNITS) {
      return text.length;
    }
    // What is encoded tells nothing until it is decoded.
    const isEncoded = BINARY_MEMBERS.has(name) || ADDRESS.test(text) || mayEmbed(text);
    if (isEncoded || isLookedAt(text, this.modes)) return text.length;
    return text.length / LIGHT_UNITS;
  }
}
