import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { ownList } from '../../graph/own-list.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, storedFields } from '../../graph/table-types.js';
import { ERASED_FIELD } from '../../kernel/fields/erased.js';
import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  object,
  optional,
  sha256,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { feedField } from '../feed-field.js';
import { feedItem } from '../feed-item.js';
import { APPROVAL_FEED } from './events.js';
import { approvalHistory } from './history.js';
import { approvalById, decideApproval } from './queue.js';
import {
  APPROVAL_DECISIONS,
  APPROVAL_EXECUTIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
} from './vocabulary.js';

const Approval = builder.prismaNode('Approval', {
  id: { field: 'id', description: 'The id of the approval.' },
  description: 'Something that waits, or waited, for a person to decide.',
  fields: (t) => ({
    erased: t.boolean({
      description: ERASED_FIELD.erased.description,
      select: { shown: true, shownSealed: true },
      resolve: (approval) => isErased(approval, 'shown'),
    }),
    ...(storedFields(t, {
      kind: text('What kind of thing waits: a code of the reference `approvals.kind`.'),
      subjectId: text('What waits: the id of the call, action, migration or exception.'),
      summary: text('What is asked, in a sentence.'),
      shown: optional(json('What the decider is shown; null where it was erased.')),
      shownHash: sha256('Of what is shown; a decision holds for exactly this.'),
      status: code(APPROVAL_STATUSES, 'Whether it waits, and how it was decided.'),
      requestedBy: uuid('The member or key that asked.'),
      accountableId: optional(
        uuid(
          'The member who counts as the requester under four eyes: who asked, or who created or ' +
            'last rotated the key that asked, of whatever type. Null where no member is known.',
        ),
      ),
      fourEyes: flag(
        'True when it was asked for while the organization always required four eyes.',
      ),
      decidedBy: optional(uuid('Who decided; null while nobody has.')),
      selfApproved: flag('True when the requester decided because nobody else could.'),
      reason: optional(text('Why, where it was said.')),
      execution: code(APPROVAL_EXECUTIONS, 'How far the execution of what was approved has come.'),
      attempts: integer('How often the execution was tried; after five it is given up.'),
      executionError: optional(
        text('The error code of the last failed attempt; null while none failed.'),
      ),
      expiresAt: instant('Until when it waits.'),
      decidedAt: optional(instant('When it was decided or expired; null while it waits.')),
      createdAt: instant('When it was asked.'),
    }) as object),
  }),
});

const FEED_PAYLOAD = fieldTable(
  'ApprovalFeedPayload',
  'An approval as it was right after an event of its feed.',
  {
    approvalId: uuid('The id of the approval.'),
    kind: text('What kind of thing waits: a code of the reference `approvals.kind`.'),
    subjectId: text('What waits: the id of the call, action, migration or exception.'),
    summary: text('What is asked, in a sentence.'),
    status: code(APPROVAL_STATUSES, 'Whether it waited, and how it was decided.'),
    execution: code(APPROVAL_EXECUTIONS, 'How far the execution of what was approved had come.'),
    requestedBy: uuid('The member or key that asked.'),
    decidedBy: optional(uuid('Who decided; null while nobody had.')),
    selfApproved: flag('True when the requester decided because nobody else could.'),
    reason: optional(text('Why, where it was said.')),
  },
);

const ApprovalFeedItem = feedItem(
  'ApprovalFeedItem',
  'What entered or left the approval queue; the subject is the approval.',
  object(FEED_PAYLOAD, 'The approval as it was right after the event.'),
);

const FILTER = fieldTable(
  'ApprovalFilter',
  'Which approvals to list: those that meet all conditions.',
  {
    createdAt: instant('When it was asked.'),
    status: code(APPROVAL_STATUSES, 'Whether it waits, or how it was decided.'),
    kind: code(APPROVAL_KINDS, 'What kind of thing waits.'),
    requestedBy: uuid('The member or key that asked.'),
  },
);

ownList({
  field: 'approvals',
  type: Approval,
  description: 'The one approval queue of tools, integrations, cut-overs and budgets.',
  permission: 'approvals.read',
  filter: filterOf(FILTER),
  noun: 'approvals',
  counts: true,
});

builder.queryFields((t) => ({
  approval: t.field({
    type: Approval,
    description: 'One approval of the queue.',
    authScopes: { can: 'approvals.read' },
    args: argsOf(t, { id: uuid('The id of the approval.') }),
    resolve: (_root, { id }, ctx) => approvalById(authorized(ctx), id),
  }),
  approvalEventHistory: t.field({
    type: connectionOf(ApprovalFeedItem),
    description:
      'The feed of the approval queue for readers that poll, oldest first. Each item carries its ' +
      'cursor: ask again with the last one as `after`, and nothing is missed or seen twice. ' +
      'Without `after` it begins with the first event.',
    authScopes: { can: 'approvals.read' },
    complexity: pageComplexity,
    args: forwardArgs(t),
    resolve: (_root, args, ctx) => approvalHistory(authorized(ctx), args),
  }),
}));

feedField({
  name: 'approvalEvents',
  description: 'What enters and leaves the approval queue, each event once and in order.',
  permission: 'approvals.read',
  source: APPROVAL_FEED,
  item: ApprovalFeedItem,
});

builder.mutationField('approvalDecide', (t) =>
  t.field({
    type: Approval,
    description:
      'Approves or rejects what waits, exactly once. What is approved is executed at once; the ' +
      'decision holds for exactly what was shown.',
    authScopes: { can: 'approvals.decide' },
    args: argsOf(t, {
      id: uuid('The id of the approval that is decided.'),
      decision: code(APPROVAL_DECISIONS, 'Whether what waits may happen.'),
      reason: optional(text('Why; kept with the decision.')),
      shownHash: optional(
        sha256('The hash of what was decided on; another than the recorded one is refused.'),
      ),
    }),
    resolve: (_root, { id, decision, reason, shownHash }, ctx) =>
      decideApproval(authorized(ctx), id, {
        decision,
        reason: reason ?? undefined,
        shownHash: shownHash ?? undefined,
      }),
  }),
);
