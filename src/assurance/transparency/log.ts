import { decodeProtectedHeader } from 'jose';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { newId } from '../../kernel/ids.js';
import type { Range } from '../../kernel/merkle.rules.js';
import { warnUnlessAway } from '../../platform/database/outage.js';
import type { LookTimes } from '../../records/looks.js';
import { RECEIPT_LEAVES } from '../../records/receipt-leaves.js';
import { appendLeaves } from './append.js';
import { type ReadRows, rootsOf } from './tiles.js';
import { CHECKPOINT_EVERY_MS, CHECKPOINT_STATEMENT } from './vocabulary.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly transparencyLog: TransparencyLog;
  }
}

/** What the house has signed of the log of a tenant. */
export interface Checkpoint {
  readonly id: string;
  readonly size: bigint;
  readonly rootSha256: Uint8Array;
  /** The signed text, a JWS. */
  readonly statement: string;
  readonly createdAt: Date;
}

/** Of a checkpoint what it says. */
type Signed = Pick<Checkpoint, 'size' | 'rootSha256' | 'statement'>;

/** How often it is asked whether a log is behind. */
export const LOG_LOOKS: LookTimes = { busyMs: 20_000, quietMs: 60_000 };

/** The most lines, and the most receipts, that one transaction adds. */
const ROWS_AT_ONCE = 10_000;
const TENANTS_AT_ONCE = 500;
const STATEMENT_MS_MAX = 30_000;

/** Tenants whose rows have gone on behind their log: one row and one probe of each. */
const BEHIND = `
  SELECT a.tenant_id AS "tenantId" FROM account a LEFT JOIN log_tree t ON t.tenant_id = a.tenant_id
  WHERE a.version > COALESCE(t.entries, 0) OR COALESCE((
    SELECT r.position FROM ${RECEIPT_LEAVES} r WHERE r.tenant_id = a.tenant_id
    ORDER BY r.position DESC LIMIT 1), 0) > COALESCE(t.receipts, 0)
  ORDER BY a.tenant_id LIMIT ${TENANTS_AT_ONCE}`;

/** Logs that have grown since their last checkpoint, which is older than $1 milliseconds. */
const UNSIGNED = `
  SELECT t.tenant_id AS "tenantId" FROM log_tree t LEFT JOIN LATERAL (
    SELECT size, created_at FROM log_checkpoint c WHERE c.tenant_id = t.tenant_id
    ORDER BY size DESC LIMIT 1
  ) c ON TRUE
  WHERE t.size > COALESCE(c.size, 0)
    AND (c.created_at IS NULL OR c.created_at < clock_timestamp() - $1 * interval '1 ms')
  LIMIT ${TENANTS_AT_ONCE}`;

const COLUMNS = `id, size, root_sha256 AS "rootSha256", statement, created_at AS "createdAt"`;

const LAST = `SELECT ${COLUMNS} FROM log_checkpoint WHERE tenant_id = $1
  ORDER BY size DESC LIMIT 1`;

const SIZE = `SELECT COALESCE((SELECT size FROM log_tree WHERE tenant_id = $1), 0) AS size`;

const KEEP = `INSERT INTO log_checkpoint (id, tenant_id, size, root_sha256, statement)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, size) DO NOTHING`;

const TELL = `INSERT INTO books_finding (tenant_id, invariant, subject, detail, of_totals)
  VALUES ($1, 'transparency_log', $2, $3, false) ON CONFLICT DO NOTHING`;

/** A statement of the log, which may take longer than one of a request. */
async function readLog<R extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[],
): Promise<readonly R[]> {
  const statement = { text, values: [...values], query_timeout: STATEMENT_MS_MAX };
  return (await pool.query<R>(statement as QueryConfig)).rows;
}

/** Brings the logs of all tenants forward behind the requests, and signs what they have come to. */
export class TransparencyLog {
  private stopped = false;
  private running: Promise<boolean> | undefined;
  private readonly read: ReadRows;

  constructor(private readonly services: Pick<Services, 'platformPool' | 'log' | 'tokens'>) {
    this.read = (text, values) => readLog(services.platformPool, text, values);
  }

  /**
   * Adds what has come to every log, and signs those that have grown for an hour; what runs
   * already is waited for.
   * @returns true where nothing is left to add
   */
  bringForward(): Promise<boolean> {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Ends after the step under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running?.catch(() => undefined);
  }

  /**
   * The checkpoint of all that a tenant has by now, signed if it has not been. A log that is far
   * behind is brought forward by one step, and its checkpoint is of what stands in it then.
   */
  async latest(tenantId: string): Promise<Checkpoint> {
    await appendLeaves(this.services.platformPool, tenantId, ROWS_AT_ONCE);
    return this.sign(tenantId);
  }

