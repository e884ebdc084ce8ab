import { brandWithType } from '@pothos/core';
import { database } from '../graph/database.js';
import { loadNodesOf } from '../graph/node.js';
import type { Permission } from '../graph/permissions.js';
import type { Journal } from './journals.js';

/** As what entries of a journal are shown by their ids alone, and to whom. */
interface Showing {
  readonly type: string;
  readonly permission: Permission;
}

const showings = new Map<string, Showing>();

loadNodesOf('JournalEntry', async (ctx, ids) => {
  const rows = await database(ctx).journalEntry.findMany({ where: { id: { in: [...ids] } } });
  return rows.filter((row) => {
    const showing = showings.get(row.kind);
    if (!showing || !ctx.who?.permissions.has(showing.permission)) return false;
    brandWithType(row, showing.type as never);
    return true;
  });
});

/** Lets `node(id)` find the entries of a journal, as a type, for whoever has the permission. */
export function entriesAsNodes({ kind }: Journal, type: string, permission: Permission): void {
  showings.set(kind, { type, permission });
}
