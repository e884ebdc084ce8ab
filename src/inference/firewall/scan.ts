import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { detectBank } from './detectors/bank.js';
import { detectContact } from './detectors/contact.js';
import { detectInjection } from './detectors/injection.js';
import { detectRussian } from './detectors/russian.js';
import { detectSecrets } from './detectors/secrets.js';
import { DigitGroups } from './digit-groups.js';
import { disjoint, type Finding } from './finding.js';
import { SIGNAL, signalsOf } from './prefilter.js';

const NOTHING: readonly Finding[] = Object.freeze([]);

/** What a detector of values looks for; markers of injection are no values. */
const TELLING = SIGNAL.digits | SIGNAL.at | SIGNAL.secret;

/** False is a proof that `scan` finds no value in a text, whatever its modes, nor in any part. */
export function mayHoldValues(text: string): boolean {
  return (signalsOf(text) & TELLING) !== 0;
}

/**
 * Every finding in a text whose class is not off, ordered and disjoint. The time is linear in the
 * length of the text; a text without long numbers, `@` or marker words costs one pass over it.
 */
export function scan(text: string, modes: FirewallModes): readonly Finding[] {
  const signals = signalsOf(text);
  if (signals === 0) return NOTHING;
  const found: Finding[][] = [];
  if (signals & SIGNAL.digits) {
    const groups = new DigitGroups(text);
    found.push(detectRussian(text, groups), detectBank(text, groups), detectContact(text, groups));
  } else if (signals & SIGNAL.at) found.push(detectContact(text));
  if (signals & (SIGNAL.secret | SIGNAL.at)) found.push(detectSecrets(text));
  if (signals & SIGNAL.injection && modes.prompt_injection !== 'off') {
    found.push(detectInjection(text));
  }
  const wanted = found.flat().filter((finding) => modes[finding.class] !== 'off');
  return wanted.length === 0 ? NOTHING : disjoint(wanted);
}
