import type { SealedReceipt } from '../generated/prisma/client.js';
import { type ConnectionArgs, type KeysetPage, keysetPage } from '../graph/keyset.js';
import { canonicalJson, type Sealable } from '../kernel/canonical.js';
import { fail } from '../kernel/errors/fail.js';
import { isUuid, newId } from '../kernel/ids.js';
import { keptCause } from '../kernel/trace.rules.js';
import {
  SEALED_RECEIPT_KINDS,
  sealedPlace,
  unlessErasing,
} from '../platform/database/sealed-columns.js';
import {
  CHAIN_START,
  type ChainFault,
  type ChainHead,
  checkChain,
  contentHash,
  isContentIntact,
} from './receipts.rules.js';
import { databaseOf, type TenantScope, type WriteOptions } from './scope.js';

/** What `seal` did: a new receipt, or the one that this key has had. */
export interface Sealed {
  readonly receipt: SealedReceipt;
  /** True when the key was sealed before; then the receipt holds the first content. */
  readonly alreadySealed: boolean;
}

interface SealRow {
  readonly receipt_id: string;
  readonly already_sealed: boolean;
}

/**
 * Seals content once by (tenant, kind, key): whoever comes later, or loses a race, gets the first
 * receipt unchanged. In a transaction of the caller, seal last: the tenant's other seals wait for
 * its end.
 * @throws TypeError when the content cannot be sealed exactly (kernel/canonical)
 */
export async function seal(
  scope: TenantScope,
  kind: string,
  key: string,
  content: Sealable,
  options: WriteOptions = {},
): Promise<Sealed> {
  const text = canonicalJson(content);
  const { tenantId } = scope.who;
  const database = databaseOf(scope, options);
  const id = newId('SealedReceipt');
  const sealed = await sealedText(scope, kind, id, text);
  const trace = scope.transport?.trace;
  // A statement that is by itself tells its trace before it seals; a transaction has told it.
  const told = trace === undefined ? null : keptCause(trace);
  const [row] = await unlessErasing(
    () => database.$queryRaw<SealRow[]>`
    WITH told AS MATERIALIZED (
      SELECT set_config('gw.trace', coalesce(${told}, current_setting('gw.trace', true), ''), true)
        AS trace)
    SELECT s.receipt_id, s.already_sealed FROM told CROSS JOIN LATERAL seal_receipt(
      ${id}::uuid, ${tenantId}::uuid, ${kind}, ${key}, ${text} || left(told.trace, 0),
      ${sealed}::bytea) s`,
  );
  const receipt = await database.sealedReceipt.findFirst({
    where: { id: row?.receipt_id, tenantId },
  });
  if (!row || !receipt) throw new Error('a sealed receipt cannot be read back');
  return { receipt, alreadySealed: row.already_sealed };
}

/** The sealed text of content that may hold personal data; null for content that stands open. */
async function sealedText(
  { services, who }: TenantScope,
  kind: string,
  id: string,
  text: string,
): Promise<Buffer | null> {
  if (!SEALED_RECEIPT_KINDS.has(kind)) return null;
  const place = sealedPlace('SealedReceipt', 'content', { tenantId: who.tenantId, key: [id] });
  return services.dataKeys.seal(place, Buffer.from(text, 'utf8'));
}

/**
 * The tenant's receipt with this id, of the kind when one is given.
 * @throws invalid_receipt_id, not_found (also for a receipt of another tenant or kind)
 */
export async function receiptById(
  scope: TenantScope,
  id: string,
  kind?: string,
): Promise<SealedReceipt> {
  if (!isUuid(id)) fail('invalid_receipt_id', { values: { id }, param: 'id' });
  const receipt = await databaseOf(scope).sealedReceipt.findFirst({ where: { id, kind } });
  return receipt ?? fail('not_found', { values: { subject: 'receipt', id }, param: 'id' });
}

/** Those of the tenant's receipts of a kind that the ids name, in no order. */
export function receiptsByIds(
  scope: TenantScope,
  kind: string,
  ids: readonly string[],
  options: WriteOptions = {},
): Promise<SealedReceipt[]> {
  const where = { id: { in: [...ids] }, kind, tenantId: scope.who.tenantId };
  return databaseOf(scope, options).sealedReceipt.findMany({ where });
}

/** The tenant's receipt of this kind under this key, or undefined. */
export async function receiptByKey(
  scope: TenantScope,
  kind: string,
  sealKey: string,
  options: WriteOptions = {},
): Promise<SealedReceipt | undefined> {
  const where = { kind, sealKey, tenantId: scope.who.tenantId };
  return (await databaseOf(scope, options).sealedReceipt.findFirst({ where })) ?? undefined;
}

