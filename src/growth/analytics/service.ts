import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { limitedAddress } from '../../platform/network/client-address.js';
import { keptPath, keptReferrer, routesOf } from './beacon.rules.js';
import { type CountRow, countBeacon, sumCounts } from './counts.js';
import { BEACON_INPUT, type Beacon, type Dashboard } from './tables.js';
import { BEACON_BOUNDS, PAGE_EVENTS } from './vocabulary.js';

const DAY_MS = 86_400_000;

/**
 * Counts what a page tells. No address, no cookie and no text of the visitor is kept.
 * @throws beacon_throttled, invalid_request with every fault
 */
export async function sendBeacon(ctx: Ctx, given: GivenValues): Promise<Beacon> {
  await takeTurn(ctx);
  const told = inputValues(BEACON_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(BEACON_INPUT.fields, told, 'input'),
    ...sessionFaults(told.session),
  ]);
  const beacon = {
    event: told.event,
    path: keptPath(told.path, routesOf(ctx.services.config.GW_BEACON_ROUTES)),
    referrerHost: keptReferrer(told.referrer),
    day: utcDay(sharedNowMs()),
  };
  await countBeacon(ctx, beacon, told.session);
  return beacon;
}

function sessionFaults(session: string | null): Fault[] {
  const isRandom = session === null || /^[\w-]*$/.test(session);
  return fits('input.session', isRandom, 'must be random letters, digits, - and _');
}

/**
 * A turn of the address and one of the node, in memory that is bounded. The address is asked first:
 * one that sends too much uses up nobody else's turns.
 */
async function takeTurn({ services, transport }: Ctx): Promise<void> {
  const { perMinuteOfAddress, perMinuteOfNode } = BEACON_BOUNDS;
  const address = `beacon:address:${limitedAddress(transport.address)}`;
  const node = `beacon:node:${services.config.nodeId}`;
  const { refused, retryAfterMs } = await services.counters.take([
    { kind: 'rate', key: address, perMinute: perMinuteOfAddress, points: 1 },
    { kind: 'rate', key: node, perMinute: perMinuteOfNode, points: 1 },
  ]);
  if (refused === undefined) return;
  fail('beacon_throttled', { values: { seconds: Math.ceil(retryAfterMs / 1_000) }, retryAfterMs });
}

function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** Which days are asked for. */
interface StatedDays {
  readonly from?: string | null;
  readonly to?: string | null;
}

/**
 * What pages have told in some days.
 * @throws platform_admin_required, invalid_request
 */
export async function readDashboard(ctx: AuthorizedCtx, stated: StatedDays): Promise<Dashboard> {
  if (!ctx.who.platformAdmin) fail('platform_admin_required');
  const days = daysOf(stated, sharedNowMs());
  const { value: rows, provenance } = await sumCounts(ctx, days);
  const byEvent = countsOf(rows, 'event').flatMap(({ value, hits }) =>
    PAGE_EVENTS.has(value) ? [{ event: value, hits }] : [],
  );
  return {
    ...days,
    events: byEvent.reduce((sum, { hits }) => sum + hits, 0),
    uniqueSessions: countsOf(rows, 'session')[0]?.hits ?? 0,
    byEvent,
    topPaths: countsOf(rows, 'path'),
    topReferrers: countsOf(rows, 'referrer'),
    provenance,
    source: SOURCE,
  };
}

const SOURCE =
  'Counts of each day of the beacons that pages have sent. Neither addresses nor visitors are ' +
  'known, and pages whose visitors object to being counted send none.';

function countsOf(rows: readonly CountRow[], kind: CountRow['kind']) {
  return rows
    .filter((row) => row.kind === kind)
    .map(({ value, hits }) => ({ value, hits: Number(hits) }));
}

function daysOf({ from, to }: StatedDays, nowMs: number) {
  const { dashboardDaysDefault, dashboardDaysMax: max } = BEACON_BOUNDS;
  const last = to ?? utcDay(nowMs);
  const first = from ?? utcDay(Date.parse(last) - (dashboardDaysDefault - 1) * DAY_MS);
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  const isInside = days >= 1 && days <= max;
  const what = `must not be after to, and at most ${max} days with it`;
  failOnFaults(isInside ? [] : [fault('from', 'out_of_range', what)]);
  return { from: first, to: last };
}
