import { ownRulesOf } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { Surroundings } from './context.js';
import { detectAddresses } from './detectors/addresses.js';
import { detectApart } from './detectors/apart.js';
import { detectBank } from './detectors/bank.js';
import { detectContact } from './detectors/contact.js';
import { detectDocuments } from './detectors/documents.js';
import { detectAddressFields, detectAddressValues, detectNameFields } from './detectors/fields.js';
import { detectHandles, detectMentions } from './detectors/handles.js';
import { detectInjection } from './detectors/injection.js';
import { detectNamedSecrets } from './detectors/named-secrets.js';
import { detectBirths, detectNames } from './detectors/persons.js';
import { detectRussian } from './detectors/russian.js';
import { detectSecrets } from './detectors/secrets.js';
import { detectSpacedEmails, detectSpeltEmails } from './detectors/spelt-email.js';
import { detectTables } from './detectors/tables.js';
import { detectVehicles } from './detectors/vehicles.js';
import { DigitGroups } from './digit-groups.js';
import { disjoint, type Finding, withOwnFindings } from './finding.js';
import { hasSpelling } from './json-text.js';
import { hasEmphasis, PlainView } from './plain-view.js';
import { signalsOf } from './prefilter/prefilter.js';
import { SIGNAL } from './prefilter/signals.js';

const NOTHING: readonly Finding[] = Object.freeze([]);

/** Signals that say how a text is written and not what may stand in it. */
const MANNERS = SIGNAL.hidden | SIGNAL.typeset;
/** Without any other signal a text is not looked at. */
const TELLS_NOTHING = SIGNAL.typeset | SIGNAL.digit;
/** What no detector of values looks for; markers of injection are no values. */
const NO_VALUE = SIGNAL.injection | TELLS_NOTHING;

/** Beside one of these, fields that are called so hold the name of a person. */
const OF_PERSON: ReadonlySet<string> = new Set(['passport', 'birth_date', 'driving_licence']);

/** False is a proof that `scan` finds no value in a text under these modes, nor in any part. */
export function mayHoldValues(text: string, modes: FirewallModes): boolean {
  return (signalsOf(text) & ~NO_VALUE) !== 0 || ownRulesOf(modes) !== undefined;
}

/**
 * What `scan` may find in a text under these modes, however it is spelled: nothing; nothing by
 * itself, though it has digits that a neighbour may give a word; or something.
 */
export function glance(text: string, modes: FirewallModes): 'nothing' | 'digits' | 'something' {
  const signals = signalsOf(text);
  const isPlain = (signals & ~TELLS_NOTHING) === 0 && ownRulesOf(modes) === undefined;
  if (!isPlain || hasSpelling(text)) return 'something';
  return signals & SIGNAL.digit ? 'digits' : 'nothing';
}

/** False proves that a text costs one pass over it: detectors look at none of its places. */
export function isLookedAt(text: string, modes: FirewallModes): boolean {
  return glance(text, modes) === 'something';
}

/**
 * Every finding in a text whose class is not off, ordered and disjoint. The time is linear in the
 * length of the text; a text without long numbers, `@` or marker words costs one pass over it.
 * Invisible characters, foreign digits and typeset spaces are judged as their plain forms.
 */
export function scan(text: string, modes: FirewallModes): readonly Finding[] {
  const signals = signalsOf(text);
  const own = ownRulesOf(modes);
  if ((signals & ~TELLS_NOTHING) === 0 && !own) return NOTHING;
  const isNumbered = (signals & (SIGNAL.digits | SIGNAL.document)) !== 0;
  const isPlain = (signals & MANNERS) === 0 && !(isNumbered && hasEmphasis(text));
  if (isPlain) return judged(text, signals, modes);
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
  const words = new Surroundings(text);
  if (signals & (SIGNAL.digits | SIGNAL.document)) found.push(...byNumbers(words, signals));
  else if (signals & SIGNAL.at) found.push(detectContact(text));
  if (found.some((each) => each.some(({ class: code }) => OF_PERSON.has(code)))) {
    found.push(detectNameFields(text));
  }
  if (signals & SIGNAL.address && signals & SIGNAL.digit) {
    found.push(detectAddressFields(text), detectAddressValues(text));
  }
  if (signals & SIGNAL.name && modes.person_name !== 'off') found.push(detectNames(text));
  if (signals & (SIGNAL.plate | SIGNAL.document)) found.push(detectVehicles(text, words));
  if (signals & SIGNAL.spelt) found.push(detectSpeltEmails(text));
  if (signals & SIGNAL.at) found.push(detectSpacedEmails(text), detectMentions(text));
  if (signals & SIGNAL.handle && modes.messenger_handle !== 'off') found.push(detectHandles(text));
  if (signals & SIGNAL.address && modes.postal_address !== 'off') found.push(detectAddresses(text));
  if (signals & (SIGNAL.secret | SIGNAL.at)) found.push(detectSecrets(text));
  if (signals & SIGNAL.secret && signals & SIGNAL.digit) found.push(detectNamedSecrets(text));
  if (signals & SIGNAL.injection && modes.prompt_injection !== 'off') {
    found.push(detectInjection(text));
  }
  return found.flat();
}

function byNumbers(words: Surroundings, signals: number): Finding[][] {
  const { text } = words;
  const groups = new DigitGroups(text, words);
  const births = signals & SIGNAL.document ? [detectBirths(text)] : [];
  return [
    ...births,
    detectDocuments(text, groups),
    signals & SIGNAL.document ? detectApart(groups) : [],
    signals & SIGNAL.document ? detectTables(text) : [],
    detectRussian(text, groups),
    detectBank(text, groups),
    detectContact(text, groups),
  ];
}
