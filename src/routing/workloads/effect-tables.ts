import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  object,
  optional,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { CONTRACT_PARTS, EFFECT_BASES, HISTORY_GAPS } from './contract-vocabulary.js';

const PART = fieldTable('WorkloadPartEffect', 'What one part of a contract would have done.', {
  part: code(CONTRACT_PARTS, 'What the part bounds.'),
  basis: code(EFFECT_BASES, 'What can be said about it.'),
  requests: optional(integer('Requests that it concerns; null where that cannot be known.')),
  savedMicro: optional(money('What it would have saved; null where that cannot be known.')),
  missing: list(code(HISTORY_GAPS, 'A gap.'), 'What the recorded requests lack.'),
});

/** What a contract would have done. */
export const CONTRACT_EFFECT = fieldTable(
  'WorkloadContractEffect',
  'What a contract would have done to the answered chat requests of its workload in the last ' +
    'seven days, by real models. Nothing is written. Savings are upper bounds: usage rows do not ' +
    'say how many choices a request had, and equal prompts may differ in what is not recorded. ' +
    'In the sum a ruble is saved once: a kept answer saves its share of what the ceiling leaves.',
  {
    from: instant('Begin of the window.'),
    to: instant('End of the window.'),
    complete: flag('False where the window has more requests than are replayed.'),
    requests: integer('Requests of the workload that were replayed.'),
    chargedMicro: money('What they were charged.'),
    savedMicro: optional(
      money('What its parts would have saved together; null where none can be known.'),
    ),
    parts: list(object(PART, 'A part.'), 'The parts that the contract states.'),
    provenance: code(PROVENANCES, 'From the recorded usage of the organization.'),
  },
);
