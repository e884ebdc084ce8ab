import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import type { ProposedChange } from './changes.js';
import { IntegrationRiskLevel } from './connectors-schema.js';
import type { Execution } from './execute.js';
import type { ActionReceipt } from './log.js';
import type { ReceiptApproval, ReceiptCost } from './receipts.js';
import type { RollbackPlan } from './rollback-plan.js';
import {
  ACTION_STATUSES,
  CHANGE_KINDS,
  COST_REASONS,
  DECISIONS,
  type IntegrationDecision,
  type RiskLevel,
} from './vocabulary.js';

/** The status of an action in the schema. */
export const IntegrationActionStatus = builder.enumType('IntegrationActionStatus', {
  description: 'Where an action stands.',
  values: enumValues(ACTION_STATUSES),
});

/** What becomes of a change, in the schema. */
export const IntegrationDecisionEnum = builder.enumType('IntegrationDecision', {
  description: 'What becomes of a change.',
  values: enumValues(DECISIONS),
});

const ChangeKindEnum = builder.enumType('IntegrationChangeKind', {
  description: 'What a change does to a value.',
  values: enumValues(CHANGE_KINDS),
});

const CostReasonEnum = builder.enumType('IntegrationCostReason', {
  description: 'Why there is no cost.',
  values: enumValues(COST_REASONS),
});

/** A value that becomes another, in the schema. */
export const IntegrationChange = builder.objectRef<ProposedChange>('IntegrationChange').implement({
  description: 'A value that becomes another.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'The path of the value, such as `stage` or `lines[0].price`.',
    }),
    kind: t.expose('kind', { type: ChangeKindEnum, description: 'What happens to it.' }),
    old: t.expose('old', {
      type: 'JSON',
      nullable: true,
      description: 'The value before; null when there was none.',
    }),
    new: t.expose('new', {
      type: 'JSON',
      nullable: true,
      description: 'The value after; null when there is none.',
    }),
  }),
});

/** How an action can be undone, in the schema. */
export const IntegrationRollback = builder
  .objectRef<RollbackPlan>('IntegrationRollback')
  .implement({
    description: 'How an action can be undone, as it stood when the action ended.',
    fields: (t) => ({
      available: t.exposeBoolean('available', { description: 'The action can be taken back.' }),
      reason: t.exposeString('reason', {
        nullable: true,
        description: 'Why not; null when it is available.',
      }),
      changes: t.field({
        type: [IntegrationChange],
        description: 'What an undoing changes.',
        resolve: (plan) => [...plan.changes],
      }),
      recordVersion: t.exposeInt('recordVersion', {
        nullable: true,
        description:
          'The version of the record after the action; once it is at another one, an undoing ' +
          'is refused. Null when nothing was carried out.',
      }),
    }),
  });

const ApprovalObject = builder.objectRef<ReceiptApproval>('IntegrationApproval').implement({
  description: 'Who decided about an action.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The approval in the queue.' }),
    status: t.exposeString('status', { description: 'What was decided, or `pending`.' }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'Who asked.' }),
    decidedBy: t.expose('decidedBy', {
      type: 'UUID',
      nullable: true,
      description: 'The member who decided; null while nobody has.',
    }),
    selfApproved: t.exposeBoolean('selfApproved', {
      description: 'Who asked approved it, because no other member could.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'What the member wrote; null for nothing.',
    }),
    decidedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When; null while nobody has.',
      resolve: ({ decidedAt }) => (decidedAt === null ? null : new Date(decidedAt)),
    }),
  }),
});

const CostObject = builder.objectRef<ReceiptCost>('IntegrationCost').implement({
  description: 'What the requests that led to an action have cost; the simulation costs nothing.',
  fields: (t) => ({
    amountRub: t.field({
      type: 'Rub',
      nullable: true,
      description: 'The sum of their usage, VAT included; null when there is none.',
      resolve: ({ amountMicro }) => (amountMicro === null ? null : BigInt(amountMicro)),
    }),
    provenance: t.exposeString('provenance', {
      nullable: true,
      description: '`live_measured`: from recorded usage. Null without a figure.',
    }),
    requestCount: t.exposeInt('requestCount', { description: 'Requests in the sum.' }),
    unknownRequestIds: t.exposeStringList('unknownRequestIds', {
      description: 'Requests that were named and have no usage here.',
    }),
    reason: t.expose('reason', {
      type: CostReasonEnum,
      nullable: true,
      description: 'Why there is no figure; null when there is one.',
    }),
  }),
});

