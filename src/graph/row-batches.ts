import { isDeepStrictEqual } from 'node:util';
import type { PrismaDatabase } from '../platform/database/prisma.js';
import type { Ctx } from './ctx.js';
import { database } from './database.js';

interface Asked {
  readonly where: Readonly<Record<string, unknown>>;
  readonly select?: Readonly<Record<string, unknown>>;
}

type Find = (asked: object) => PromiseLike<unknown>;

/** What one statement reads: rows of one model that are asked for alike, by their ids. */
interface Batch {
  readonly shape: object;
  readonly rows: Promise<ReadonlyMap<string, unknown>>;
  readonly ids: Set<string>;
}

/**
 * The caller's database for fields that load the row they stand on again, which the schema does
 * where two fields want one relation in two ways, and for rows that it has not loaded itself. It
 * asks for each row of a list by itself; here all that are asked for alike at one moment are one
 * statement.
 */
export function rowBatches(ctx: Ctx): PrismaDatabase {
  const known = new Map<PropertyKey, object>();
  return new Proxy(database(ctx), {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'object' || value === null || !('findUniqueOrThrow' in value)) {
        return value;
      }
      const delegate = known.get(property) ?? batching(value);
      known.set(property, delegate);
      return delegate;
    },
  });
}

function batching(delegate: object): object {
  const find = (operation: string) => Reflect.get(delegate, operation) as Find;
  const open: Batch[] = [];
  const joinBatch = (id: string, shape: object): Batch => {
    const joined = open.find((batch) => isDeepStrictEqual(batch.shape, shape));
    if (joined) {
      joined.ids.add(id);
      return joined;
    }
    const ids = new Set([id]);
    const rows = Promise.resolve().then(async () => {
      open.splice(open.indexOf(batch), 1);
      const where = { id: { in: [...ids] } };
      const found = (await find('findMany')({ ...shape, where })) as { id: string }[];
      return new Map(found.map((row) => [row.id, row]));
    });
    const batch = { shape, rows, ids };
    open.push(batch);
    return batch;
  };
  const findUniqueOrThrow = async (asked: Asked): Promise<unknown> => {
    const { where, ...rest } = asked;
    const { id, ...others } = where;
    if (typeof id !== 'string' || Object.keys(others).length > 0) {
      return find('findUniqueOrThrow')(asked);
    }
    const shape = rest.select ? { ...rest, select: { ...rest.select, id: true } } : rest;
    const rows = await joinBatch(id, shape).rows;
    // A row that has gone meanwhile is refused as it is when it is asked for alone.
    return rows.get(id) ?? find('findUniqueOrThrow')(asked);
  };
  return new Proxy(delegate, {
    get: (target, property) =>
      property === 'findUniqueOrThrow' ? findUniqueOrThrow : Reflect.get(target, property),
  });
}
