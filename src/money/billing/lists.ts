import type { LedgerEntry, UsageEvent } from '../../generated/prisma/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { unconfined, workspacesAround } from '../../graph/confined.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { BoundsFilter } from '../../graph/filters.js';
import { type ConnectionArgs, type KeysetPage, keysetPage } from '../../graph/keyset.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import { snakeCase } from '../../kernel/fields/names.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { Conditions, type FilterColumns } from './filters.js';

/** A line of the ledger with what its request was, where it came from one. */
export interface LedgerLine extends LedgerEntry {
  readonly model: string | null;
  readonly feature: string | null;
  readonly clientId: string | null;
}

/** Every column under the name of its field. */
function columnsOf(fields: object): string {
  return Object.keys(fields)
    .map((name) => `${snakeCase(name)} AS "${name}"`)
    .join(', ');
}

/** Reads lines of the ledger; a condition may follow. */
export const LEDGER_SELECT = `
  SELECT ${columnsOf(Prisma.LedgerEntryScalarFieldEnum)}, model, feature, client_id AS "clientId"
  FROM ledger_entry
  LEFT JOIN LATERAL (
    SELECT key_id, model, feature, client_id FROM usage_event
    WHERE tenant_id = ledger_entry.tenant_id AND id = request_id
  ) request ON TRUE`;

/** Reads rows of usage; a condition may follow. Prompts and answers are never part of one. */
export const USAGE_SELECT = `
  SELECT ${columnsOf(Prisma.UsageEventScalarFieldEnum)} FROM usage_event`;

const FILTER_COLUMNS = {
  createdAt: 'created_at',
  amountRub: 'amount_micro',
  keyId: 'key_id',
  model: 'model',
  feature: 'feature',
  clientId: 'client_id',
};

/** A list of the books, in the order of a column that grows along it. */
interface BooksList<Line> {
  readonly select: string;
  /** Whose lines: the column, and its value for a caller. */
  readonly ownerColumn: string;
  readonly ownerOf: (ctx: AuthorizedCtx) => string;
  readonly keyColumn: string;
  readonly keyOf: (line: Line) => bigint;
  readonly filterColumns: FilterColumns;
  /** The condition for lines of a workspace, the first `?` its id; left out where none has one. */
  readonly ofWorkspace?: string;
  /** Names of conditions that need what requests tell, which may be gone. */
  readonly askingRequests: readonly string[];
}

/** The ledger of an account. */
export const LEDGER: BooksList<LedgerLine> = {
  select: LEDGER_SELECT,
  ownerColumn: 'account_id',
  ownerOf: ({ who }) => who.accountId,
  keyColumn: 'account_version',
  keyOf: (line) => line.accountVersion,
  filterColumns: { ...FILTER_COLUMNS, type: 'type', requestId: 'request_id' },
  askingRequests: ['keyId', 'model', 'feature', 'clientId'],
};

/** The usage of an organization. */
export const USAGE: BooksList<UsageEvent> = {
  select: USAGE_SELECT,
  ownerColumn: 'tenant_id',
  ownerOf: ({ who }) => who.tenantId,
  keyColumn: 'seq',
  keyOf: (line) => line.seq,
  filterColumns: { ...FILTER_COLUMNS, status: 'status', requestId: 'id' },
  ofWorkspace: "(metadata -> 'gw_workspace') ->> 'id' = ? AND metadata ? 'gw_workspace'",
  askingRequests: ['createdAt'],
};

/**
 * A list begins with what is left of requests; one that states an earlier begin would be less than
 * there was.
 * @throws detail_dropped
 */
async function requireWhole<Line>(
  { services }: AuthorizedCtx,
  { askingRequests }: BooksList<Line>,
  filter: GivenValues,
): Promise<void> {
  const { gte } = (filter.createdAt ?? {}) as BoundsFilter<Date>;
  const asksRequests = askingRequests.some((name) => filter[name] != null);
  if (gte && asksRequests) await requireUsageSince(services.pool, gte);
}

/**
 * A page of a list of the caller's books, newest first unless asked otherwise. Callers of a
 * workspace read the lines of it.
 * @throws detail_dropped, workspace_caller_confined where no line belongs to a workspace
 */
export function booksPage<Line extends object>(
  ctx: AuthorizedCtx,
  list: BooksList<Line>,
  args: ConnectionArgs & { readonly filter?: GivenValues | null },
): Promise<KeysetPage<Line>> {
  const { select, ownerColumn, ownerOf, keyColumn, keyOf, filterColumns, ofWorkspace } = list;
  if (ofWorkspace === undefined) unconfined(ctx);
  return keysetPage(args, keyOf, async (beyond, limit, grows) => {
    const where = new Conditions()
      .add(`${ownerColumn} = ?`, ownerOf(ctx))
      .add(`${keyColumn} ${grows ? '>' : '<'} ?`, beyond)
      .addStated(filterColumns, args.filter ?? {});
    for (const id of workspacesAround(ctx)) where.add(ofWorkspace ?? '', id);
    const { rows } = await tenantQuery<Line>(ctx.services.pool, ctx.who.tenantId, {
      text: `${select} WHERE ${where.text}
        ORDER BY ${keyColumn} ${grows ? 'ASC' : 'DESC'} LIMIT ${limit}`,
      values: where.values,
    });
    await requireWhole(ctx, list, args.filter ?? {});
    return rows;
  });
}
