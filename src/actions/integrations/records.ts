import type { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { canonicalJson } from '../../kernel/canonical.js';
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
  const [row] = await tx.$queryRaw<LockedRecord[]>`
    SELECT version, state, clock_timestamp() AS now FROM integration_record
    WHERE tenant_id = ${tenantId}::uuid AND connector = ${connector} AND record_ref = ${recordRef}
    FOR UPDATE`;
  return row;
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
  const text = canonicalJson(stated);
  await tx.$executeRaw`
    INSERT INTO integration_record (tenant_id, connector, record_ref, state)
    VALUES (${tenantId}::uuid, ${connector}, ${recordRef}, ${text}::jsonb)
    ON CONFLICT DO NOTHING`;
  const locked = await lockRecord(tx, key);
  if (!locked) throw new Error('a record that was just written cannot be read');
  if (canonicalJson(locked.state) === text) return locked;
  return { ...locked, state: stated, version: await moveRecord(tx, key, stated) };
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
      updatedAt: new Date(),
    },
  });
  return moved.version;
}
