import {
  code,
  fieldTable,
  instant,
  integer,
  list,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { BOOKS_STATES } from './vocabulary.js';

/** The most findings that the status names. */
export const FINDINGS_SHOWN_MAX = 100;

const FINDING = fieldTable('BooksFinding', 'A place where the books are wrong.', {
  tenantId: uuid('The organization whose books they are.'),
  invariant: text('What does not hold, by its name in the list of invariants.'),
  subject: text('What it is about: an account, a request, a budget with its period, a leaf.'),
  detail: text('What was found, and what should be.'),
  foundAt: optional(instant('When it was found first; null where the comparison keeps no time.')),
});

/** How the books of all organizations stand. */
export const BOOKS_STATUS = fieldTable(
  'BooksStatus',
  'How the books of all organizations stand, by the monitor that checks them.',
  {
    state: code(BOOKS_STATES, 'How the monitor of this node stands.'),
    checkedAt: optional(instant('When a check last came to its end, on whichever node.')),
    fullyCheckedAt: optional(instant('When the books were last read whole.')),
    violations: integer('How many places are wrong.'),
    findings: list(
      object(FINDING, 'A place that is wrong.'),
      `The latest of them, at most ${FINDINGS_SHOWN_MAX}.`,
    ),
  },
);
