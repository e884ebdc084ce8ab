import type { ContractVersion } from '../generated/prisma/client.js';
import type { Transaction } from '../graph/ctx.js';
import { type ConnectionArgs, type KeysetPage, keysetPage } from '../graph/keyset.js';
import type { Sealable } from '../kernel/canonical.js';
import { fail } from '../kernel/errors/fail.js';
import type { SealedContent } from '../kernel/fields/sealed.js';
import { newId } from '../kernel/ids.js';
import type { Window } from '../kernel/window.rules.js';
import { databaseOf, type TenantScope, type WriteOptions } from './scope.js';

const VERSION_MAX = 2 ** 31 - 1;

/** Names one contract of a tenant: what sort of contract, and which. */
export interface ContractName {
  readonly kind: string;
  readonly key: string;
}

/** Whoever publishes: the actor stands in the version. */
export interface PublishingScope extends TenantScope {
  readonly who: { readonly tenantId: string; readonly id: string };
}

/**
 * Appends the contract's next version: 1, 2, 3 without a gap, also when several publish at once.
 * In a transaction of the caller, publish last: others who publish this contract wait for its end.
 */
export async function publishContract(
  scope: PublishingScope,
  { kind, key }: ContractName,
  body: Sealable,
  options: WriteOptions = {},
): Promise<ContractVersion> {
  const id = newId('ContractVersion');
  const { tenantId, id: author } = scope.who;
  const database = databaseOf(scope, options);
  await database.$queryRaw`SELECT append_contract_version(${id}::uuid, ${tenantId}::uuid,
    ${kind}, ${key}, ${JSON.stringify(body)}::jsonb, ${author}::uuid)`;
  return database.contractVersion.findUniqueOrThrow({ where: { id } });
}

/** Whoever publishes this contract waits here until the transaction ends, as publishing does. */
export async function lockContract(
  { who }: TenantScope,
  tx: Transaction,
  { kind, key }: ContractName,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(
    E'\n', 'contract_version', ${who.tenantId}::uuid, ${kind}::text, ${key}::text), 0))`;
}

/** The latest version, or null when nothing was published under this name. */
export function latestContract(
  scope: TenantScope,
  name: ContractName,
  options: WriteOptions = {},
): Promise<ContractVersion | null> {
  return databaseOf(scope, options).contractVersion.findFirst({
    where: whereOf(scope, name),
    orderBy: { version: 'desc' },
  });
}

/** The latest versions, the last one first, at most as many as are asked for. */
export function latestVersions(
  scope: TenantScope,
  name: ContractName,
  limit: number,
  options: WriteOptions = {},
): Promise<ContractVersion[]> {
  return databaseOf(scope, options).contractVersion.findMany({
    where: whereOf(scope, name),
    orderBy: { version: 'desc' },
    take: limit,
  });
}

/** The latest version. @throws not_found when nothing was published under this name */
export async function currentContract(
  scope: TenantScope,
  name: ContractName,
  options: WriteOptions = {},
): Promise<ContractVersion> {
  return (await latestContract(scope, name, options)) ?? failNotFound(name.kind, name.key);
}

/** How many contracts of a kind the tenant has. */
export function countContracts(
  scope: TenantScope,
  kind: string,
  options: WriteOptions = {},
): Promise<number> {
  const where = { tenantId: scope.who.tenantId, kind, version: 1 };
  return databaseOf(scope, options).contractVersion.count({ where });
}

/**
 * How many other contracts of the kind have a version that is in force at some moment of a window,
 * where each is for as many days from its publication as a member of its body says.
 */
export async function countOthersInForce(
  scope: TenantScope,
  { kind, key }: ContractName,
  { from, to }: Window,
  daysMember: string,
  options: WriteOptions = {},
): Promise<number> {
  const [row] = await databaseOf(scope, options).$queryRaw<{ others: number }[]>`
    SELECT count(DISTINCT contract_key)::int AS others FROM contract_version
    WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ${kind}
      AND contract_key <> ${key}
      AND created_at < ${to}
      AND created_at + make_interval(days => (body ->> ${daysMember})::int) > ${from}`;
  return row?.others ?? 0;
}

/** One version. @throws not_found */
export async function contractAtVersion(
  scope: TenantScope,
  name: ContractName,
  version: number,
): Promise<ContractVersion> {
  // A number that is no version names nothing, whatever the column could hold.
  const known = Number.isInteger(version) && version > 0 && version <= VERSION_MAX;
  const where = { ...whereOf(scope, name), version };
  const found = known ? await databaseOf(scope).contractVersion.findFirst({ where }) : null;
  return found ?? failNotFound(`version of ${name.kind}`, `${name.key} ${version}`);
}

/** A page of all versions, the latest first; empty when nothing was published under this name. */
export function contractHistory(
  scope: TenantScope,
  name: ContractName,
  args: ConnectionArgs,
): Promise<KeysetPage<ContractVersion>> {
  return keysetPage(
    args,
    (row) => BigInt(row.version),
    (below, take) =>
      databaseOf(scope).contractVersion.findMany({
        where: {
          ...whereOf(scope, name),
          // A cursor can hold more than the column.
          version: { lt: below === undefined ? undefined : Math.min(Number(below), VERSION_MAX) },
        },
        orderBy: { version: 'desc' },
        take,
      }),
  );
}

/** The latest versions under these names, by one statement; none for what was never published. */
export async function latestContracts(
  scope: TenantScope,
  kind: string,
  keys: readonly string[],
  { until = null, ...options }: WriteOptions & { readonly until?: Date | null } = {},
): Promise<ContractVersion[]> {
  const database = databaseOf(scope, options);
  const found = await database.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT ON (contract_key) id FROM contract_version
    WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ${kind}
      AND contract_key = ANY(${[...keys]}::text[])
      AND created_at <= coalesce(${until}::timestamptz, 'infinity')
    ORDER BY contract_key, version DESC`;
  return database.contractVersion.findMany({ where: { id: { in: found.map(({ id }) => id) } } });
}

