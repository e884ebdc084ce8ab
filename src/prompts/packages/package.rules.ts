import type { Fault } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import { type NewPackage, PACKAGE_FIELDS } from './tables.js';

const KEY = /^\s*$|^[A-Za-z0-9][A-Za-z0-9._/-]*$/;

/** Every fault of a new package. */
export function packageFaults(given: NewPackage): Fault[] {
  const what = 'must be letters, digits and . _ / -, not beginning with a mark';
  return [
    ...inputFaults(PACKAGE_FIELDS, given, 'input'),
    ...fits('input.promptKey', KEY.test(given.promptKey), what),
  ];
}
