import type { ProviderMigration as ProviderMigrationRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import type { Sealable } from '../../kernel/canonical.js';
import { latestOfEach } from '../../records/journals.js';
import { aliasesOf } from './aliases.js';
import { cutoverOf, planOf, scanOf } from './columns.js';
import { readChecklists } from './facts.js';
import { HISTORY_FIELDS } from './history-tables.js';
import { COMPARISONS } from './receipts.js';
import { MIGRATION_JOURNAL } from './step.js';
import {
  CHECKLIST_ITEM,
  CUTOVER_FIELDS,
  type Cutover,
  MIGRATION_ALIAS,
  PROJECT_FIELDS,
  ROLLBACK_PLAN,
  SCAN_FIELDS,
  type Scan,
} from './tables.js';
import { MIGRATION_NOTES, SCORE_FORMULA } from './vocabulary.js';

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

const HistoryEntry = builder
  .objectRef<Awaited<ReturnType<typeof latestOfEach>>[number][number]>('MigrationHistoryEntry')
  .implement({
    description: 'A step in the life of a migration.',
    fields: (t) =>
      shownFields(t, HISTORY_FIELDS, ({ value, body, createdAt }) => ({
        event: MIGRATION_NOTES.parse(value),
        details: body as Sealable,
        createdAt,
      })),
  });

const NO_RECEIPT = 'No comparison was made yet; POST /v1/gw/migration/projects/{id}/compare.';

/** A migration. */
export const ProviderMigration = builder.prismaNode('ProviderMigration', {
  id: { field: 'id', description: 'The id of the migration.' },
  description: 'The move of clients from another provider to this gateway.',
  fields: (t) => ({
    ...(storedFields(t, PROJECT_FIELDS) as object),
    useCases: t.stringList({
      description: 'What the clients do.',
      resolve: ({ useCases }) => useCases as string[],
    }),
  }),
});

/** A scan. */
export const ScanType = builder.objectRef<Kept<Scan>>('MigrationScan').implement({
  description: 'A lookup of documented gaps and of the models in the registry, not a live probe.',
  fields: (t) => ({
    ...(shownFields(t, SCAN_FIELDS, ({ kept }: Kept<Scan>) => kept) as object),
    formula: t.string({ description: 'How the score is computed.', resolve: () => SCORE_FORMULA }),
    project: t.expose('project', {
      type: ProviderMigration,
      description: 'The migration as it stands now.',
    }),
  }),
});

/** A request to cut over. */
export const CutoverType = builder.objectRef<Kept<Cutover>>('MigrationCutover').implement({
  description: 'A request to cut over, and what became of it.',
  fields: (t) => ({
    ...(shownFields(t, CUTOVER_FIELDS, ({ kept }: Kept<Cutover>) => kept) as object),
    project: t.expose('project', {
      type: ProviderMigration,
      description: 'The migration as it stands now.',
    }),
  }),
});

builder.prismaObjectFields(ProviderMigration, (t) => ({
  aliases: t.field({
    type: [outputOf(MIGRATION_ALIAS)],
    description: 'The aliases that the cut-over creates, so that clients keep their model names.',
    resolve: aliasesOf,
  }),
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
    description: 'The way back to the old provider.',
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
