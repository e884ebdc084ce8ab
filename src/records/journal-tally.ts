import { Prisma } from '../generated/prisma/client.js';
import { addedSql, COMPLETED_BODY } from './journal-additions.js';
import type { EntryWindow, Journal } from './journals.js';
import { databaseOf, type TenantScope, type WriteOptions } from './scope.js';

/** Entries that have the same value and the same members of their bodies. */
export interface Tally {
  readonly value: string;
  /** The members by which is told apart, in the order in which they were asked for, as text. */
  readonly members: readonly (string | null)[];
  readonly entries: number;
  /** For each figure that was asked for: its exact sum as decimal text; null where none has it. */
  readonly sums: readonly (string | null)[];
  /** For each figure how many entries have it. */
  readonly counts: readonly number[];
}

/** By what entries are told apart, and what of them is summed: members of their bodies. */
export interface TallyWish {
  readonly by: readonly string[];
  readonly figures: readonly string[];
  /** The most groups; those with most entries come first. */
  readonly groupsMax: number;
}

/**
 * Counts and sums the entries of a window, told apart by value and by members of their bodies. What
 * was added to an entry later counts with it, at the time of the entry.
 */
export function tallyEntries<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  { from, to, body }: Required<Pick<EntryWindow, 'from' | 'to'>> & Pick<EntryWindow, 'body'>,
  { by, figures, groupsMax }: TallyWish,
  options: WriteOptions = {},
): Promise<Tally[]> {
  const member = (name: string) => Prisma.sql`body ->> ${name}`;
  const sums = figures.map((name) => Prisma.sql`sum((${member(name)})::numeric)::text`);
  const counts = figures.map((name) => Prisma.sql`count(${member(name)})::int`);
  const listOf = (all: readonly Prisma.Sql[]) =>
    all.length > 0 ? Prisma.sql`ARRAY[${Prisma.join([...all])}]` : Prisma.sql`'{}'::int[]`;
  const holds = body
    ? Prisma.sql`AND ${member(body.member)} = ${String(body.equals)}`
    : Prisma.empty;
  return databaseOf(scope, options).$queryRaw<Tally[]>`
    WITH told AS (
      SELECT value, body, ARRAY[${Prisma.join(by.map(member))}] AS members FROM (
        SELECT e.value, ${Prisma.raw(COMPLETED_BODY)} AS body FROM journal_entry e
        ${addedSql(scope.who.tenantId, journal.kind)}
        WHERE e.tenant_id = ${scope.who.tenantId}::uuid AND e.kind = ${journal.kind}
          AND e.created_at >= ${from} AND e.created_at < ${to}) AS entry
      WHERE true ${holds})
    SELECT value, members, count(*)::int AS entries, ${listOf(sums)} AS sums,
           ${listOf(counts)} AS counts
    FROM told GROUP BY value, members
    ORDER BY count(*) DESC, members, value LIMIT ${groupsMax}`;
}

/** Subjects whose latest entry has the value. */
interface Standing {
  readonly value: string;
  readonly subjects: number;
}

/** Counts the subjects of a window by the value of their latest entry in it. */
export function standingByValue<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  { from, to }: Required<Pick<EntryWindow, 'from' | 'to'>>,
  options: WriteOptions = {},
): Promise<Standing[]> {
  return databaseOf(scope, options).$queryRaw<Standing[]>`
    SELECT value, count(*)::int AS subjects FROM (
      SELECT DISTINCT ON (subject) value FROM journal_entry
      WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ${journal.kind}
        AND created_at >= ${from} AND created_at < ${to}
      ORDER BY subject, created_at DESC, id DESC) AS latest
    GROUP BY value`;
}
