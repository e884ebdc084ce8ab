import type { Fault } from '../../kernel/errors/fail.js';
import { BUILT_IN_CLASSES } from '../../kernel/firewall/modes.js';
import {
  OWN_CLASS_BOUNDS,
  type OwnClassRule,
  patternFault,
} from '../../kernel/firewall/own-classes.js';
import { isFindable } from '../../kernel/firewall/own-words.js';

/** Where the classes stand in the REST body. */
const PATH = 'firewall_custom';
const NAME = /^[a-z]+(?:_[a-z]+)*$/;

function outOfRange(path: string, says: string): Fault {
  return { path, code: 'out_of_range', message: `${path} ${says}` };
}

function invalid(path: string, says: string): Fault {
  return { path, code: 'invalid', message: `${path} ${says}` };
}

/** Every fault of the classes that a policy defines: each name, word and pattern by its place. */
export function ownClassFaults(classes: readonly OwnClassRule[]): Fault[] {
  const { classes: most, wordsTogether, patternsTogether } = OWN_CLASS_BOUNDS;
  if (classes.length > most) return [outOfRange(PATH, `has at most ${most} classes.`)];
  const words = classes.reduce((sum, rule) => sum + rule.words.length, 0);
  const patterns = classes.reduce((sum, rule) => sum + rule.patterns.length, 0);
  const bounds = `${wordsTogether} words and ${patternsTogether} patterns`;
  const tooMany =
    words > wordsTogether || patterns > patternsTogether
      ? [outOfRange(PATH, `has at most ${bounds} in all its classes together.`)]
      : [];
  const faults = classes.flatMap((rule, index) => {
    const path = `${PATH}.${index}`;
    const isRepeated = classes.findIndex(({ name }) => name === rule.name) !== index;
    return [...nameFaults(`${path}.name`, rule.name, isRepeated), ...contentFaults(path, rule)];
  });
  return [...tooMany, ...faults];
}

function nameFaults(path: string, name: string, isRepeated: boolean): Fault[] {
  const { nameLength } = OWN_CLASS_BOUNDS;
  if (name.length > nameLength || !NAME.test(name)) {
    const form = `has 1 to ${nameLength} lower-case Latin letters, in words joined by _.`;
    return [invalid(path, form)];
  }
  if (BUILT_IN_CLASSES.has(name)) {
    return [invalid(path, `is ${name}, a class of the firewall: set its mode under firewall.`)];
  }
  return isRepeated ? [invalid(path, `is ${name} a second time in this policy.`)] : [];
}

function contentFaults(path: string, { words, patterns }: OwnClassRule): Fault[] {
  const bounds = OWN_CLASS_BOUNDS;
  if (words.length + patterns.length === 0) {
    return [invalid(path, 'needs at least one word or pattern.')];
  }
  if (words.length > bounds.words || patterns.length > bounds.patterns) {
    const most = `at most ${bounds.words} words and ${bounds.patterns} patterns.`;
    return [outOfRange(path, `has ${most}`)];
  }
  return [
    ...words.flatMap((word, index) => wordFaults(`${path}.words.${index}`, word)),
    ...patterns.flatMap((each, index) => patternFaults(`${path}.patterns.${index}`, each)),
  ];
}

function wordFaults(path: string, word: string): Fault[] {
  const { wordLength } = OWN_CLASS_BOUNDS;
  const length = word.trim().length;
  if (length < 2 || length > wordLength) {
    return [outOfRange(path, `has 2 to ${wordLength} characters.`)];
  }
  return isFindable(word) ? [] : [invalid(path, 'has neither a letter nor a digit.')];
}

function patternFaults(path: string, pattern: string): Fault[] {
  const { patternLength } = OWN_CLASS_BOUNDS;
  if (pattern.length === 0 || pattern.length > patternLength) {
    return [outOfRange(path, `has 1 to ${patternLength} characters.`)];
  }
  const fault = patternFault(pattern);
  return fault === undefined ? [] : [invalid(path, `${fault}.`)];
}