/** Those of the tenant's receipts of a kind that the keys name, in no order. */
export function receiptsByKeys(
  scope: TenantScope,
  kind: string,
  sealKeys: readonly string[],
  options: WriteOptions = {},
): Promise<SealedReceipt[]> {
  const where = { sealKey: { in: [...sealKeys] }, kind, tenantId: scope.who.tenantId };
  return databaseOf(scope, options).sealedReceipt.findMany({ where });
}

/** How many receipts of a kind the tenant has. */
export function countReceipts(scope: TenantScope, kind: string): Promise<number> {
  const where = { tenantId: scope.who.tenantId, kind };
  return databaseOf(scope).sealedReceipt.count({ where });
}

/**
 * A page of the tenant's receipts of a kind that meet a condition of Prisma, the latest sealed
 * first unless asked otherwise.
 */
export function receiptsOfKind(
  scope: TenantScope,
  kind: string,
  args: ConnectionArgs,
  condition: object = {},
): Promise<KeysetPage<SealedReceipt>> {
  return keysetPage(
    args,
    (receipt) => receipt.position,
    (beyond, take, grows) =>
      databaseOf(scope).sealedReceipt.findMany({
        where: { ...condition, kind, position: { [grows ? 'gt' : 'lt']: beyond } },
        orderBy: { position: grows ? 'asc' : 'desc' },
        take,
      }),
  );
}

/** What recomputing a stored receipt showed. Hashes are hexadecimal. */
export interface Verification {
  /** The stored content still has the stored hash, or was erased by the organization. */
  readonly valid: boolean;
  readonly hash: string;
  /** Null where the content was erased, and nothing is left to hash. */
  readonly recomputedHash: string | null;
  readonly erased: boolean;
  /** The receipt still follows on the one before it, and the one after it on this one. */
  readonly chainValid: boolean;
}

/**
 * Recomputes a receipt's hash from its stored content, and its links to both neighbours.
 * @throws invalid_receipt_id, not_found
 */
export async function verifyReceipt(
  scope: TenantScope,
  id: string,
  kind?: string,
): Promise<Verification> {
  const receipt = await receiptById(scope, id, kind);
  const [before, after] = await Promise.all([
    atPosition(scope, receipt.position - 1n),
    atPosition(scope, receipt.position + 1n),
  ]);
  const chain = checkChain(after ? [receipt, after] : [receipt], before ?? CHAIN_START);
  return {
    valid: isContentIntact(receipt),
    hash: Buffer.from(receipt.sha256).toString('hex'),
    recomputedHash: receipt.content === null ? null : contentHash(receipt.content).toString('hex'),
    erased: receipt.content === null,
    chainValid: chain.faults.length === 0,
  };
}

function atPosition(scope: TenantScope, position: bigint): Promise<SealedReceipt | null> {
  return databaseOf(scope).sealedReceipt.findFirst({ where: { position } });
}

/** The outcome of walking a tenant's whole chain. */
export interface ChainVerification {
  readonly valid: boolean;
  readonly receiptCount: number;
  /** The first faults, at most 100. */
  readonly faults: readonly ChainFault[];
  /** The last receipt's position and chain hash, to be kept and compared with a later walk. */
  readonly head: ChainHead;
}

const WALK_ROWS = 500;
const FAULTS_MAX = 100;

/** Recomputes every receipt of the tenant and every link between them, page by page. */
export async function verifyChain(scope: TenantScope): Promise<ChainVerification> {
  const faults: ChainFault[] = [];
  let head: ChainHead = CHAIN_START;
  let receiptCount = 0;
  for (;;) {
    const receipts = await databaseOf(scope).sealedReceipt.findMany({
      where: { position: { gt: head.position } },
      orderBy: { position: 'asc' },
      take: WALK_ROWS,
    });
    const checked = checkChain(receipts, head);
    faults.push(...checked.faults.slice(0, FAULTS_MAX - faults.length));
    head = checked.head;
    receiptCount += receipts.length;
    if (receipts.length < WALK_ROWS) break;
  }
  return { valid: faults.length === 0, receiptCount, faults, head };
}

/** Whether a receipt of a kind is sealed under a key: SQL over the named columns of a statement. */
export function isSealedSql(kind: string, tenant: string, key: string): string {
  return `EXISTS (SELECT FROM sealed_receipt r WHERE r.tenant_id = ${tenant}
    AND r.kind = '${kind}' AND r.seal_key = ${key})`;
}
