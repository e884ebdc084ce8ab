import type { IntegrationPreview } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import type { ProposedChange } from './changes.js';
import { IntegrationRiskLevel } from './connectors-schema.js';
import { executePreview } from './execute.js';
import { actionsWhere, readReceipt, requireAction } from './log.js';
import { previewAction } from './preview.js';
import { isSimulated } from './receipts.js';
import {
  IntegrationActionReceipt,
  IntegrationActionStatus,
  IntegrationChange,
  IntegrationDecisionEnum,
  IntegrationExecution,
  IntegrationRollback,
} from './receipts-schema.js';
import { rollbackAction } from './rollback.js';
import type { RollbackPlan } from './rollback-plan.js';
import type { ActionStatus, IntegrationDecision, RiskLevel } from './vocabulary.js';

type Decided = {
  readonly guard: string;
  readonly reason: string;
  readonly riskRules: string[];
};

function decidedOf({ decided }: Pick<IntegrationPreview, 'decided'>): Decided {
  return decided as Decided;
}

const Preview = builder.prismaObject('IntegrationPreview', {
  description:
    'What an action would change, bound to the version of the record that was looked at. Nothing ' +
    'is sent to any system.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'What an execution names.' }),
    connector: t.exposeString('connector', { description: 'The connector.' }),
    action: t.exposeString('action', { description: 'The action of the connector.' }),
    recordId: t.exposeString('recordRef', {
      description:
        'The record: as it was named, else the `id` in the record, else a hash of what was ' +
        'stated; a name of its own for a record that the action makes.',
    }),
    recordVersion: t.exposeInt('recordVersion', {
      description: 'The version that was looked at; an execution refuses any other.',
    }),
    proposedChanges: t.field({
      type: [IntegrationChange],
      description: 'Every value that would change, old to new; equal values are no change.',
      resolve: ({ proposedChanges }) => proposedChanges as ProposedChange[],
    }),
    riskLevel: t.field({
      type: IntegrationRiskLevel,
      description: 'The risk of this change.',
      resolve: ({ riskLevel }) => riskLevel as RiskLevel,
    }),
    riskRules: t.stringList({
      description: 'The rules of risk that apply besides the class of the action.',
      resolve: (preview) => decidedOf(preview).riskRules,
    }),
    approvalRequired: t.exposeBoolean('approvalRequired', {
      description: 'A member must approve it.',
    }),
    decision: t.field({
      type: IntegrationDecisionEnum,
      description: 'What an execution would do.',
      resolve: ({ decision }) => decision as IntegrationDecision,
    }),
    guard: t.string({
      description: 'The approval rule that decided.',
      resolve: (preview) => decidedOf(preview).guard,
    }),
    reason: t.string({
      description: 'What the rule says.',
      resolve: (preview) => decidedOf(preview).reason,
    }),
    simulated: t.boolean({
      description: 'An execution will not reach the real system.',
      resolve: ({ connector }) => isSimulated(connector),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Executable until then.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const Action = builder.prismaObject('IntegrationAction', {
  description: 'An execution of a preview; a preview is executed once.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the action.' }),
    previewId: t.expose('previewId', { type: 'UUID', description: 'The preview.' }),
    connector: t.exposeString('connector', { description: 'The connector.' }),
    action: t.exposeString('action', { description: 'The action of the connector.' }),
    recordId: t.exposeString('recordRef', { description: 'The record.' }),
    decision: t.field({
      type: IntegrationDecisionEnum,
      description: 'What was decided.',
      resolve: ({ decision }) => decision as IntegrationDecision,
    }),
    status: t.field({
      type: IntegrationActionStatus,
      description: 'Where it stands.',
      resolve: ({ status }) => status as ActionStatus,
    }),
    approvalId: t.expose('approvalId', {
      type: 'UUID',
      nullable: true,
      description: 'The approval in the queue; null when none was asked.',
    }),
    changedFields: t.field({
      type: [IntegrationChange],
      description: 'What was changed; empty when nothing was carried out.',
      resolve: ({ changedFields }) => changedFields as ProposedChange[],
    }),
    rollback: t.field({
      type: IntegrationRollback,
      description: 'How it can be undone.',
      resolve: ({ rollback }) => rollback as RollbackPlan,
    }),
    requestIds: t.stringList({
      description: 'The requests that led to it.',
      resolve: ({ requestIds }) => requestIds as string[],
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'The code of what kept it from being carried out, or null.',
    }),
    simulated: t.boolean({
      description: 'Nothing was sent to the real system.',
      resolve: ({ connector }) => isSimulated(connector),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it has not.',
    }),
  }),
});

