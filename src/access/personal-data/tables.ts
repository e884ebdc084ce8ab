import {
  fieldTable,
  instant,
  integer,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';

/** How long a reason may be, in characters. */
const REASON_CHARACTERS_MAX = 500;

/** What an owner says to erase. */
export const ERASURE_INPUT = fieldTable(
  'PersonalDataErasureInput',
  'What is erased cannot be brought back, by nobody.',
  {
    organization: text('The name of the organization, exactly: the confirmation.', { max: 200 }),
    reason: text('Why; kept with the receipt.', { min: 1, max: REASON_CHARACTERS_MAX }),
  },
);

/** What the receipt of an erasure says. */
export const ERASURE_FIELDS = {
  erasedBy: uuid('The owner who has erased.'),
  erasedAt: instant('When, by the clock of the database.'),
  reason: text('Why the owner asked for it, in the words of the request.'),
  keysErased: integer('Data keys that were erased: one, or none where nothing was sealed yet.'),
  answersDropped: integer('Answers that were kept for repeated requests.'),
  deliveriesDropped: integer('Ended deliveries of webhooks, with what was sent and answered.'),
} as const;

/** What the receipt of an erasure says. */
export type Erasure = ValuesOf<typeof ERASURE_FIELDS>;
