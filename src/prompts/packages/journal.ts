import type { JournalEntry } from '../../generated/prisma/client.js';
import { code, integer, optional, text, uuid, type ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import type { Journal } from '../../records/journals.js';
import { GATE_STATUSES, type GateStatus } from './gate/vocabulary.js';
import { PROMPT_HAPPENINGS, PROMPT_STATUSES, type PromptHappening } from './vocabulary.js';

/** What happened to a prompt package; the subject is its id. */
export const PROMPT_JOURNAL: Journal<PromptHappening> = {
  kind: 'prompt_lifecycle',
  values: PROMPT_HAPPENINGS.codes,
};

/** The gate runs of a prompt package; the subject is its id, the value how the run ended. */
export const GATE_JOURNAL: Journal<GateStatus> = {
  kind: 'prompt_gate_run',
  values: GATE_STATUSES.codes,
};

/** What an entry of the journal of a package tells. */
export const HAPPENING_FIELDS = {
  version: integer('The version that it happened to.'),
  from: optional(code(PROMPT_STATUSES, 'Its status before; null where it was written.')),
  to: code(PROMPT_STATUSES, 'Its status after; a rollback of a draft leaves it what it was.'),
  currentVersion: integer('The current version of the package after it.'),
  receiptId: optional(
    uuid('The gate receipt that a promotion rested on; null where none was needed.'),
  ),
  reason: optional(text('Why, in the words of who did it; null where nothing was said.')),
  actorId: uuid('The member or key that did it.'),
} as const;

/** What happened to a version. */
export type Happening = ValuesOf<typeof HAPPENING_FIELDS>;

/** What an entry of the journal tells. */
export function happeningOf({ body }: Pick<JournalEntry, 'body'>): Happening {
  return openedContent(HAPPENING_FIELDS, body as SealedContent);
}