/** The most versions of some contracts that are read at once. */
const VERSIONS_MAX = 10_000;

/**
 * All versions of the tenant's contracts of a kind, or of some keys of it, the latest first.
 * @throws RangeError where there are more than 10,000
 */
export async function allVersions(
  scope: TenantScope,
  kind: string,
  keys?: readonly string[],
  options: WriteOptions = {},
): Promise<ContractVersion[]> {
  const contractKey = keys && { in: [...keys] };
  const rows = await databaseOf(scope, options).contractVersion.findMany({
    where: { tenantId: scope.who.tenantId, kind, contractKey },
    orderBy: [{ contractKey: 'asc' }, { version: 'desc' }],
    take: VERSIONS_MAX + 1,
  });
  if (rows.length > VERSIONS_MAX) throw new RangeError(`more than ${VERSIONS_MAX} versions`);
  return rows;
}

/**
 * The items of a list in the bodies of a contract, each as the latest version that has it states
 * it. One that a later version leaves out counts too. `by` is the member that names an item.
 */
export async function latestItems(
  scope: TenantScope,
  { kind, key }: ContractName,
  { list, by, names }: { readonly list: string; readonly by: string; readonly names: string[] },
  options: WriteOptions = {},
): Promise<SealedContent[]> {
  const rows = await databaseOf(scope, options).$queryRaw<{ readonly item: SealedContent }[]>`
    SELECT DISTINCT ON (named) item FROM (
      SELECT item, item ->> ${by}::text AS named, version
      FROM contract_version, jsonb_array_elements(body -> ${list}::text) AS item
      WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ${kind} AND contract_key = ${key}
    ) each WHERE named = ANY(${names}) ORDER BY named, version DESC`;
  return rows.map(({ item }) => item);
}

const CURRENT_MAX = 1_000;

/**
 * The current version of each of the tenant's contracts of a kind, in the order of their keys, at
 * most 1,000. The next ones follow `afterKey`.
 */
export async function currentContracts(
  scope: TenantScope,
  kind: string,
  afterKey = '',
  options: WriteOptions = {},
): Promise<ContractVersion[]> {
  const database = databaseOf(scope, options);
  const found = await database.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT ON (contract_key) id FROM contract_version
    WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ${kind}
      AND contract_key > ${afterKey}
    ORDER BY contract_key, version DESC LIMIT ${CURRENT_MAX}`;
  const where = { id: { in: found.map((row) => row.id) } };
  return database.contractVersion.findMany({ where, orderBy: { contractKey: 'asc' } });
}

function whereOf(scope: TenantScope, { kind, key }: ContractName) {
  return { tenantId: scope.who.tenantId, kind, contractKey: key };
}

function failNotFound(subject: string, id: string): never {
  fail('not_found', { values: { subject, id } });
}
