import type { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { canonicalJson } from '../../kernel/canonical.js';
import { sharedNow } from '../../kernel/clock.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { databaseNow } from '../../records/clock.js';
import type { RecordState } from './changes.js';

/** Names one record of a tenant. */
export interface RecordKey {
  readonly tenantId: string;
  readonly connector: string;
  readonly recordRef: string;
}

/** A record as the gateway sees it, and the time of the database. */
export interface LockedRecord {
  readonly version: number;
  readonly state: RecordState;
  readonly now: Date;
}

/**
 * Locks a record until the transaction ends, so that whatever looks at it or changes it comes one
 * after the other.
 */
export async function lockRecord(
  tx: Transaction,
  { tenantId, connector, recordRef }: RecordKey,
): Promise<LockedRecord | undefined> {
  const [locked] = await tx.$queryRaw<{ now: Date }[]>`
    SELECT clock_timestamp() AS now FROM integration_record
    WHERE tenant_id = ${tenantId}::uuid AND connector = ${connector} AND record_ref = ${recordRef}
    FOR UPDATE`;
  const where = { tenantId, connector, recordRef };
  const row = locked && (await tx.integrationRecord.findFirstOrThrow({ where }));
  if (!row || isErased(row, 'state')) return undefined;
  return { version: row.version, state: row.state as RecordState, now: locked.now };
}

/**
 * Locks a record as a caller states it. One that was not seen before begins at version 1; one that
 * is stated otherwise than the gateway knows it has moved, so its version goes on by one.
 */
export async function lockStatedRecord(
  tx: Transaction,
  key: RecordKey,
  stated: RecordState,
): Promise<LockedRecord> {
  const { tenantId, connector, recordRef } = key;
  await tx.integrationRecord.createMany({
    data: [{ tenantId, connector, recordRef, state: stated as Prisma.InputJsonObject }],
    skipDuplicates: true,
  });
  const locked = await lockRecord(tx, key);
  // The state that was known is erased: the record is stated anew.
  if (!locked) return { state: stated, ...(await restate(tx, key, stated)) };
  if (canonicalJson(locked.state) === canonicalJson(stated)) return locked;
  return { ...locked, state: stated, version: await moveRecord(tx, key, stated) };
}

async function restate(tx: Transaction, key: RecordKey, state: RecordState) {
  const version = await moveRecord(tx, key, state);
  return { version, now: await databaseNow(tx) };
}

/** Gives a locked record another state. @returns its new version */
export async function moveRecord(
  tx: Transaction,
  key: RecordKey,
  state: RecordState,
): Promise<number> {
  const moved = await tx.integrationRecord.update({
    where: { tenantId_connector_recordRef: key },
    data: {
      state: state as Prisma.InputJsonObject,
      version: { increment: 1 },
      updatedAt: sharedNow(),
    },
  });
  return moved.version;
}
