import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { failOnFaults } from '../kernel/errors/fail.js';
import type { IdKind } from '../kernel/ids.js';
import { builder } from './builder.js';
import type { Ctx } from './ctx.js';
import { NODES_MAX } from './limits.js';
import { nodeLoader, readableKind } from './node.js';
import { tableOf } from './own-list.js';

interface Row {
  readonly id: string;
}

/** At the place of each id: its thing, null for an unknown one, or why it is not shown. */
type Found = Row | Error | null;

/**
 * Loads the things that ids name, each kind with one statement. A foreign id is answered exactly as
 * an unknown one; an id that the caller may not read fails alone.
 * @throws invalid_request for too many ids, missing_credential
 */
async function loadNodes(
  ctx: Ctx,
  info: GraphQLResolveInfo,
  ids: readonly string[],
): Promise<Found[]> {
  const message = `ids must hold at most ${NODES_MAX} ids; these are ${ids.length}.`;
  failOnFaults(ids.length > NODES_MAX ? [{ path: 'ids', code: 'out_of_range', message }] : []);
  const found = new Map<string, Found>();
  const idsOfKind = new Map<IdKind, string[]>();
  for (const id of new Set(ids)) {
    const kind = kindOrRefusal(ctx, id);
    if (kind instanceof Error) found.set(id, kind);
    else if (kind) idsOfKind.set(kind, [...(idsOfKind.get(kind) ?? []), id]);
  }
  const rows = await Promise.all(
    [...idsOfKind].map(([kind, ofKind]) => rowsOfKind(ctx, info, kind, ofKind)),
  );
  for (const row of rows.flat()) found.set(row.id, row);
  return ids.map((id) => found.get(id) ?? null);
}

function kindOrRefusal(ctx: Ctx, id: string): IdKind | Error | undefined {
  try {
    return readableKind(ctx, id);
  } catch (error) {
    // Without a caller nothing is answered, not even which ids are well-formed.
    if (!ctx.who || !(error instanceof Error)) throw error;
    return error;
  }
}

/** The rows of a kind, whose table and type are named like it, with what the document selects. */
async function rowsOfKind(
  ctx: Ctx,
  info: GraphQLResolveInfo,
  kind: IdKind,
  ids: readonly string[],
): Promise<Row[]> {
  const loader = nodeLoader(kind);
  if (loader) return [...(await loader(ctx, ids))];
  const query = await queryFromInfo({ context: ctx, info, typeName: kind, awaitSelections: true });
  const rows = await tableOf(ctx, kind).findMany({ ...query, where: { id: { in: ids } } });
  return rows.map((row) => ({ ...row, __typename: kind }));
}

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'The things that ids name, each at the place of its id. Null where nothing of the ' +
      'organization has the id; null with an error at that place where the caller may not list ' +
      'such things.',
    complexity: ({ ids }) => ({ field: Math.max(1, ids.length), multiplier: ids.length }),
    args: {
      ids: t.arg.idList({
        required: true,
        description: `Up to ${NODES_MAX} ids of things of whatever types.`,
      }),
    },
    resolve: (_root, { ids }, ctx, info) => loadNodes(ctx, info, ids),
  }),
);
