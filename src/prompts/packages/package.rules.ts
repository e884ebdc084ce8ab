import type { Fault } from '../../kernel/errors/fail.js';
import { fault, textFaults } from './faults.js';
import { PROMPT_BOUNDS } from './vocabulary.js';

/** What a new package says of itself. */
export interface NewPackage {
  readonly promptKey: string;
  readonly ownerTeam?: string | null;
  readonly useCase?: string | null;
  readonly contextPolicy?: string | null;
}

const KEY = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;

/** Every fault of a new package, by the names of the REST body. */
export function packageFaults(given: NewPackage): Fault[] {
  const { promptKey, ownerTeam, useCase, contextPolicy } = given;
  const max = PROMPT_BOUNDS.keyChars;
  const isKey = KEY.test(promptKey) && promptKey.length <= max;
  const what = `must be letters, digits and . _ / -, not beginning with a mark, at most ${max}`;
  return [
    ...(isKey ? [] : [fault('prompt_key', 'invalid', what)]),
    ...wordFaults('owner_team', ownerTeam),
    ...wordFaults('use_case', useCase),
    ...wordFaults('context_policy', contextPolicy),
  ];
}

function wordFaults(path: string, word: string | null | undefined): Fault[] {
  if (word == null) return [];
  const max = PROMPT_BOUNDS.nameChars;
  const isFit = word.trim() !== '' && word.length <= max;
  const bounds = fault(path, 'out_of_range', `must have 1 to ${max} characters`);
  return isFit ? textFaults(path, word) : [bounds];
}