  /**
   * What the house has signed of a log, by a key that is published: what was signed by another one,
   * which was rotated long ago or stolen, is signed anew, where the log still has that root.
   */
  async published(tenantId: string, checkpoint: Signed): Promise<string> {
    const { statement } = checkpoint;
    const { kid } = decodeProtectedHeader(statement);
    if (this.services.tokens.jwks().keys.some((key) => key.kid === kid)) return statement;
    await this.requireStill(tenantId, checkpoint);
    return this.statementOf(tenantId, checkpoint);
  }

  /**
   * Recomputes the root of a checkpoint before it is signed anew.
   * @throws Error where it differs
   */
  async requireStill(
    tenantId: string,
    checkpoint: Pick<Checkpoint, 'size' | 'rootSha256'>,
  ): Promise<void> {
    const whole = { begin: 0, end: Number(checkpoint.size) };
    const [root] = await rootsOf(this.read, tenantId, [whole]);
    await this.requireRoot(tenantId, checkpoint, root);
  }

  /** The roots of ranges of a tenant's tree, for proofs. */
  roots(tenantId: string, ranges: readonly Range[]): Promise<readonly Uint8Array[]> {
    return rootsOf(this.read, tenantId, ranges);
  }

  /** The house signs nothing that contradicts what it has signed before. */
  private async requireRoot(
    tenantId: string,
    { size, rootSha256 }: Pick<Checkpoint, 'size' | 'rootSha256'>,
    root: Uint8Array | undefined,
  ): Promise<void> {
    if (root && Buffer.compare(root, rootSha256) === 0) return;
    const subject = `the first ${size} leaves`;
    const detail = 'their hashes do not agree with the checkpoint that was signed of them';
    await this.services.platformPool.query(TELL, [tenantId, subject, detail]);
    throw new Error('the log contradicts its last checkpoint');
  }

  private statementOf(
    tenantId: string,
    { size, rootSha256 }: Pick<Checkpoint, 'size' | 'rootSha256'>,
  ): Promise<string> {
    return this.services.tokens.signStatement({
      ...CHECKPOINT_STATEMENT,
      subject: tenantId,
      claims: { size: Number(size), root_sha256: Buffer.from(rootSha256).toString('hex') },
      expiresAt: null,
    });
  }

  private async run(): Promise<boolean> {
    let isThrough = true;
    for (const { tenantId } of await this.read<{ tenantId: string }>(BEHIND, [])) {
      isThrough = (await this.each(tenantId, () => this.follow(tenantId))) && isThrough;
    }
    const unsigned = await this.read<{ tenantId: string }>(UNSIGNED, [CHECKPOINT_EVERY_MS]);
    for (const { tenantId } of unsigned) {
      await this.each(tenantId, async () => Boolean(await this.sign(tenantId)));
    }
    return isThrough;
  }

  /** What fails of one tenant holds up no other. */
  private async each(tenantId: string, work: () => Promise<boolean>): Promise<boolean> {
    if (this.stopped) return false;
    try {
      return await work();
    } catch (error) {
      warnUnlessAway(this.services.log, error, 'a log could not be brought forward', { tenantId });
      return false;
    }
  }

  private async follow(tenantId: string): Promise<boolean> {
    const { platformPool } = this.services;
    let added: number;
    do added = await appendLeaves(platformPool, tenantId, ROWS_AT_ONCE, 'pass');
    while (added >= ROWS_AT_ONCE && !this.stopped);
    return added < ROWS_AT_ONCE;
  }

  /**
   * Signs a log as it stands. First it is held against the last checkpoint: the house signs nothing
   * that contradicts what it has signed before.
   */
  private async sign(tenantId: string): Promise<Checkpoint> {
    const [last] = await this.read<Checkpoint & object>(LAST, [tenantId]);
    const [tree] = await this.read<{ size: bigint }>(SIZE, [tenantId]);
    const size = tree?.size ?? 0n;
    if (last?.size === size) return last;
    const before = { begin: 0, end: Number(last?.size ?? 0n) };
    const ranges = [before, { begin: 0, end: Number(size) }];
    const [known, root] = await rootsOf(this.read, tenantId, ranges);
    if (!root) throw new Error('the log has no root');
    if (last) await this.requireRoot(tenantId, last, known);
    const statement = await this.statementOf(tenantId, { size, rootSha256: root });
    const id = newId('LogCheckpoint');
    await this.services.platformPool.query(KEEP, [id, tenantId, size, root, statement]);
    const [kept] = await this.read<Checkpoint & object>(LAST, [tenantId]);
    if (!kept) throw new Error('a checkpoint cannot be read back');
    return kept;
  }
}
