import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, fits, length, wellFormed } from '../../kernel/errors/faults.js';
import { BUILT_IN_CLASSES } from '../../kernel/firewall/modes.js';
import {
  OWN_CLASS_BOUNDS,
  type OwnClassRule,
  patternFault,
  sizeTogether,
} from '../../kernel/firewall/own-classes.js';
import { isFindable } from '../../kernel/firewall/own-words.js';

const PATH = 'input.firewallCustom';
const NAME = /^[a-z]+(?:_[a-z]+)*$/;

/** Every fault of the classes that a policy defines: each name, word and pattern by its place. */
export function ownClassFaults(classes: readonly OwnClassRule[]): Fault[] {
  const { classes: max, wordsTogether, patternsTogether } = OWN_CLASS_BOUNDS;
  const tooMany = count(PATH, classes, { max }, 'classes');
  if (tooMany.length > 0) return tooMany;
  const words = classes.reduce((sum, rule) => sum + rule.words.length, 0);
  const patterns = classes.reduce((sum, rule) => sum + rule.patterns.length, 0);
  const bounds = `${wordsTogether} words and ${patternsTogether} patterns`;
  const isLarge = words > wordsTogether || patterns > patternsTogether;
  const together = `has at most ${bounds} in all its classes together`;
  const faults = classes.flatMap((rule, index) => {
    const path = `${PATH}.${index}`;
    const isRepeated = classes.findIndex(({ name }) => name === rule.name) !== index;
    return [...nameFaults(`${path}.name`, rule.name, isRepeated), ...contentFaults(path, rule)];
  });
  return [...(isLarge ? [fault(PATH, 'out_of_range', together)] : []), ...faults];
}

/** All patterns of some classes. */
export function patternsOf(classes: readonly OwnClassRule[] = []): readonly string[] {
  return classes.flatMap(({ patterns }) => patterns);
}

/**
 * The fault of patterns that are larger, compiled, than all of an organization may be together:
 * the memory of a scan and its time for a character grow with them. A policy that does not grow
 * stays as it is.
 * @param own the patterns of the policy
 * @param before those that it had
 * @param others those of the other policies of the organization
 */
export function togetherFaults(
  own: readonly string[],
  before: readonly string[],
  others: readonly string[],
): Fault[] {
  const size = sizeTogether(own);
  if (size <= sizeTogether(before)) return [];
  const { patternSizeTogether: max } = OWN_CLASS_BOUNDS;
  const otherSize = sizeTogether(others);
  const what =
    `has patterns of ${size} instructions when compiled; with the ${otherSize} of its other ` +
    `policies an organization has at most ${max}`;
  return size + otherSize <= max ? [] : [fault(PATH, 'out_of_range', what)];
}

function nameFaults(path: string, name: string, isRepeated: boolean): Fault[] {
  const { nameLength } = OWN_CLASS_BOUNDS;
  if (name.length > nameLength || !NAME.test(name)) {
    const form = `has 1 to ${nameLength} lower-case Latin letters, in words joined by _`;
    return [fault(path, 'invalid', form)];
  }
  if (BUILT_IN_CLASSES.has(name)) {
    const what = `is ${name}, a class of the firewall: set its mode under firewall`;
    return [fault(path, 'invalid', what)];
  }
  return fits(path, !isRepeated, `is ${name} a second time in this policy`);
}

function contentFaults(path: string, { words, patterns }: OwnClassRule): Fault[] {
  const bounds = OWN_CLASS_BOUNDS;
  if (words.length + patterns.length === 0) {
    return [fault(path, 'invalid', 'needs at least one word or pattern')];
  }
  if (words.length > bounds.words || patterns.length > bounds.patterns) {
    const most = `has at most ${bounds.words} words and ${bounds.patterns} patterns`;
    return [fault(path, 'out_of_range', most)];
  }
  return [
    ...words.flatMap((word, index) => wordFaults(`${path}.words.${index}`, word)),
    ...patterns.flatMap((each, index) => patternFaults(`${path}.patterns.${index}`, each)),
  ];
}

function wordFaults(path: string, word: string): Fault[] {
  const long = length(path, word.trim(), { min: 2, max: OWN_CLASS_BOUNDS.wordLength });
  if (long.length > 0) return long;
  const isWord = fits(path, isFindable(word), 'has neither a letter nor a digit');
  return [...isWord, ...wellFormed(path, word)];
}

function patternFaults(path: string, pattern: string): Fault[] {
  const max = OWN_CLASS_BOUNDS.patternLength;
  if (pattern.length === 0 || pattern.length > max) {
    return [fault(path, 'out_of_range', `must have 1 to ${max} characters`)];
  }
  const broken = wellFormed(path, pattern);
  if (broken.length > 0) return broken;
  const wrong = patternFault(pattern);
  return fits(path, wrong === undefined, wrong ?? '');
}
