import type { Prisma } from '../../generated/prisma/client.js';
import { BriefContext } from '../brief-context.js';
import type { PrismaDatabase } from './prisma.js';

type Transaction = Prisma.TransactionClient;
type Work = (tx: Transaction) => Promise<unknown>;

/** Prisma's client inside a transaction can open another one, which is a savepoint. */
type Nesting = Transaction & { $transaction(work: Work, limits?: object): Promise<unknown> };

/** A transaction that everything joins which is done through `database`. */
export interface JoinedTransaction {
  /**
   * Stands in for the client: what is read and written through it belongs to the transaction, and
   * a transaction that is opened through it is a savepoint of it. When the transaction is over it
   * is the client again.
   */
  readonly database: PrismaDatabase;
  /** How many transactions were opened in it and have not failed. */
  readonly joinedCount: number;
  end(): void;
}

const joinedDatabases = new WeakSet<object>();

/** True for a stand-in of a client, which has no extensions. */
export function isJoined(database: object): boolean {
  return joinedDatabases.has(database);
}

/** Lets everything that asks `prisma` for transactions join `tx`. */
export function joinTransaction(prisma: PrismaDatabase, tx: Transaction): JoinedTransaction {
  const current = new BriefContext<Level>();
  const root = new Level(tx as Nesting, current);
  const state = { over: false, joinedCount: 0 };
  const begin = async (work: Work) => {
    const result = await (current.get() ?? root).nest(work);
    state.joinedCount += 1;
    return result;
  };
  const database = new Proxy(prisma, {
    get(client, property) {
      if (state.over) return Reflect.get(client, property);
      if (property === '$transaction') return begin;
      return Reflect.get((current.get() ?? root).tx, property);
    },
  });
  joinedDatabases.add(database);
  return {
    database,
    get joinedCount() {
      return state.joinedCount;
    },
    end() {
      state.over = true;
    },
  };
}

/** One level of savepoints. Its own ones follow each other: there is one connection. */
class Level {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly tx: Nesting,
    private readonly current: BriefContext<Level>,
  ) {}

  nest(work: Work): Promise<unknown> {
    const turn = this.last.then(() =>
      this.tx.$transaction((inner) =>
        this.current.run(new Level(inner as Nesting, this.current), () => work(inner)),
      ),
    );
    this.last = turn.catch(() => {});
    return turn;
  }
}
