import type { Prisma, ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import type { PublishingScope } from '../../records/contracts.js';
import { aliasNameFaults } from '../../routing/aliases/alias.rules.js';
import {
  type AliasFacts,
  aliasConflicts,
  createAliases,
  lockAliases,
  removeAliases,
} from '../../routing/aliases/batch.js';
import { ALIAS_LENGTH_MAX } from '../../routing/aliases/fields.js';
import { type AliasScope, targetFaults } from '../../routing/aliases/service.js';
import { cutoverOf, stored } from './columns.js';
import {
  type CutoverAlias,
  MIGRATION_ALIAS,
  type MigrationAlias,
  type MigrationDraft,
} from './tables.js';

/** The aliases that the cut-over of a migration is to create. */
export function aliasesOf({ aliases }: Pick<ProviderMigration, 'aliases'>): MigrationAlias[] {
  const contents = aliases as readonly SealedContent[];
  return contents.map((content) => openedContent(MIGRATION_ALIAS.fields, content));
}

/** The same as its column takes them. */
export function storedAliases(aliases: readonly MigrationAlias[]): Prisma.InputJsonArray {
  return aliases.map((each) => stored(MIGRATION_ALIAS.fields, each));
}

/** What a new migration is to create: as it states, else the model that its clients name now. */
export function proposedAliases(
  { services }: AuthorizedCtx,
  { aliases, sourceModel }: Pick<MigrationDraft, 'aliases' | 'sourceModel'>,
  targetModel: string,
): readonly MigrationAlias[] {
  if (aliases !== null) return aliases;
  const isServed = sourceModel === null || services.registry.models.has(sourceModel);
  if (isServed || isNoAlias(sourceModel)) return [];
  const reason = 'The clients name this model now; the target is that of the migration.';
  return [{ alias: sourceModel, target: targetModel, reason }];
}

function isNoAlias(name: string): boolean {
  return name.length > ALIAS_LENGTH_MAX || aliasNameFaults('', name).length > 0;
}

/** The faults of the targets of stated aliases. */
export async function aliasTargetFaults(
  ctx: AuthorizedCtx,
  aliases: readonly MigrationAlias[],
): Promise<Fault[]> {
  const faults = aliases.map(({ target }, index) =>
    targetFaults(ctx, `input.aliases.${index}.target`, target),
  );
  return (await Promise.all(faults)).flat();
}

/** Lets nobody else publish the aliases of a migration until the transaction ends. */
export function lockAliasesOf(
  scope: AliasScope,
  tx: Transaction,
  project: ProviderMigration,
): Promise<void> {
  return lockAliases(scope, tx, aliasesOf(project));
}

/** What the checklist shows of the aliases of a migration. */
export function aliasEvidence(scope: AliasScope, project: ProviderMigration, facts: AliasFacts) {
  const wanted = aliasesOf(project);
  return { aliasCount: wanted.length, aliasConflicts: aliasConflicts(scope, wanted, facts) };
}

/** Creates the aliases of a migration that is cut over, those that are not there yet. */
export function createAliasesOf(
  scope: AliasScope & PublishingScope,
  tx: Transaction,
  project: ProviderMigration,
): Promise<CutoverAlias[]> {
  return createAliases(scope, tx, aliasesOf(project));
}

/** Removes the aliases that the cut-over of a migration has created. @returns their names */
export function removeAliasesOf(
  ctx: AuthorizedCtx,
  tx: Transaction,
  project: ProviderMigration,
): Promise<string[]> {
  return removeAliases(ctx, tx, cutoverOf(project)?.aliases ?? []);
}
