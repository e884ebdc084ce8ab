import type { BlueprintRunUnderway } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { runsUnderway } from './run-underway.js';
import type { StepToStore } from './step-receipt.js';

const Underway = builder.objectRef<BlueprintRunUnderway>('BlueprintRunUnderway').implement({
  description:
    'A run of a blueprint that goes on. When it ends it is a `BlueprintRun` of the same id, also ' +
    'where its process died.',
  fields: (t) => ({
    runId: t.expose('id', { type: 'UUID', description: 'The id that the run will have.' }),
    blueprintId: t.exposeString('blueprintId', { description: 'The blueprint.' }),
    manifestHash: t.expose('manifestHash', {
      type: 'Sha256',
      description: 'SHA-256 of the manifest that is run.',
    }),
    stepsEnded: t.stringList({
      description: 'The steps that have ended so far, in order.',
      resolve: ({ steps }) => (steps as unknown as StepToStore[]).map(({ id }) => id),
    }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'The member or key.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
  }),
});

builder.queryField('blueprintRunsUnderway', (t) =>
  t.field({
    type: [Underway],
    description: 'Runs of blueprints that go on, newest first, at most 200.',
    authScopes: { can: 'blueprints.read' },
    complexity: 20,
    resolve: (_root, _args, ctx) => runsUnderway(authorized(ctx)),
  }),
);
