import type { PoolClient } from 'pg';
import type { AuditEvent, AuditLink } from '../generated/prisma/client.js';
import type { Services } from '../graph/ctx.js';
import { type ChainedEvent, chainHash } from './audit-chain.rules.js';
import { type Batch, bringForward, type Reader } from './brought-forward.js';
import { databaseOf, type TenantScope } from './scope.js';

/** Events of one step; a trail that is far behind takes several. */
const ROWS_MAX = 1_000;

const READER: Reader = {
  name: 'audit_chain',
  table: 'audit_event',
  work: chain,
  // Links are never forgotten: what has one is passed over when the table is read anew.
  forget: async () => undefined,
};

/**
 * Links what has been recorded since to the chain of its organization: events in the order in which
 * their transactions became final, by one process at a time, so that no writer waits for a chain.
 * What a transaction that is still open has recorded is linked later.
 */
export async function chainTrails({ platformPool }: Pick<Services, 'platformPool'>): Promise<void> {
  let step: Awaited<ReturnType<typeof bringForward>>;
  do step = await bringForward(platformPool, READER, ROWS_MAX);
  while (step === 'moved' || step === 'restored');
}

type EventRow = Omit<Parts, 'position' | 'previousHash'>;

const UNLINKED = `SELECT e.id, e.tenant_id AS "tenantId", e.actor_kind AS "actorKind",
    e.actor_id AS "actorId", e.action, e.subject, e.subject_id AS "subjectId",
    e.before_hash AS "beforeHash", e.after_hash AS "afterHash", e.request_id AS "requestId",
    e.created_at AS "createdAt"
  FROM audit_event e
  WHERE (e.txid, e.seq) > ($1, $2) AND (e.txid, e.seq) <= ($3, $4) AND NOT EXISTS (
    SELECT FROM audit_link l WHERE l.tenant_id = e.tenant_id AND l.event_id = e.id)
  ORDER BY e.txid, e.seq LIMIT $5`;

const ENDS = `SELECT t.id AS "tenantId", l.position, l.chain_hash AS "chainHash"
  FROM unnest($1::uuid[]) t(id) CROSS JOIN LATERAL (
    SELECT position, chain_hash FROM audit_link WHERE tenant_id = t.id
    ORDER BY position DESC LIMIT 1) l`;

const INSERT = `INSERT INTO audit_link (tenant_id, position, event_id, previous_hash, chain_hash)
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::bytea[], $5::bytea[])`;

interface End {
  readonly position: number;
  readonly chainHash: Uint8Array<ArrayBuffer>;
}

async function chain(client: PoolClient, { after, until, limit }: Batch): Promise<void> {
  const values = [after.txid, after.seq, until.txid, until.seq, limit];
  const { rows } = await client.query<EventRow>(UNLINKED, values);
  if (rows.length === 0) return;
  const tenants = [...new Set(rows.map(({ tenantId }) => tenantId))];
  const known = await client.query<End & { tenantId: string }>(ENDS, [tenants]);
  const ends = new Map<string, End>(known.rows.map((each) => [each.tenantId, each]));
  const links = rows.map((row) => {
    const end = ends.get(row.tenantId);
    const position = (end?.position ?? 0) + 1;
    const previousHash = end?.chainHash ?? null;
    const event = chainedEvent({ ...row, position, previousHash });
    const hash = new Uint8Array(chainHash(event));
    ends.set(row.tenantId, { position, chainHash: hash });
    return { tenantId: row.tenantId, position, id: row.id, previousHash, hash };
  });
  await client.query(INSERT, [
    links.map(({ tenantId }) => tenantId),
    links.map(({ position }) => position),
    links.map(({ id }) => id),
    links.map(({ previousHash }) => previousHash),
    links.map(({ hash }) => hash),
  ]);
}

type Parts = Pick<
  AuditEvent,
  | 'id'
  | 'tenantId'
  | 'actorKind'
  | 'actorId'
  | 'action'
  | 'subject'
  | 'subjectId'
  | 'beforeHash'
  | 'afterHash'
  | 'requestId'
  | 'createdAt'
> &
  Pick<AuditLink, 'position' | 'previousHash'>;

function chainedEvent(parts: Parts): ChainedEvent {
  return {
    id: parts.id,
    tenant_id: parts.tenantId,
    position: parts.position,
    actor_kind: parts.actorKind,
    actor_id: parts.actorId,
    action: parts.action,
    subject: parts.subject,
    subject_id: parts.subjectId,
    before_hash: hex(parts.beforeHash),
    after_hash: hex(parts.afterHash),
    request_id: parts.requestId,
    created_at: parts.createdAt.toISOString(),
    previous_hash: hex(parts.previousHash),
  };
}

function hex(hash: Uint8Array | null): string | null {
  return hash === null ? null : Buffer.from(hash).toString('hex');
}

/** An event with its hash, as it is exported. */
export type ExportedEvent = ChainedEvent & { readonly chain_hash: string };

/** The tenant's chained events after a position, in the order of the chain. */
export async function exportedEvents(
  scope: TenantScope,
  after: number,
  limit: number,
): Promise<readonly ExportedEvent[]> {
  const links = await databaseOf(scope).auditLink.findMany({
    where: { tenantId: scope.who.tenantId, position: { gt: after } },
    orderBy: { position: 'asc' },
    take: limit,
    include: { event: true },
  });
  return links.map(({ event, position, previousHash, chainHash: hash }) => ({
    ...chainedEvent({ ...event, position, previousHash }),
    chain_hash: hex(hash) ?? '',
  }));
}
