import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import type { AnswerRow } from './outcomes.js';
import { APPLY, type Statement } from './statements.js';

const ANSWER_MS_MAX = 2_000;

/**
 * The batcher's own connection, kept out of the pool so that reports and lists never stand in the
 * way of money. After any error it is thrown away, and the next statement opens another.
 */
export class LedgerConnection {
  readonly #pool: Pool;
  #client: PoolClient | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Sends one batch. @throws what faultOf sorts */
  async apply(nodeId: string, epoch: bigint, operations: string): Promise<readonly AnswerRow[]> {
    const client = await this.#opened();
    try {
      const { rows } = await client.query<AnswerRow[]>({
        ...APPLY,
        values: [nodeId, epoch, operations],
        rowMode: 'array',
        query_timeout: ANSWER_MS_MAX,
      } as QueryConfig & { rowMode: 'array' });
      return rows as unknown as readonly AnswerRow[];
    } catch (error) {
      this.#discard(client, error);
      throw error;
    }
  }

  close(): void {
    this.#client?.release();
    this.#client = undefined;
  }

  async #opened(): Promise<PoolClient> {
    if (this.#client) return this.#client;
    const client = await this.#pool.connect();
    // A connection that breaks while idle says so here; Node exits when nobody listens.
    client.on('error', (error) => this.#discard(client, error));
    this.#client = client;
    return client;
  }

  #discard(client: PoolClient, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.release(error instanceof Error ? error : true);
  }
}

/** Runs one of the rarer statements on the pool. */
export async function run<R extends QueryResultRow>(
  pool: Pool,
  statement: Statement,
  values: readonly unknown[],
): Promise<R[]> {
  const { rows } = await pool.query<R>({
    ...statement,
    values: [...values],
    query_timeout: ANSWER_MS_MAX,
  } as QueryConfig);
  return rows;
}
