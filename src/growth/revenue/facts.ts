import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { Window } from '../../kernel/window.rules.js';
import { tallyEntries } from '../../records/journal-tally.js';
import { measuredFrom } from '../../records/measured.js';
import { databaseOf } from '../../records/scope.js';
import { sumUsage, type UsageSum } from '../usage-sums.js';
import { EVENT_JOURNAL } from './records.js';
import type { Closed, ScoreFacts } from './score.rules.js';
import { EVENT_DAYS, LEAD_EVENTS, OWN_ACCOUNT, USAGE_DAYS } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** So many days until now. */
export function daysUntil(now: Date, days: number): Window {
  return { from: new Date(now.getTime() - days * DAY_MS), to: new Date(now.getTime() + 1) };
}

/** How often each event was recorded of an account. */
type EventCounts = ScoreFacts['events'];

const MEMBER = 'account_ref';

/** The events of one account, by type. */
export async function eventsOf(
  ctx: AuthorizedCtx,
  accountRef: string,
  now: Date,
): Promise<EventCounts> {
  const window = { ...daysUntil(now, EVENT_DAYS), body: { member: MEMBER, equals: accountRef } };
  const wish = { by: [MEMBER], figures: [], groupsMax: LEAD_EVENTS.codes.length };
  const tallies = await tallyEntries(ctx, EVENT_JOURNAL, window, wish);
  return Object.fromEntries(tallies.map(({ value, entries }) => [value, entries]));
}

/** The events of all accounts with events, those with the most first. */
export async function eventsOfAll(ctx: AuthorizedCtx, now: Date, accountsMax: number) {
  const groupsMax = (accountsMax + 1) * LEAD_EVENTS.codes.length;
  const wish = { by: [MEMBER], figures: [], groupsMax };
  const tallies = await tallyEntries(ctx, EVENT_JOURNAL, daysUntil(now, EVENT_DAYS), wish);
  const accounts = new Map<string, EventCounts>();
  for (const { value, entries, members } of tallies) {
    const ref = members[0] ?? OWN_ACCOUNT;
    accounts.set(ref, { ...accounts.get(ref), [value]: entries });
  }
  const isCut = accounts.size > accountsMax || tallies.length === groupsMax;
  return { accounts: new Map([...accounts].slice(0, accountsMax)), isCut };
}

/** Answers of real models to an account in the last days, and what they were charged. */
export interface AccountUsage {
  readonly requests: number;
  readonly costMicro: bigint;
}

const NO_USAGE: AccountUsage = { requests: 0, costMicro: 0n };

/** The usage of accounts by their references, measured. The organization itself is all of it. */
export async function usageOf(ctx: AuthorizedCtx, refs: readonly string[], now: Date) {
  const window = daysUntil(now, USAGE_DAYS);
  const clients = refs.filter((ref) => ref !== OWN_ACCOUNT);
  const read = async () => {
    const isOwn = clients.length < refs.length;
    const [all, byClient] = await Promise.all([
      isOwn ? sumUsage(ctx, window, []) : [],
      clients.length > 0 ? sumUsage(ctx, window, ['client'], { only: { client: clients } }) : [],
    ]);
    return [...all.map((sum) => ({ ref: OWN_ACCOUNT, ...usage(sum) })), ...byClient.map(clientRow)];
  };
  return measuredFrom(ctx, read, (rows) => {
    const known = new Map(rows.map(({ ref, ...row }) => [ref, row]));
    return (ref: string) => known.get(ref) ?? NO_USAGE;
  });
}

function clientRow(sum: UsageSum<'client'>) {
  return { ref: sum.of.client ?? '', ...usage(sum) };
}

function usage({ requests, costMicro }: Pick<UsageSum<never>, 'requests' | 'costMicro'>) {
  return { requests, costMicro };
}

const NOTHING_CLOSED: Closed = { lastResolution: null, openSignals: 0 };

/** How the signals of accounts stand, by one statement. */
export async function closedOf(
  ctx: AuthorizedCtx,
  refs: readonly string[],
): Promise<(ref: string) => Closed> {
  const rows = await databaseOf(ctx).$queryRaw<({ readonly ref: string } & Closed)[]>`
    SELECT account_ref AS ref, count(*) FILTER (WHERE status = 'open')::int AS "openSignals",
           (array_agg(status ORDER BY resolved_at DESC, id DESC)
             FILTER (WHERE status IN ('won', 'lost')))[1] AS "lastResolution"
    FROM revenue_signal
    WHERE tenant_id = ${ctx.who.tenantId}::uuid AND account_ref = ANY(${[...refs]}::text[])
    GROUP BY account_ref`;
  const known = new Map(rows.map(({ ref, ...closed }) => [ref, closed]));
  return (ref) => known.get(ref) ?? NOTHING_CLOSED;
}