builder.queryFields((t) => ({
  integrationActions: t.prismaConnection({
    type: Action,
    cursor: 'id',
    description: 'The log of actions, newest first; an agent key sees its own.',
    authScopes: { can: 'integrations.read' },
    complexity: pageComplexity,
    args: {
      status: t.arg({ type: IntegrationActionStatus, description: 'Only actions that stand so.' }),
    },
    resolve: (query, _root, { status }, ctx) =>
      database(ctx).integrationAction.findMany({
        ...query,
        where: actionsWhere(authorized(ctx), status),
        orderBy: NEWEST_FIRST,
      }),
  }),
  integrationAction: t.prismaField({
    type: Action,
    description: 'An action by its id.',
    authScopes: { can: 'integrations.read' },
    args: { id: t.arg.string({ required: true, description: 'Its id.' }) },
    resolve: (_query, _root, { id }, ctx) => requireAction(authorized(ctx), id),
  }),
  integrationActionReceipt: t.field({
    type: IntegrationActionReceipt,
    description: 'The receipt of an action.',
    authScopes: { can: 'integrations.read' },
    args: { id: t.arg.string({ required: true, description: 'The id of the action.' }) },
    resolve: (_root, { id }, ctx) => readReceipt(authorized(ctx), id),
  }),
}));

const PreviewInput = builder.inputType('IntegrationPreviewInput', {
  description: 'A change that is asked for.',
  fields: (t) => ({
    connector: t.string({ required: true, description: 'A connector of the catalogue.' }),
    action: t.string({ required: true, description: 'One of its actions.' }),
    recordId: t.string({
      description:
        'What the record is called in its system, 1 to 200 characters. Default: the `id` in the ' +
        'record. Left out where the action makes a record.',
    }),
    record: t.field({
      type: 'JSON',
      description:
        'The record as it is now, an object of at most 64 KiB. Default: as the gateway knows it ' +
        'from the last preview or action. Left out where the action makes a record.',
    }),
    changes: t.field({
      type: 'JSON',
      description:
        'The new values by field, as JSON Merge Patch (RFC 7396): objects are merged, null ' +
        'removes, all else replaces. At most 64 KiB; nothing for a deletion.',
    }),
  }),
});

builder.mutationFields((t) => ({
  integrationActionPreview: t.prismaField({
    type: Preview,
    description: 'Shows what an action would change, its risk, and who decides. Changes no system.',
    authScopes: { can: 'integrations.run' },
    args: { input: t.arg({ type: PreviewInput, required: true, description: 'The change.' }) },
    resolve: (_query, _root, { input }, ctx) => previewAction(authorized(ctx), input),
  }),
  integrationActionExecute: t.field({
    type: IntegrationExecution,
    description:
      'Executes a preview once, in the simulation: at once, or after an approval. A repetition ' +
      'answers with the first action.',
    authScopes: { can: 'integrations.run' },
    args: {
      previewId: t.arg({ type: 'UUID', required: true, description: 'The preview.' }),
      requestIds: t.arg.stringList({
        description: 'Requests of this gateway that led to the action, at most 50, for its cost.',
      }),
    },
    resolve: (_root, { previewId, requestIds }, ctx) =>
      executePreview(authorized(ctx), previewId, requestIds ?? []),
  }),
  integrationActionRollback: t.field({
    type: IntegrationActionReceipt,
    description:
      'Undoes an executed action: the record gets its old values back, if nothing has changed it ' +
      'since.',
    authScopes: { can: 'integrations.run' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The action.' }) },
    resolve: (_root, { id }, ctx) => rollbackAction(authorized(ctx), id),
  }),
}));
