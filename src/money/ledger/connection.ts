import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { answersOf, type LaneRow, lanesOf } from './lanes.js';
import type { AnswerRow } from './outcomes.js';
import { APPLY, APPLY_BATCH, PIN_PLANS, type Statement } from './statements.js';
import type { Waiting } from './waiting.js';
import type { Committed } from './writer.js';

const ANSWER_MS_MAX = 2_000;

/** The process that asks: the name of its node, and the epoch that must be current. */
export type Fence = readonly [nodeId: string, epoch: bigint];

/**
 * The batcher's own connection, kept out of the pool so that reports and lists never stand in the
 * way of money. After any error it is thrown away, and the next statement opens another.
 */
export class LedgerConnection {
  readonly #pool: Pool;
  readonly #fence: () => Fence;
  #client: PoolClient | undefined;

  constructor(pool: Pool, fence: () => Fence) {
    this.#pool = pool;
    this.#fence = fence;
  }

  /**
   * Commits a batch, its common operations set by set where it is `sorted`.
   * @throws what faultOf sorts
   */
  async apply(batch: readonly Waiting[], sorted: boolean): Promise<Committed> {
    const lanes = lanesOf(batch, sorted);
    const { charge, mark, hold, rest } = lanes.texts;
    const values = [...this.#fence(), lanes.accounts, charge, mark, hold, rest];
    const rows = answersOf(batch, lanes, await this.#ask<LaneRow>(APPLY_BATCH, values));
    return { rows, isFlushed: lanes.isFlushed };
  }

  /** False before the first statement, and after an error until the next one. */
  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  /** Commits operations that are a JSON array already. @throws what faultOf sorts */
  applyText(operations: string): Promise<readonly AnswerRow[]> {
    return this.#ask<AnswerRow>(APPLY, [...this.#fence(), operations]);
  }

  close(): void {
    // Its settings are nobody else's.
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #ask<Row>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    const client = await this.#opened();
    try {
      const { rows } = await client.query<Row[]>({
        ...statement,
        values: [...values],
        rowMode: 'array',
        query_timeout: ANSWER_MS_MAX,
      } as QueryConfig & { rowMode: 'array' });
      return rows as unknown as readonly Row[];
    } catch (error) {
      this.#discard(client, error);
      throw error;
    }
  }

  async #opened(): Promise<PoolClient> {
    if (this.#client) return this.#client;
    const client = await this.#pool.connect();
    // A connection that breaks while idle says so here; Node exits when nobody listens.
    client.on('error', (error) => this.#discard(client, error));
    this.#client = client;
    await client
      .query({ text: PIN_PLANS, query_timeout: ANSWER_MS_MAX } as QueryConfig)
      .catch((error: unknown) => {
        this.#discard(client, error);
        throw error;
      });
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
