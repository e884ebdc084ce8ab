import { Prisma } from '../generated/prisma/client.js';
import type { SealedContent } from '../kernel/fields/sealed.js';
import {
  type Appended,
  appendEntry,
  type Journal,
  latestEntries,
  type NewEntry,
} from './journals.js';
import type { TenantScope, WriteOptions } from './scope.js';

/** What `appendOnce` did with an event. */
export interface AppendedOnce extends Appended {
  /** The body of the first entry with all that was added to it. */
  readonly body: SealedContent;
  /** The members that this event has added to an earlier one, in their order. */
  readonly added: readonly string[];
  /** The members that the earlier event has with other values; nothing was added then. */
  readonly differing: readonly string[];
}

/** An event that may complete an earlier one of its reference. */
export interface CompletingEntry<V extends string> extends NewEntry<V> {
  readonly externalRef: string;
  readonly body: SealedContent;
  /** The members that the caller states; without it, all of the body. */
  readonly stated?: SealedContent;
}

/** Additions are entries of a journal beside the first, so that counts of that one stay right. */
function additionsOf<V extends string>({ kind, values }: Journal<V>): Journal<V> {
  return { kind: `${kind}:added`, values };
}

/**
 * Appends an event once for its reference, and what a later event of the reference knows more. One
 * that says nothing new is a duplicate; members that were null before are added; where a member has
 * another value, nothing is written and the caller decides. Value and subject differ as `value` and
 * `subject`. Each member is added by an entry of its own, so that of two that race one is first.
 */
export async function appendOnce<V extends string>(
  scope: TenantScope,
  journal: Journal<V>,
  event: CompletingEntry<V>,
  options: WriteOptions = {},
): Promise<AppendedOnce> {
  const { entry, duplicate } = await appendEntry(scope, journal, event, options);
  const first = entry.body as SealedContent;
  if (!duplicate) return { entry, duplicate, body: first, added: [], differing: [] };
  const stated = Object.entries(event.stated ?? event.body).filter(([, value]) => value !== null);
  const known = { ...first, ...(await additions(scope, journal, entry.id, options)) };
  const differing = [
    ...(entry.value === event.value ? [] : ['value']),
    ...(entry.subject === event.subject ? [] : ['subject']),
    ...differingMembers(stated, known),
  ];
  const missing = stated.filter(([name]) => (known[name] ?? null) === null);
  if (differing.length > 0 || missing.length === 0) {
    return { entry, duplicate: true, body: known, added: [], differing };
  }
  for (const [name, value] of missing) {
    const externalRef = JSON.stringify([event.externalRef, name]);
    const addition = {
      value: event.value,
      subject: entry.id,
      externalRef,
      body: { [name]: value },
    };
    await appendEntry(scope, additionsOf(journal), addition, options);
  }
  const body = { ...known, ...(await additions(scope, journal, entry.id, options)) };
  const lost = differingMembers(stated, body);
  const added = missing.map(([name]) => name).filter((name) => !lost.includes(name));
  return { entry, duplicate: false, body, added, differing: lost };
}

type Members = readonly (readonly [string, SealedContent[string]])[];

/** Stated members that are known with another value. Members of journals are plain values. */
function differingMembers(stated: Members, known: SealedContent): string[] {
  return stated.flatMap(([name, value]) => {
    const before = known[name] ?? null;
    return before === null || before === value ? [] : [name];
  });
}

async function additions(
  scope: TenantScope,
  journal: Journal,
  entryId: string,
  options: WriteOptions,
): Promise<SealedContent> {
  const entries = await latestEntries(
    scope,
    additionsOf(journal),
    { subject: entryId },
    ADDED_MAX,
    options,
  );
  return Object.assign({}, ...entries.map(({ body }) => body as SealedContent));
}

/** No body has as many members. */
const ADDED_MAX = 100;

const ADDED_JOIN = [
  `LEFT JOIN (
     SELECT x.subject, jsonb_object_agg(m.key, m.value) AS body
     FROM journal_entry x CROSS JOIN LATERAL jsonb_each(x.body) m
     WHERE x.tenant_id = `,
  `::uuid AND x.kind = `,
  `::text || ':added' GROUP BY x.subject
   ) added ON added.subject = e.id::text`,
] as const;

/** The body of an entry `e` with all that was added to it, where `addedSql` is joined. */
export const COMPLETED_BODY = "e.body || coalesce(added.body, '{}'::jsonb)";

/** Joins what was added to the entries `e` of a kind. */
export function addedSql(tenantId: string, kind: string): Prisma.Sql {
  return Prisma.sql(ADDED_JOIN, tenantId, kind);
}

/** The same for a statement whose parameters hold tenant and kind. */
export function addedText(tenant: string, kind: string): string {
  const [begin, middle, end] = ADDED_JOIN;
  return `${begin}${tenant}${middle}${kind}${end}`;
}
