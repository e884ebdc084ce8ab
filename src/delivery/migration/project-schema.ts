import type { ProviderMigration as ProviderMigrationRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumOf, outputOf, shownFields } from '../../graph/table-types.js';
import { latestOfEach } from '../../records/journals.js';
import { cutoverOf, planOf, scanOf } from './columns.js';
import { readChecklists } from './facts.js';
import { COMPARISONS } from './receipts.js';
import { MIGRATION_JOURNAL } from './step.js';
import {
  CHECKLIST_ITEM,
  CUTOVER_FIELDS,
  type Cutover,
  ROLLBACK_PLAN,
  SCAN_FIELDS,
  type Scan,
} from './tables.js';
import { MIGRATION_NOTES, MODES, SCORE_FORMULA, SOURCE_PROVIDERS, STATUSES } from './vocabulary.js';

/** What a migration keeps, together with it. */
interface Kept<T> {
  readonly kept: T;
  readonly project: ProviderMigrationRow;
}

function keptIn<T>(project: ProviderMigrationRow, kept: T | undefined): Kept<T> | null {
  return kept === undefined ? null : { kept, project };
}

/** The last scan of a migration. */
export function lastScan(project: ProviderMigrationRow): Kept<Scan> | null {
  return keptIn(project, scanOf(project));
}

/** The last request to cut a migration over. */
export function lastCutover(project: ProviderMigrationRow): Kept<Cutover> | null {
  return keptIn(project, cutoverOf(project));
}

const HISTORY_MAX = 50;

const HistoryEntry = builder.objectRef<{
  readonly value: string;
  readonly body: unknown;
  readonly createdAt: Date;
}>('MigrationHistoryEntry');
HistoryEntry.implement({
  description: 'A step in the life of a migration.',
  fields: (t) => ({
    event: t.field({
      type: enumOf(MIGRATION_NOTES),
      description: 'What happened.',
      resolve: ({ value }) => MIGRATION_NOTES.parse(value),
    }),
    details: t.field({
      type: 'JSON',
      description: 'The facts of it.',
      resolve: ({ body }) => body,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

const NO_RECEIPT = 'No comparison was made yet; POST /v1/gw/migration/projects/{id}/compare.';

/** A migration. */
export const ProviderMigration = builder.prismaNode('ProviderMigration', {
  id: { field: 'id', description: 'The id of the migration.' },
  description: 'The move of clients from another provider to this gateway.',
  fields: (t) => ({
    migrationKey: t.exposeString('migrationKey', {
      description: 'Your name of it, unique in the organization.',
    }),
    projectId: t.expose('projectId', {
      type: 'ID',
      description: 'The project whose keys and policies the clients will use.',
    }),
    sourceProvider: t.field({
      type: enumOf(SOURCE_PROVIDERS),
      description: 'Where the clients come from.',
      resolve: ({ sourceProvider }) => SOURCE_PROVIDERS.parse(sourceProvider),
    }),
    sourceBaseUrl: t.exposeString('sourceBaseUrl', {
      nullable: true,
      description: 'The base address that they use now; null where it was not stated.',
    }),
    sourceModel: t.exposeString('sourceModel', {
      nullable: true,
      description: 'The model that they use now; null where it was not stated.',
    }),
    targetModel: t.exposeString('targetModel', { description: 'The model or alias to use here.' }),
    useCases: t.stringList({
      description: 'What the clients do.',
      resolve: ({ useCases }) => useCases as string[],
    }),
    mode: t.field({
      type: enumOf(MODES),
      description: 'How traffic moves over.',
      resolve: ({ mode }) => MODES.parse(mode),
    }),
    requiresApproval: t.exposeBoolean('requiresApproval', {
      description: 'True when the cutover goes through the approval queue.',
    }),
    status: t.field({
      type: enumOf(STATUSES),
      description: 'Where it stands.',
      resolve: ({ status }) => STATUSES.parse(status),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

/** A scan. */
export const ScanType = builder.objectRef<Kept<Scan>>('MigrationScan').implement({
  description: 'A lookup of documented gaps and of the models in the registry, not a live probe.',
  fields: (t) => ({
    ...(shownFields(t, SCAN_FIELDS, ({ kept }: Kept<Scan>) => kept) as object),
    formula: t.string({ description: 'How the score is computed.', resolve: () => SCORE_FORMULA }),
    project: t.expose('project', { type: ProviderMigration, description: 'The migration.' }),
  }),
});

/** A request to cut over. */
export const CutoverType = builder.objectRef<Kept<Cutover>>('MigrationCutover').implement({
  description: 'A request to cut over, and what became of it.',
  fields: (t) => ({
    ...(shownFields(t, CUTOVER_FIELDS, ({ kept }: Kept<Cutover>) => kept) as object),
    project: t.expose('project', { type: ProviderMigration, description: 'The migration.' }),
  }),
});

builder.prismaObjectFields(ProviderMigration, (t) => ({
  scan: t.field({
    type: ScanType,
    nullable: true,
    description: 'The last compatibility scan; null before the first.',
    resolve: lastScan,
  }),
  receipt: t.loadable({
    type: COMPARISONS.type,
    nullable: true,
    description: 'The last comparison; null before the first.',
    load: async (ids: string[], ctx) => {
      const receipts = await COMPARISONS.byIds(authorized(ctx), ids);
      return ids.map((id) => receipts.get(id) ?? new Error(`no receipt ${id}`));
    },
    resolve: ({ receiptId }) => receiptId,
  }),
  receiptReason: t.string({
    nullable: true,
    description: 'Why there is no receipt; null when there is one.',
    resolve: ({ id, receiptId }) => (receiptId ? null : NO_RECEIPT.replace('{id}', id)),
  }),
  cutover: t.field({
    type: CutoverType,
    nullable: true,
    description: 'The last request to cut over; null before the first.',
    resolve: lastCutover,
  }),
  cutoverChecklist: t.loadableList({
    type: outputOf(CHECKLIST_ITEM),
    description: 'The checklist of the cutover as the rows show it now.',
    load: (projects: ProviderMigrationRow[], ctx) => readChecklists(authorized(ctx), projects),
    resolve: (project) => project,
  }),
  rollbackPlan: t.field({
    type: outputOf(ROLLBACK_PLAN),
    description: 'The way back.',
    resolve: planOf,
  }),
  history: t.loadableList({
    type: HistoryEntry,
    description: `The last ${HISTORY_MAX} steps, newest first.`,
    load: (ids: string[], ctx) =>
      latestOfEach(authorized(ctx), MIGRATION_JOURNAL, ids, HISTORY_MAX),
    resolve: ({ id }) => id,
  }),
}));
