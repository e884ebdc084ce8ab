import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type ConnectionArgs, type KeysetPage, pageOf } from '../../graph/keyset.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { boundsOf } from '../reports/question.rules.js';
import { type ChargeFrame, type ChargeGroup, chargesOf } from './charge.rules.js';
import { type FoundGroups, type PlacedGroup, readGroups } from './groups.js';
import { type FocusPlace, readPlace, writePlace } from './place.js';
import { FOCUS_QUESTION, type FocusCharge } from './tables.js';
import type { FocusGranularity } from './vocabulary.js';
import { exportWindow, periodBegin, periodMs } from './window.rules.js';

/** A row with its place. */
interface PlacedCharge {
  readonly charge: FocusCharge;
  readonly place: FocusPlace;
}

/** What an export is of. */
interface Export {
  readonly window: Window;
  readonly granularity: FocusGranularity;
}

/**
 * A page of the charges of a window by FOCUS 1.2, oldest period first. Later pages see what the
 * first one saw, so that all of them add up to the ledger whatever happens meanwhile.
 * @throws invalid_request for a window that is empty, too long or no whole seconds; invalid_cursor
 */
export async function focusCharges(
  ctx: AuthorizedCtx,
  { first, after, ...given }: ConnectionArgs & GivenValues,
): Promise<KeysetPage<FocusCharge>> {
  const asked = inputValues(FOCUS_QUESTION, given);
  const { granularity } = asked;
  const bounds = boundsOf(asked, TIME_ZONE_DEFAULT);
  failOnFaults(bounds.faults);
  const { from, to, faults } = exportWindow({ ...bounds, granularity }, sharedNow());
  failOnFaults(faults);
  const page = await pageOf<PlacedCharge, FocusPlace>(
    { first, after },
    ({ place }) => writePlace(place),
    readPlace,
    async (beyond, limit) => {
      const window = beyond?.window ?? { from, to };
      failOnFaults(exportWindow({ ...window, granularity }, sharedNow()).faults);
      const found = await chargesBeyond(ctx, { window, granularity }, beyond, limit);
      await requireUsageSince(ctx.services.pool, window.from);
      return found;
    },
  );
  return { ...page, edges: page.edges.map(({ node, cursor }) => ({ node: node.charge, cursor })) };
}

/**
 * Reads span after span until there are enough rows. Spans grow while little is in them, so that a
 * page of a busy tenant reads one period and an empty year takes a few statements.
 */
async function chargesBeyond(
  ctx: AuthorizedCtx,
  { window, granularity }: Export,
  beyond: FocusPlace | undefined,
  limit: number,
): Promise<PlacedCharge[]> {
  const frameOf = await frames(ctx, { window, granularity });
  const charges: PlacedCharge[] = [];
  let snapshot = beyond?.snapshot;
  let place: Pick<FocusPlace, 'period' | 'key' | 'ordinal'> | undefined = beyond;
  let begin = periodBegin(beyond?.period ?? window.from, granularity);
  let periods = 1;
  while (begin < window.to && charges.length < limit) {
    const end = new Date(begin.getTime() + periods * periodMs(granularity));
    const span = {
      from: begin < window.from ? window.from : begin,
      to: end < window.to ? end : window.to,
    };
    const left = limit - charges.length + 1;
    const found: FoundGroups = await readGroups(ctx.services.pool, {
      ...{ tenantId: ctx.who.tenantId, accountId: ctx.who.accountId },
      ...{ span, granularity, beginning: place, snapshot, limit: left },
      isOnePeriod: periods === 1,
    });
    snapshot = snapshot ?? found.snapshot;
    for (const group of found.groups) {
      // A group may have several rows: what lies behind the page is not made.
      if (charges.length >= limit) break;
      charges.push(...placedRows(group, frameOf(group), { window, snapshot, beyond: place }));
    }
    const last = found.groups.at(-1);
    const isWhole = found.groups.length < left;
    place = isWhole || !last ? undefined : { ...last, ordinal: ORDINAL_MAX };
    if (isWhole) begin = end;
    else begin = last ? periodBegin(last.period, granularity) : end;
    if (found.groups.length < left / SPARSE_SHARE) periods *= 2;
  }
  return charges.slice(0, limit);
}

/** Where a read finds less than this part of what is wanted, the next span is twice as long. */
const SPARSE_SHARE = 40;

/** More than a group has rows: what comes behind a place with it is the next group. */
const ORDINAL_MAX = 999;

function placedRows(
  group: PlacedGroup,
  frame: ChargeFrame,
  export_: {
    readonly window: Window;
    readonly snapshot: string | undefined;
    readonly beyond: Pick<FocusPlace, 'period' | 'key' | 'ordinal'> | undefined;
  },
): PlacedCharge[] {
  const { window, snapshot = '', beyond } = export_;
  const { period, key } = group;
  const isBeyond = beyond?.key === key && beyond.period.getTime() === period.getTime();
  return chargesOf(group, frame)
    .map((charge, ordinal) => ({ charge, place: { window, snapshot, period, key, ordinal } }))
    .filter(({ place }) => !isBeyond || place.ordinal > beyond.ordinal);
}

/** What the rows of a group say of who takes part: names of now, as the registry lists them. */
async function frames(
  ctx: AuthorizedCtx,
  { window, granularity }: Export,
): Promise<(group: ChargeGroup) => ChargeFrame> {
  const { services, who } = ctx;
  const { registry } = services;
  const operatorName = services.config.GW_OPERATOR_NAME;
  const { rows } = await tenantQuery<{ name: string }>(services.pool, who.tenantId, {
    name: 'focus_account_name',
    text: 'SELECT name FROM tenant WHERE id = $1',
    values: [who.tenantId],
  });
  const shared = { window, granularity, operatorName, accountId: who.accountId };
  const accountName = rows[0]?.name ?? who.accountId;
  return ({ use }) => ({
    ...shared,
    accountName,
    publisherName: use
      ? registry.providersById.get(use.provider)?.operator || use.provider
      : operatorName,
    resourceName: (use && registry.models.get(use.model)?.name) ?? null,
  });
}
