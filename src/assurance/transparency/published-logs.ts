import { sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { QueryResultRow } from 'pg';
import { openLogKey } from '../../access/auth/log-keys.js';
import type { Services } from '../../graph/ctx.js';
import { consistencyRanges } from '../../kernel/merkle.rules.js';
import {
  checkpointBody,
  NOTE_KEYS,
  noteLine,
  readVerifierKey,
  verifierKeyText,
} from '../../kernel/signed-note.js';
import type { GoodCosignature } from './cosignatures.rules.js';
import type { Checkpoint } from './log.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly publishedLogs: PublishedLogs;
  }
}

/** A log that is public. */
export interface Publication {
  readonly id: string;
  readonly tenantId: string;
  readonly origin: string;
  readonly publicKey: Uint8Array;
  readonly privateSealed: Uint8Array;
}

/** A checkpoint as its note says it, with when the log had it. */
export type Point = Pick<Checkpoint, 'size' | 'rootSha256' | 'createdAt'>;

/** Signatures of logs over checkpoints that are remembered. */
const LINES_MAX = 1_000;

/** The columns of a publication `p`. */
export const PUBLICATION = `p.id, p.tenant_id AS "tenantId", p.origin,
  p.public_key AS "publicKey", p.private_sealed AS "privateSealed"`;
/** The columns of a checkpoint `c`. */
export const POINT = `c.size, c.root_sha256 AS "rootSha256", c.created_at AS "createdAt"`;

const BY_NAME = `SELECT ${PUBLICATION} FROM log_publication p
  WHERE p.name = $1 AND p.ended_at IS NULL`;
const OF_TENANT = `SELECT ${PUBLICATION} FROM log_publication p
  WHERE p.tenant_id = $1 AND p.ended_at IS NULL`;

const LATEST = `SELECT ${POINT} FROM log_checkpoint c WHERE c.tenant_id = $1
  ORDER BY c.size DESC LIMIT 1`;
const COSIGNED = `SELECT ${POINT} FROM log_checkpoint c WHERE c.tenant_id = $1 AND c.size = (
    SELECT s.size FROM log_cosignature s WHERE s.publication_id = $2
    GROUP BY s.size HAVING count(*) >= $3 ORDER BY s.size DESC LIMIT 1)`;
const OF_SIZE = `SELECT ${POINT} FROM log_checkpoint c WHERE c.tenant_id = $1 AND c.size = $2`;

const LINES = `SELECT line FROM log_cosignature WHERE publication_id = $1 AND size = $2
  ORDER BY created_at, witness`;

const KEEP = `INSERT INTO log_cosignature
    (publication_id, tenant_id, size, witness, cosigned_at, line)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;
const KEPT = `SELECT split_part(witness, '+', 1) AS witness, cosigned_at AS time
  FROM log_cosignature WHERE publication_id = $1 AND size = $2
  ORDER BY created_at, witness`;

/** A cosignature as it is shown. */
export interface ShownCosignature {
  readonly witness: string;
  readonly time: Date;
}

/** Writes the checkpoints of published logs as notes, and keeps what witnesses sign of them. */
export class PublishedLogs {
  /** By publication and size: what was signed once is the same for ever. */
  private readonly signed = new LRUCache<string, string>({ max: LINES_MAX });

  constructor(
    private readonly services: Pick<Services, 'platformPool' | 'keyring' | 'transparencyLog'>,
  ) {}

  /** The log that is public under a name; undefined where none is. */
  async named(name: string): Promise<Publication | undefined> {
    const [found] = await this.read<Publication>(BY_NAME, [name]);
    return found;
  }

  /** The public log of an organization; undefined where it has none. */
  async ofTenant(tenantId: string): Promise<Publication | undefined> {
    const [found] = await this.read<Publication>(OF_TENANT, [tenantId]);
    return found;
  }

  /** The latest checkpoint that has at least so many cosignatures; undefined where none has. */
  async latest({ id, tenantId }: Publication, cosignaturesMin = 0): Promise<Point | undefined> {
    const [found] =
      cosignaturesMin === 0
        ? await this.read<Point>(LATEST, [tenantId])
        : await this.read<Point>(COSIGNED, [tenantId, id, cosignaturesMin]);
    return found;
  }

  /** The checkpoint of a size; undefined where the log has signed none. */
  async ofSize({ tenantId }: Publication, size: bigint): Promise<Point | undefined> {
    const [found] = await this.read<Point>(OF_SIZE, [tenantId, size]);
    return found;
  }

  /** A checkpoint as a note: signed by the log, then by each witness that has cosigned it. */
  async noteOf(publication: Publication, point: Point): Promise<string> {
    const lines = await this.read<{ line: string }>(LINES, [publication.id, point.size]);
    const all = [await this.lineOf(publication, point), ...lines.map(({ line }) => line)];
    return `${bodyOf(publication, point)}\n${all.map((line) => `${line}\n`).join('')}`;
  }

  /** What a witness is asked with: the size that it knows, what proves the growth, and the note. */
  async requestOf(publication: Publication, old: bigint, point: Point): Promise<string> {
    const ranges = old === 0n ? [] : consistencyRanges(Number(old), Number(point.size));
    const roots = await this.services.transparencyLog.roots(publication.tenantId, ranges);
    const proof = roots.map((root) => `${Buffer.from(root).toString('base64')}\n`).join('');
    return `old ${old}\n${proof}\n${await this.noteOf(publication, point)}`;
  }

  /** Keeps the first cosignature of each witness for a checkpoint, and answers all that it has. */
  async keep(
    { id, tenantId }: Publication,
    { size }: Point,
    good: readonly GoodCosignature[],
  ): Promise<readonly ShownCosignature[]> {
    for (const { witness, cosignedAt, line } of good) {
      const values = [id, tenantId, size, witness.text, cosignedAt, line];
      await this.services.platformPool.query(KEEP, values);
    }
    return this.read<ShownCosignature>(KEPT, [id, size]);
  }

  /** The log signs its checkpoint only where its tree still has that root. */
  private async lineOf(publication: Publication, point: Point): Promise<string> {
    const { id, tenantId, origin, publicKey } = publication;
    const place = `${id} ${point.size}`;
    const known = this.signed.get(place);
    if (known !== undefined) return known;
    await this.services.transparencyLog.requireStill(tenantId, point);
    const key = readVerifierKey(logKeyOf({ origin, publicKey }), NOTE_KEYS.log);
    if (typeof key === 'string') throw new Error(`the key of the log ${origin} ${key}`);
    const privateKey = openLogKey(this.services.keyring, publication);
    const signature = sign(null, Buffer.from(bodyOf(publication, point)), privateKey);
    const line = noteLine(key, signature);
    this.signed.set(place, line);
    return line;
  }

  private async read<R>(text: string, values: unknown[]): Promise<readonly R[]> {
    return (await this.services.platformPool.query<R & QueryResultRow>(text, values)).rows;
  }
}

/** The text of a checkpoint of a published log. */
export function bodyOf({ origin }: Pick<Publication, 'origin'>, point: Omit<Point, 'createdAt'>) {
  return checkpointBody(origin, point.size, point.rootSha256);
}

/** The key by which notes of a log are verified. */
export function logKeyOf({ origin, publicKey }: Pick<Publication, 'origin' | 'publicKey'>): string {
  return verifierKeyText(origin, NOTE_KEYS.log, publicKey);
}
