import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf, inputOf } from '../../graph/table-types.js';
import { compareProject } from './compare.js';
import { COMPARE_INPUT } from './comparison-tables.js';
import { cutOverProject } from './cutover.js';
import {
  CutoverType,
  lastCutover,
  lastScan,
  ProviderMigration,
  ScanType,
} from './project-schema.js';
import { createProject, getProject, rollBackProject } from './projects.js';
import './reference.js';
import { scanProject } from './scan.js';
import './scorecards.js';
import { CUTOVER_INPUT, PROJECT_INPUT } from './tables.js';
import { CAPABILITIES, STATUSES } from './vocabulary.js';

const MAY_READ = { can: 'migration.read' } as const;
const MAY_WRITE = { can: 'migration.write' } as const;
const ID = { type: 'ID', required: true, description: 'The migration, by its id.' } as const;

/** What a step has just written stands in the migration that it answers with. */
function made<T>(kept: T | null): T {
  if (kept === null) throw new TypeError('the step has not kept what it made');
  return kept;
}

builder.queryFields((t) => ({
  providerMigrations: t.prismaConnection({
    type: ProviderMigration,
    cursor: 'id',
    description: 'The migrations of the organization, newest first.',
    authScopes: MAY_READ,
    complexity: pageComplexity,
    args: {
      status: t.arg({ type: enumOf(STATUSES), description: 'Only migrations of this status.' }),
    },
    resolve: (query, _root, { status }, ctx) =>
      database(ctx).providerMigration.findMany({
        ...query,
        where: { status: status ?? undefined },
        orderBy: NEWEST_FIRST,
      }),
  }),
  providerMigration: t.prismaField({
    type: ProviderMigration,
    description: 'A migration by its id.',
    authScopes: MAY_READ,
    args: { id: t.arg(ID) },
    resolve: (_query, _root, { id }, ctx) => getProject(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => ({
  providerMigrationCreate: t.prismaField({
    type: ProviderMigration,
    description: 'Creates a migration, with a plan of the way back.',
    authScopes: MAY_WRITE,
    args: {
      input: t.arg({
        type: inputOf(PROJECT_INPUT),
        required: true,
        description: 'What is to be migrated, and how.',
      }),
    },
    resolve: (_query, _root, { input }, ctx) => createProject(authorized(ctx), input),
  }),
  providerMigrationScan: t.field({
    type: ScanType,
    description:
      'Looks up the documented gaps of the capabilities in use. It is a lookup, not a live probe.',
    authScopes: MAY_WRITE,
    args: {
      id: t.arg(ID),
      usedCapabilities: t.arg({
        type: [enumOf(CAPABILITIES)],
        required: true,
        description: 'What the clients use, each once.',
      }),
    },
    resolve: async (_root, { id, usedCapabilities }, ctx) =>
      made(lastScan(await scanProject(authorized(ctx), id, usedCapabilities))),
  }),
  providerMigrationCompare: t.prismaField({
    type: ProviderMigration,
    description:
      'Compares the source with the route and seals the result. An evaluation set is really run.',
    authScopes: MAY_WRITE,
    args: {
      id: t.arg(ID),
      input: t.arg({
        type: inputOf(COMPARE_INPUT),
        required: true,
        description: 'The figures that are to be compared.',
      }),
    },
    resolve: (_query, _root, { id, input }, ctx) => compareProject(authorized(ctx), id, input),
  }),
  providerMigrationCutOver: t.field({
    type: CutoverType,
    description:
      'Cuts over when every item of the checklist is done and the last comparison does not hold ' +
      'it; else answers what blocks it, or that it waits in the approval queue. Each condition ' +
      'of a conditional comparison must be acknowledged by the member who asks. What rests on ' +
      'simulated answers stays blocked whatever is acknowledged.',
    authScopes: MAY_WRITE,
    args: {
      id: t.arg(ID),
      input: t.arg({
        type: inputOf(CUTOVER_INPUT),
        required: true,
        description: 'What it is asked for with; empty where there is nothing to state.',
      }),
    },
    resolve: async (_root, { id, input }, ctx) =>
      made(lastCutover(await cutOverProject(authorized(ctx), id, input))),
  }),
  providerMigrationRollback: t.prismaField({
    type: ProviderMigration,
    description:
      'Rolls a migration back from whatever status. The plan says what the clients must do; a ' +
      'cutover that waits for approval is void.',
    authScopes: MAY_WRITE,
    args: { id: t.arg(ID) },
    resolve: (_query, _root, { id }, ctx) => rollBackProject(authorized(ctx), id),
  }),
}));
