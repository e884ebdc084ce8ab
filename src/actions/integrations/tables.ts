import type { Sealable } from '../../kernel/canonical.js';
import { ERASED_FIELD } from '../../kernel/fields/erased.js';
import {
  code,
  type Field,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  money,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import {
  ACTION_STATUSES,
  CHANGE_KINDS,
  COST_REASONS,
  DECISIONS,
  LIMITS,
  RISK_LEVELS,
} from './vocabulary.js';

/** A value of a record, as its system has it. */
function recorded(description: string): Field<Sealable> {
  return optional(json(description)) as Field<Sealable>;
}

/** One value that becomes another. */
const CHANGE = fieldTable('IntegrationChange', 'A value that becomes another.', {
  field: text('The path of the value, such as `stage` or `lines[0].price`.'),
  kind: code(CHANGE_KINDS, 'What happens to it.'),
  old: recorded('The value before; null when there was none.'),
  new: recorded('The value after; null when there is none.'),
});

/** One value that becomes another. */
export type ProposedChange = ValuesOf<typeof CHANGE.fields>;

const CHANGES = object(CHANGE, 'A change.');

const ROLLBACK_PLAN = fieldTable(
  'IntegrationRollback',
  'How an action can be undone, as it stood when the action ended.',
  {
    available: flag('The action can be taken back.'),
    reason: optional(text('Why not; null when it is available.')),
    changes: list(CHANGES, 'What an undoing changes.'),
    recordVersion: optional(
      integer(
        'The version of the record after the action; once it is at another one, an undoing is ' +
          'refused. Null when nothing was carried out.',
      ),
    ),
  },
);

/** How an action can be undone, as it is stored and sealed with it. */
export type RollbackPlan = ValuesOf<typeof ROLLBACK_PLAN.fields>;

/** The plan of an action that was not carried out. */
export const NOTHING_TO_UNDO: RollbackPlan = {
  available: false,
  reason: 'nothing was carried out',
  changes: [],
  recordVersion: null,
};

/** What a preview and an action both name. */
const NAMED_FIELDS = {
  connector: text('The connector of the catalogue.'),
  action: text('The action of the connector.'),
} as const;

/** Why it was decided so. */
const DECIDED_FIELDS = {
  guard: text('The approval rule that decided.'),
  reason: text('What the rule says.'),
  riskLevel: code(RISK_LEVELS, 'The risk of the change.'),
} as const;

/** What a preview says of itself, besides its id. */
export const PREVIEW_FIELDS = {
  ...NAMED_FIELDS,
  recordId: text(
    'The record: as it was named, else the `id` in the record, else a hash of what was stated; a ' +
      'name of its own for a record that the action makes.',
  ),
  recordVersion: integer('The version that was looked at; an execution refuses any other.'),
  proposedChanges: list(
    CHANGES,
    'Every value that would change, old to new; equal values are no change.',
  ),
  riskRules: list(
    text('A rule of risk.'),
    'The rules of risk that apply besides the class of the action.',
  ),
  approvalRequired: flag('A member must approve it.'),
  decision: code(DECISIONS, 'What an execution would do.'),
  ...DECIDED_FIELDS,
  simulated: flag('An execution will not reach the real system.'),
  expiresAt: instant('Executable until then.'),
  createdAt: instant('When it was made.'),
} as const;

/** What an action and its receipt both say. */
const ENDED_FIELDS = {
  previewId: uuid('The preview that was executed.'),
  ...NAMED_FIELDS,
  recordId: text('The record that is changed.'),
  decision: code(DECISIONS, 'What was decided.'),
  status: code(ACTION_STATUSES, 'Where it stands.'),
  changedFields: optional(
    list(
      CHANGES,
      'What was changed, old to new; empty when nothing was carried out, null where it was erased.',
    ),
  ),
  rollback: optional(object(ROLLBACK_PLAN, 'How it can be undone; null where it was erased.')),
  failure: optional(
    text('The code of what kept an approved action from being carried out, or null.'),
  ),
  simulated: flag('Nothing was sent to the real system.'),
} as const;

/** What an action says of itself, besides its id. */
export const ACTION_FIELDS = {
  ...ENDED_FIELDS,
  ...ERASED_FIELD,
  approvalId: optional(uuid('The approval in the queue; null when none was asked.')),
  requestIds: list(text('A request.'), 'The requests that led to it.'),
  createdAt: instant('When it was asked for.'),
  finishedAt: optional(instant('When it ended; null while it has not.')),
} as const;

const APPROVAL = fieldTable('IntegrationApproval', 'Who decided about an action.', {
  approvalId: uuid('The approval in the queue.'),
  status: text('What was decided, or `pending`.'),
  requestedBy: uuid('The member or key that asked for the action.'),
  decidedBy: optional(uuid('The member who decided; null while nobody has.')),
  selfApproved: flag('Who asked approved it, because no other member could.'),
  reason: optional(text('What the member wrote; null for nothing.')),
  decidedAt: optional(instant('When; null while nobody has.')),
});

const COST = fieldTable(
  'IntegrationCost',
  'What the requests that led to an action have cost; the simulation costs nothing.',
  {
    amountMicro: optional(money('The sum of their usage, VAT included; null when there is none.')),
    provenance: optional(code(PROVENANCES, 'Where the sum comes from; null without a figure.')),
    requestCount: integer('Requests in the sum.'),
    unknownRequestIds: list(text('A request.'), 'Requests that were named and have no usage here.'),
    reason: optional(code(COST_REASONS, 'Why there is no figure; null when there is one.')),
  },
);

/** What the requests that led to an action have cost. */
export type Cost = ValuesOf<typeof COST.fields>;

/** What a receipt says of an action. */
export const RECEIPT_FIELDS = {
  actionId: uuid('The id of the action.'),
  ...ENDED_FIELDS,
  recordVersion: integer('The version of the record that the action was for.'),
  ...DECIDED_FIELDS,
  approval: optional(object(APPROVAL, 'Who decided; null when no approval was asked.')),
  cost: object(COST, 'What the linked requests have cost.'),
  requestedBy: uuid('Who asked for it.'),
} as const;

/** What a receipt says. */
export type ReceiptContent = ValuesOf<typeof RECEIPT_FIELDS>;

/** What became of an action: as it was sealed, or as it is while the action has not ended. */
export const OUTCOME = fieldTable(
  'IntegrationOutcome',
  'What became of an action: as it was sealed when it ended, or as it is so far.',
  {
    ...RECEIPT_FIELDS,
    sealed: flag('The receipt is final. A pending action is sealed when it ends.'),
    ...ERASED_FIELD,
    receiptId: optional(uuid('The sealed receipt; null while the action has not ended.')),
    sha256: optional(sha256('The hash of the sealed content; null while there is none.')),
    rollbackReceiptId: optional(uuid('The receipt of the undoing; null when it was not undone.')),
    alreadyExecuted: flag(
      'False where the request that is answered has executed the preview just now.',
    ),
  },
);

/** What became of an action. */
export type ActionOutcome = ValuesOf<typeof OUTCOME.fields>;

/** What the receipt of an undoing says. */
export const UNDOING_FIELDS = {
  actionId: uuid('The action that was undone.'),
  actionReceiptId: optional(uuid('The receipt of the action.')),
  ...NAMED_FIELDS,
  recordId: text('The record that is changed.'),
  recordVersion: integer('The version of the record after the undoing.'),
  changedFields: optional(list(CHANGES, 'What the undoing changed.')),
  rolledBackBy: uuid('The member or key that undid it.'),
  simulated: flag('Nothing was sent to the real system.'),
} as const;

/** A change that is asked for. */
export const PREVIEW_INPUT = fieldTable('IntegrationPreviewInput', 'A change that is asked for.', {
  connector: text('A connector of the catalogue.'),
  action: text('One of its actions.'),
  recordId: optional(
    text(
      'What the record is called in its system, 1 to 200 characters. Default: the `id` in the ' +
        'record. Left out where the action makes a record.',
      { max: LIMITS.recordIdLength },
    ),
  ),
  record: optional(
    json(
      'The record as it is now, an object of at most 64 KiB. Default: as the gateway knows it ' +
        'from the last preview or action. Left out where the action makes a record.',
    ),
  ),
  changes: optional(
    json(
      'The new values by field, as JSON Merge Patch (RFC 7396): objects are merged, null ' +
        'removes, all else replaces. At most 64 KiB; nothing for a deletion.',
    ),
  ),
});
