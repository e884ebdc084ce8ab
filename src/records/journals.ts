import type { JournalEntry, Prisma } from '../generated/prisma/client.js';
import { NEWEST_FIRST } from '../graph/page.js';
import type { Sealable } from '../kernel/canonical.js';
import { failOnFaults } from '../kernel/errors/fail.js';
import { newId } from '../kernel/ids.js';
import { databaseOf, type TenantScope, type WriteOptions } from './scope.js';

/** A journal of events: its kind, and the values that an event of it can have. */
export interface Journal<V extends string = string> {
  readonly kind: string;
  readonly values: readonly V[];
}

/** An event as it is appended. */
export interface NewEntry<V extends string> {
  readonly value: V;
  /** What the event is about, such as the id of a request or of a project. */
  readonly subject: string;
  /** The caller's own id of the event: appending it again changes nothing. */
  readonly externalRef?: string;
  readonly body?: Sealable;
}

/** What `appendEntry` did. */
export interface Appended {
  readonly entry: JournalEntry;
  /** True when the external reference was there before; then the entry is the first one. */
  readonly duplicate: boolean;
}

/** Which entries: `from` is inclusive, `to` exclusive, by the time of appending. */
export interface EntryWindow<V extends string = string> {
  readonly from?: Date;
  readonly to?: Date;
  readonly value?: V;
  readonly subject?: string;
  /** A member of the body that has this value, such as `version` with 2. */
  readonly body?: { readonly member: string; readonly equals: string | number | boolean };
}

/**
 * Appends an event. With an external reference it is appended once, also when two race.
 * @throws invalid_request when the value is not one of the journal's
 */
export async function appendEntry<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  { value, subject, externalRef, body = {} }: NewEntry<V>,
  options: WriteOptions = {},
): Promise<Appended> {
  requireValue(journal, value);
  const database = databaseOf(scope, options);
  const { tenantId } = scope.who;
  const { kind } = journal;
  const id = newId('JournalEntry');
  const data = { id, tenantId, kind, value, subject, externalRef, body: body as Prisma.JsonObject };
  // The statement waits for a racer and then skips; the read after it sees what the racer wrote.
  const { count } = await database.journalEntry.createMany({ data, skipDuplicates: true });
  const where = count === 1 ? { id, tenantId } : { tenantId, kind, externalRef };
  const entry = await database.journalEntry.findFirstOrThrow({ where });
  return { entry, duplicate: count === 0 };
}

function requireValue(journal: Journal, value: string): void {
  if (journal.values.includes(value)) return;
  const message = `"${value}" is not one of ${journal.values.join(', ')}.`;
  failOnFaults([{ path: 'value', code: 'unknown_value', message }]);
}

const ENTRIES_MAX = 1_000;

/** The latest entries of a window, newest first; at most 1,000. */
export function latestEntries<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  window: EntryWindow<V>,
  limit: number = ENTRIES_MAX,
  options: WriteOptions = {},
): Promise<JournalEntry[]> {
  return databaseOf(scope, options).journalEntry.findMany({
    where: { ...entriesWhere(journal, window), tenantId: scope.who.tenantId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: Math.min(limit, ENTRIES_MAX),
  });
}

/** A page of a window, newest first; the page is that of a connection of entries. */
export function entryPage<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  window: EntryWindow<V>,
  page: Prisma.JournalEntryFindManyArgs,
): Promise<JournalEntry[]> {
  const where = entriesWhere(journal, window);
  return databaseOf(scope).journalEntry.findMany({ ...page, where, orderBy: NEWEST_FIRST });
}

/** The latest entries about each of many subjects, newest first, by one statement. */
export async function latestOfEach<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  subjects: readonly string[],
  limit: number,
): Promise<JournalEntry[][]> {
  const database = databaseOf(scope);
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT latest.id FROM unnest(${[...subjects]}::text[]) AS wanted (subject)
    CROSS JOIN LATERAL (
      SELECT e.id FROM journal_entry e
      WHERE e.tenant_id = ${scope.who.tenantId}::uuid AND e.kind = ${journal.kind}
        AND e.subject = wanted.subject
      ORDER BY e.id DESC LIMIT ${limit}) AS latest`;
  const where = { id: { in: rows.map(({ id }) => id) } };
  const entries = await database.journalEntry.findMany({ where, orderBy: NEWEST_FIRST });
  return subjects.map((id) => entries.filter(({ subject }) => subject === id));
}

/** Those of the subjects about which some entry has one of the values, by one statement. */
export async function subjectsOf<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  values: readonly V[],
  subjects: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await databaseOf(scope).$queryRaw<{ subject: string }[]>`
    SELECT DISTINCT subject FROM journal_entry
    WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ${journal.kind}
      AND value = ANY(${[...values]}::text[]) AND subject = ANY(${[...subjects]}::text[])`;
  return new Set(rows.map(({ subject }) => subject));
}

/** How many entries of the window have each value; every value of the journal is there. */
export async function countByValue<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  window: EntryWindow<V>,
): Promise<Readonly<Record<V, number>>> {
  const groups = await databaseOf(scope).journalEntry.groupBy({
    by: ['value'],
    where: entriesWhere(journal, window),
    _count: { _all: true },
  });
  const counts = new Map(groups.map((group) => [group.value, group._count._all]));
  const pairs = journal.values.map((value) => [value, counts.get(value) ?? 0]);
  return Object.fromEntries(pairs) as Record<V, number>;
}

/** The condition of a window. */
export function entriesWhere(
  journal: Journal,
  { from, to, value, subject, body }: EntryWindow,
): Prisma.JournalEntryWhereInput {
  const holds = body && { body: { path: [body.member], equals: body.equals } };
  return { kind: journal.kind, value, subject, createdAt: { gte: from, lt: to }, ...holds };
}
