import { ownRulesOf } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { detectBank } from './detectors/bank.js';
import { detectContact } from './detectors/contact.js';
import { detectDocuments } from './detectors/documents.js';
import { detectInjection } from './detectors/injection.js';
import { detectBirths, detectNames } from './detectors/persons.js';
import { detectRussian } from './detectors/russian.js';
import { detectSecrets } from './detectors/secrets.js';
import { detectSpeltEmails } from './detectors/spelt-email.js';
import { detectVehicles } from './detectors/vehicles.js';
import { DigitGroups } from './digit-groups.js';
import { disjoint, type Finding, withOwnFindings } from './finding.js';
import { PlainView } from './plain-view.js';
import { signalsOf } from './prefilter/prefilter.js';
import { SIGNAL } from './prefilter/signals.js';

const NOTHING: readonly Finding[] = Object.freeze([]);

/** Signals that say how a text is written and not what may stand in it. */
const MANNERS = SIGNAL.hidden | SIGNAL.typeset;
/** What no detector of values looks for; markers of injection are no values. */
const NO_VALUE = SIGNAL.injection | SIGNAL.typeset;

/** False is a proof that `scan` finds no value in a text under these modes, nor in any part. */
export function mayHoldValues(text: string, modes: FirewallModes): boolean {
  return (signalsOf(text) & ~NO_VALUE) !== 0 || ownRulesOf(modes) !== undefined;
}

/**
 * Every finding in a text whose class is not off, ordered and disjoint. The time is linear in the
 * length of the text; a text without long numbers, `@` or marker words costs one pass over it.
 * Invisible characters, foreign digits and typeset spaces are judged as their plain forms.
 */
export function scan(text: string, modes: FirewallModes): readonly Finding[] {
  const signals = signalsOf(text);
  const own = ownRulesOf(modes);
  if ((signals & ~SIGNAL.typeset) === 0 && !own) return NOTHING;
  if ((signals & MANNERS) === 0) return judged(text, signals, modes);
  const plain = new PlainView(text);
  const seen = signals & SIGNAL.hidden ? signalsOf(plain.view) : signals;
  return plain.written(judged(plain.view, seen, modes));
}

function judged(text: string, signals: number, modes: FirewallModes): readonly Finding[] {
  const found = commonFindings(text, signals, modes);
  const wanted = found.filter((finding) => modes[finding.class] !== 'off');
  const common = wanted.length === 0 ? NOTHING : disjoint(wanted, modes);
  const own = (ownRulesOf(modes)?.find(text) ?? [])
    .filter((place) => modes[place.class] !== 'off')
    .map((place): Finding => ({ ...place, confidence: 'confirmed' }));
  return own.length === 0 ? common : withOwnFindings(common, own, modes);
}

function commonFindings(text: string, signals: number, modes: FirewallModes): Finding[] {
  const found: Finding[][] = [];
  if (signals & (SIGNAL.digits | SIGNAL.document)) found.push(...byNumbers(text, signals));
  else if (signals & SIGNAL.at) found.push(detectContact(text));
  if (signals & SIGNAL.name && modes.person_name !== 'off') found.push(detectNames(text));
  if (signals & (SIGNAL.plate | SIGNAL.document)) found.push(detectVehicles(text));
  if (signals & SIGNAL.spelt) found.push(detectSpeltEmails(text));
  if (signals & (SIGNAL.secret | SIGNAL.at)) found.push(detectSecrets(text));
  if (signals & SIGNAL.injection && modes.prompt_injection !== 'off') {
    found.push(detectInjection(text));
  }
  return found.flat();
}

function byNumbers(text: string, signals: number): Finding[][] {
  const groups = new DigitGroups(text);
  const found =
    signals & SIGNAL.document ? [detectDocuments(text, groups), detectBirths(text)] : [];
  return [
    ...found,
    detectRussian(text, groups),
    detectBank(text, groups),
    detectContact(text, groups),
  ];
}
