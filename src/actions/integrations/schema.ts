import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf, inputOf, outputOf, shownFields } from '../../graph/table-types.js';
import { loadSeenNodes, requireSeen } from '../seen.js';
import { CONNECTOR } from './catalogue.js';
import { executePreview } from './execute.js';
import { actionsWhere, connectorById, listConnectors, readOutcome } from './log.js';
import { previewAction, shownPreview } from './preview.js';
import { shownAction } from './receipts.js';
import './reference.js';
import { rollbackAction } from './rollback.js';
import { ACTION_FIELDS, OUTCOME, PREVIEW_FIELDS, PREVIEW_INPUT } from './tables.js';
import { ACTION_STATUSES, CONNECTOR_CATEGORIES } from './vocabulary.js';

const Preview = builder.prismaObject('IntegrationPreview', {
  description:
    'What an action would change, bound to the version of the record that was looked at. Nothing ' +
    'is sent to any system.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', description: 'What an execution names.' }),
    ...(shownFields(t, PREVIEW_FIELDS, shownPreview) as object),
  }),
});

const Action = builder.prismaNode('IntegrationAction', {
  id: { field: 'id', description: 'The id of the action.' },
  description: 'An execution of a preview; a preview is executed once.',
  fields: (t) => shownFields(t, ACTION_FIELDS, shownAction),
});

loadSeenNodes('IntegrationAction', (ctx, where) =>
  database(ctx).integrationAction.findMany({ where }),
);

const Outcome = outputOf(OUTCOME);

builder.queryFields((t) => ({
  integrationConnectors: t.field({
    type: [outputOf(CONNECTOR)],
    description: 'The catalogue of connectors.',
    args: {
      category: t.arg({
        type: enumOf(CONNECTOR_CATEGORIES),
        description: 'Only this kind of system.',
      }),
    },
    resolve: (_root, { category }) => listConnectors(category),
  }),
  integrationConnector: t.field({
    type: outputOf(CONNECTOR),
    description: 'A connector of the catalogue.',
    args: { id: t.arg.string({ required: true, description: 'The id, as lists show it.' }) },
    resolve: (_root, { id }) => connectorById(id),
  }),
  integrationActions: t.prismaConnection({
    type: Action,
    cursor: 'id',
    description: 'The log of actions, newest first; an agent key sees its own.',
    authScopes: { can: 'integrations.read' },
    complexity: pageComplexity,
    args: {
      status: t.arg({ type: enumOf(ACTION_STATUSES), description: 'Only actions that stand so.' }),
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
    args: { id: t.arg.string({ required: true, description: 'The id, as lists show it.' }) },
    resolve: (_query, _root, { id }, ctx) => requireSeen(authorized(ctx), 'IntegrationAction', id),
  }),
  integrationActionReceipt: t.field({
    type: Outcome,
    description: 'The receipt of an action.',
    authScopes: { can: 'integrations.read' },
    args: { id: t.arg.string({ required: true, description: 'The id of the action.' }) },
    resolve: (_root, { id }, ctx) => readOutcome(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => ({
  integrationActionPreview: t.prismaField({
    type: Preview,
    description: 'Shows what an action would change, its risk, and who decides. Changes no system.',
    authScopes: { can: 'integrations.run' },
    args: {
      input: t.arg({
        type: inputOf(PREVIEW_INPUT),
        required: true,
        description: 'The change that is to be shown before it is made.',
      }),
    },
    resolve: (_query, _root, { input }, ctx) => previewAction(authorized(ctx), input),
  }),
  integrationActionExecute: t.field({
    type: Outcome,
    description:
      'Executes a preview once, in the simulation: at once, or after an approval. A repetition ' +
      'answers with the first action.',
    authScopes: { can: 'integrations.run' },
    args: {
      previewId: t.arg({
        type: 'ID',
        required: true,
        description: 'The preview that is to be executed.',
      }),
      requestIds: t.arg.stringList({
        description: 'Requests of this gateway that led to the action, at most 50, for its cost.',
      }),
    },
    resolve: (_root, { previewId, requestIds }, ctx) =>
      executePreview(authorized(ctx), previewId, requestIds ?? []),
  }),
  integrationActionRollback: t.field({
    type: Outcome,
    description:
      'Undoes an executed action: the record gets its old values back, if nothing has changed it ' +
      'since.',
    authScopes: { can: 'integrations.run' },
    args: { id: t.arg({ type: 'ID', required: true, description: 'The action, by its id.' }) },
    resolve: (_root, { id }, ctx) => rollbackAction(authorized(ctx), id),
  }),
}));
