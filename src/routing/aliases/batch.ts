import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { Transaction } from '../../graph/ctx.js';
import { countContracts, type PublishingScope } from '../../records/contracts.js';
import type { WriteOptions } from '../../records/scope.js';
import { routePolicyKeyOf } from './alias.rules.js';
import { ALIASES_MAX } from './fields.js';
import { MODEL_ALIASES } from './records.js';
import type { AliasScope } from './service.js';

/** An alias that somebody wants, such as a migration. */
export interface WantedAlias {
  readonly alias: string;
  readonly target: string;
}

/** What became of a wanted alias. */
export interface MadeAlias extends WantedAlias {
  /** The version that stands for it; null where a model of that name is served by itself. */
  readonly version: number | null;
  /** False where it was there already, or is not needed. */
  readonly created: boolean;
}

type Found = Awaited<ReturnType<typeof MODEL_ALIASES.latestOf>>;

/** What is known of wanted aliases, for many wishes at once. */
export interface AliasFacts {
  readonly found: Found;
  /** How many names the organization has, removed ones among them. */
  readonly total: number;
}

/** Lets nobody else publish these aliases until the transaction ends. */
export async function lockAliases(
  scope: AliasScope,
  tx: Transaction,
  wanted: readonly WantedAlias[],
): Promise<void> {
  // Everybody in the same order, so that nobody waits for a lock behind whom others wait.
  const names = wanted.map(({ alias }) => alias).sort();
  for (const name of names) await MODEL_ALIASES.lock(scope, tx, name);
}

/** Reads what stands under wanted names, by one statement each for however many there are. */
export async function aliasFacts(
  scope: AliasScope,
  wanted: readonly WantedAlias[],
  options: WriteOptions = {},
): Promise<AliasFacts> {
  if (wanted.length === 0) return { found: new Map(), total: 0 };
  const names = [...new Set(wanted.map(({ alias }) => alias))];
  const found = await MODEL_ALIASES.latestOf(scope, names, options);
  return { found, total: await countContracts(scope, MODEL_ALIASES.kind, options) };
}

/** Why wanted aliases cannot be created, in words; empty where they can. */
export function aliasConflicts(
  { services: { registry } }: AliasScope,
  wanted: readonly WantedAlias[],
  { found, total }: AliasFacts,
): string[] {
  const isCallable = (target: string) =>
    target === AUTO_MODEL || registry.models.has(target) || routePolicyKeyOf(target) !== undefined;
  const conflicts = wanted.flatMap(({ alias, target }) => {
    const body = found.get(alias)?.body;
    if (body?.active && body.target !== target) return [`${alias} stands for ${body.target}`];
    return isCallable(target) ? [] : [`${alias}: the target ${target} cannot be called`];
  });
  const fresh = wanted.filter(({ alias }) => !found.has(alias)).length;
  if (fresh === 0 || total + fresh <= ALIASES_MAX) return conflicts;
  return [...conflicts, `${total + fresh} names are more than the ${ALIASES_MAX} allowed`];
}

/**
 * Creates the wanted aliases that are not there, in the caller's transaction, which has locked
 * them and found no conflict. A model that is served by itself keeps its name.
 */
export async function createAliases(
  scope: AliasScope & PublishingScope,
  tx: Transaction,
  wanted: readonly WantedAlias[],
): Promise<MadeAlias[]> {
  const { found } = await aliasFacts(scope, wanted, { tx });
  const made: MadeAlias[] = [];
  for (const { alias, target } of wanted) {
    const last = found.get(alias);
    if (last?.body.active) {
      made.push({ alias, target, version: last.version, created: false });
    } else if (scope.services.registry.models.has(alias)) {
      made.push({ alias, target, version: null, created: false });
    } else {
      const body = { alias, target, active: true, shadowsModel: false };
      const { version } = await MODEL_ALIASES.publish(scope, body, { tx });
      made.push({ alias, target, version, created: true });
    }
  }
  return made;
}

/**
 * Removes those of made aliases that were created then and that nobody has changed since, in the
 * caller's transaction.
 * @returns the names that were removed
 */
export async function removeAliases(
  scope: AliasScope & PublishingScope,
  tx: Transaction,
  made: readonly MadeAlias[],
): Promise<string[]> {
  const created = made.filter((each) => each.created);
  await lockAliases(scope, tx, created);
  const { found } = await aliasFacts(scope, created, { tx });
  const removed: string[] = [];
  for (const { alias, version } of created) {
    const last = found.get(alias);
    if (!last?.body.active || last.version !== version) continue;
    await MODEL_ALIASES.publish(scope, { ...last.body, active: false }, { tx });
    removed.push(alias);
  }
  return removed;
}