const Outcome = builder.interfaceRef<ActionReceipt>('IntegrationOutcome').implement({
  description: 'What became of an action.',
  fields: (t) => ({
    id: t.field({
      type: 'UUID',
      description: 'The id of the action.',
      resolve: ({ content }) => content.actionId,
    }),
    previewId: t.field({
      type: 'UUID',
      description: 'The preview that was executed.',
      resolve: ({ content }) => content.previewId,
    }),
    connector: t.string({
      description: 'The connector.',
      resolve: ({ content }) => content.connector,
    }),
    action: t.string({
      description: 'The action of the connector.',
      resolve: ({ content }) => content.action,
    }),
    recordId: t.string({
      description: 'The record.',
      resolve: ({ content }) => content.recordId,
    }),
    recordVersion: t.int({
      description: 'The version of the record that the action was for.',
      resolve: ({ content }) => content.recordVersion,
    }),
    status: t.expose('status', {
      type: IntegrationActionStatus,
      description: 'Where the action stands now; it may have been rolled back since its end.',
    }),
    decision: t.field({
      type: IntegrationDecisionEnum,
      description: 'What was decided.',
      resolve: ({ content }) => content.decision as IntegrationDecision,
    }),
    guard: t.string({
      description: 'The approval rule that decided.',
      resolve: ({ content }) => content.guard,
    }),
    reason: t.string({
      description: 'What the rule says.',
      resolve: ({ content }) => content.reason,
    }),
    riskLevel: t.field({
      type: IntegrationRiskLevel,
      description: 'The risk of the change.',
      resolve: ({ content }) => content.riskLevel as RiskLevel,
    }),
  }),
});

builder.interfaceFields(Outcome, (t) => ({
  changedFields: t.field({
    type: [IntegrationChange],
    description: 'What was changed, old to new; empty when nothing was carried out.',
    resolve: ({ content }) => [...content.changedFields],
  }),
  rollback: t.field({
    type: IntegrationRollback,
    description: 'How it can be undone.',
    resolve: ({ content }) => content.rollback,
  }),
  approval: t.field({
    type: ApprovalObject,
    nullable: true,
    description: 'Who decided; null when no approval was asked.',
    resolve: ({ content }) => content.approval,
  }),
  cost: t.field({
    type: CostObject,
    description: 'What the linked requests have cost.',
    resolve: ({ content }) => content.cost,
  }),
  failure: t.string({
    nullable: true,
    description: 'The code of what kept an approved action from being carried out, or null.',
    resolve: ({ content }) => content.failure,
  }),
  simulated: t.boolean({
    description: 'Nothing was sent to the real system.',
    resolve: ({ content }) => content.simulated,
  }),
  sealed: t.boolean({
    description: 'The receipt is final. A pending action is sealed when it ends.',
    resolve: ({ receipt }) => receipt !== undefined,
  }),
  receiptId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'The sealed receipt; null while the action has not ended.',
    resolve: ({ receipt }) => receipt?.id ?? null,
  }),
  sha256: t.field({
    type: 'Sha256',
    nullable: true,
    description: 'The hash of the sealed content; null while there is none.',
    resolve: ({ receipt }) => receipt?.sha256 ?? null,
  }),
  rollbackReceiptId: t.expose('rollbackReceiptId', {
    type: 'UUID',
    nullable: true,
    description: 'The receipt of the undoing; null when it was not undone.',
  }),
}));

/** The receipt of an action, in the schema. */
export const IntegrationActionReceipt = builder
  .objectRef<ActionReceipt>('IntegrationActionReceipt')
  .implement({
    description: 'The receipt of an action: what was sealed when it ended, or what it says so far.',
    interfaces: [Outcome],
  });

/** What an execution answered, in the schema. */
export const IntegrationExecution = builder.objectRef<Execution>('IntegrationExecution').implement({
  description: 'What an execution answered.',
  interfaces: [Outcome],
  fields: (t) => ({
    alreadyExecuted: t.exposeBoolean('alreadyExecuted', {
      description: 'This preview had been executed before; nothing was done now.',
    }),
  }),
});
