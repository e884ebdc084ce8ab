import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { parseRub } from '../../../src/kernel/money.js';
import { createLedger } from '../../../src/money/ledger/create-ledger.js';
import { connectionOfUrl } from '../../../src/platform/database/connection.js';
import { createLog } from '../../../src/platform/log.js';
import { usageOf } from '../../money/ledger/books.js';
import { charge, startFleet } from '../../routing/economics/fleet.js';
import { type Customer, newCustomer, rest, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';
import { type Movement, plantMovements } from './movements.js';

let app: TestApp;
let bi: pg.Client;
let own: Customer;
let other: Customer;
const LOGIN = `bi_money_${process.pid}`;

const MONTHS = ['2026-08', '2026-09'] as const;
const BEGIN = new Date('2026-08-01T00:00:00+03:00');
const END = new Date('2026-10-01T00:00:00+03:00');

/** Charges and refunds of two months; a refund names a charge before it, or none. */
const movements = fc.array(
  fc.record({
    at: fc.date({ min: BEGIN, max: new Date(END.getTime() - 1), noInvalidDate: true }),
    refundAt: fc.option(fc.date({ min: BEGIN, max: END, noInvalidDate: true })),
    part: fc.constantFrom(1n, 2n, 3n),
    amountMicro: fc.bigInt({ min: 3n, max: 10n ** 9n }),
    simulated: fc.boolean(),
    clientId: fc.constantFrom('acme', 'bolt', null),
    feature: fc.constantFrom('search', 'reply', null),
    isUnnamed: fc.boolean(),
  }),
  { minLength: 20, maxLength: 60 },
);

beforeAll(async () => {
  app = await startFleet();
  own = await newCustomer(app);
  other = await newCustomer(app);
  await existedSince(app, own.tenantId);
  await app.owner.pool.query(`CREATE ROLE ${LOGIN} LOGIN IN ROLE gw_bi`);
  await app.owner.pool.query('INSERT INTO bi_login (login, tenant_id) VALUES ($1, $2)', [
    LOGIN,
    own.tenantId,
  ]);
  const url = new URL(app.environment.DATABASE_URL ?? '');
  url.username = LOGIN;
  bi = new pg.Client(connectionOfUrl(url.toString()));
  await bi.connect();
}, 60_000);

afterAll(async () => {
  await bi?.end();
  await app?.owner.pool.query(`DROP ROLE IF EXISTS ${LOGIN}`);
  await app?.stop();
});

interface Money {
  readonly gross: bigint;
  readonly vat: bigint;
}

/** What the ledger moved for services in a window. */
async function ledgerOf(from: Date, to: Date, more = ''): Promise<Money> {
  const { rows } = await app.owner.pool.query<Money>(
    `SELECT coalesce(-sum(e.posted_delta), 0)::bigint AS gross,
       coalesce(sum(CASE e.type WHEN 'finalize' THEN e.vat_micro ELSE -e.vat_micro END), 0)::bigint
         AS vat
     FROM ledger_entry e
     LEFT JOIN usage_event u ON u.id = coalesce(e.charged_request_id, e.request_id)
     WHERE e.tenant_id = $1 AND e.type IN ('finalize', 'refund')
       AND e.created_at >= $2 AND e.created_at < $3 ${more}`,
    [own.tenantId, from, to],
  );
  return rows[0] ?? { gross: 0n, vat: 0n };
}

const micro = (rub: unknown) => parseRub(String(rub)) ?? 0n;
const sumOf = (rows: readonly Record<string, unknown>[], name: string) =>
  rows.reduce((sum, row) => sum + micro(row[name]), 0n);

type Body = Record<string, unknown> & {
  readonly total: Record<string, unknown>;
  readonly rows: readonly Record<string, unknown>[];
  readonly data: readonly Record<string, unknown>[];
  readonly receipts: readonly Record<string, unknown>[];
  readonly sources: readonly Record<string, unknown>[];
  readonly verticals: readonly Record<string, unknown>[];
};

async function get(path: string): Promise<Body> {
  const { status, body } = await rest<Body>(app, 'GET', path, { credential: own.token });
  expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
  return body;
}

/** What each report says was paid in a window, net of nothing. */
async function expectAgreement(from: Date, to: Date): Promise<void> {
  const ledger = await ledgerOf(from, to);
  const window = `from=${from.toISOString()}&to=${to.toISOString()}`;
  for (const report of ['summary', 'by-feature', 'by-client']) {
    for (const granularity of ['', '&granularity=day', '&granularity=hour']) {
      const body = await get(`/v1/gw/cost/${report}?${window}${granularity}`);
      expect([micro(body.total.amount_rub), micro(body.total.vat_rub)]).toEqual([
        ledger.gross,
        ledger.vat,
      ]);
      expect(sumOf(body.rows, 'amount_rub')).toBe(ledger.gross);
      expect(sumOf(body.rows, 'net_rub')).toBe(ledger.gross - ledger.vat);
      expect(sumOf(body.rows, 'charged_rub') - sumOf(body.rows, 'refunded_rub')).toBe(ledger.gross);
    }
  }
  const charges = await wholeExport(window);
  expect(sumOf(charges, 'BilledCost')).toBe(ledger.gross);
  const coverage = await get(`/v1/gw/unit-economics/coverage?${window}`);
  const recorded = coverage.sources.filter(({ source }) => source !== 'repeated');
  expect(sumOf(recorded, 'net_rub')).toBe(ledger.gross - ledger.vat);
  const margin = await get(`/v1/gw/partner/margin?${window}`);
  const clients = sumOf(margin.receipts, 'cost_rub') + micro(margin.unassigned_cost_rub);
  expect(clients).toBe(ledger.gross);
  const live = await ledgerOf(from, to, 'AND u.simulated IS NOT TRUE');
  const value = await get(`/v1/gw/value/summary?${window}`);
  expect(micro(value.cost_rub)).toBe(live.gross);
  expect(sumOf(value.verticals, 'cost_rub')).toBe(live.gross);
}

async function wholeExport(window: string) {
  const rows: Record<string, unknown>[] = [];
  for (let cursor: unknown = ''; cursor !== null; ) {
    const beyond = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: Body = await get(`/v1/gw/cost/focus?${window}&limit=200${beyond}`);
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}

/** Days of Moscow. */
async function expectViews(from: Date, to: Date): Promise<void> {
  const { gross, vat } = await ledgerOf(from, to);
  const day = (at: Date) => new Date(at.getTime() + 3 * 3_600_000).toISOString().slice(0, 10);
  for (const view of ['bi_usage_daily', 'bi_usage_daily_by_client']) {
    const { rows } = await bi.query(
      `SELECT sum(amount_rub) AS amount, sum(vat_rub) AS vat,
         sum(charged_rub - refunded_rub) AS paid
       FROM ${view} WHERE day >= $1 AND day < $2`,
      [day(from), day(to)],
    );
    const [row] = rows;
    expect([row.amount, row.vat, row.paid].map(micro)).toEqual([gross, vat, gross]);
  }
  const { rows } = await bi.query(
    `SELECT (SELECT coalesce(sum(amount_rub), 0) FROM bi_requests
         WHERE created_at >= $1 AND created_at < $2)
       - (SELECT coalesce(sum(refunded_rub), 0) FROM bi_refunds
         WHERE created_at >= $1 AND created_at < $2) AS paid`,
    [from, to],
  );
  expect(micro(rows[0].paid)).toBe(gross);
}

async function expectClose(month: string, from: Date, to: Date): Promise<void> {
  const { status, body } = await rest<Body>(app, 'POST', '/v1/gw/billing/month-closes', {
    credential: own.token,
    body: { month },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const { total } = body;
  const corrected = body.correction_total as Body['total'];
  const { gross, vat } = await ledgerOf(from, to);
  // What was refunded of earlier months corrects them, and is no service of this one.
  const sold = micro(total.gross_rub) + micro(total.remainder_rub);
  const soldVat = micro(total.vat_rub) + micro(total.vat_remainder_rub);
  expect(sold - micro(corrected.gross_rub) - micro(corrected.remainder_rub)).toBe(gross);
  expect(soldVat - micro(corrected.vat_rub) - micro(corrected.vat_remainder_rub)).toBe(vat);
}

describe('what was paid', () => {
  it('is the same to the micro-ruble in the ledger and in whatever tells it', async () => {
    const drawn = fc.sample(movements, { numRuns: 3, seed: 20_261_124 }).flat();
    const foreign = fc.sample(movements, { numRuns: 1, seed: 7 }).flat();
    await plantMovements(app.owner.pool, own, toMovements(drawn));
    await plantMovements(app.owner.pool, other, toMovements(foreign));
    const middle = new Date('2026-09-01T00:00:00+03:00');
    const agree = async () => {
      await expectAgreement(BEGIN, END);
      await expectAgreement(BEGIN, middle);
      await expectAgreement(middle, END);
      await expectAgreement(new Date('2026-08-13T07:31:05Z'), new Date('2026-09-20T16:00:00Z'));
      await expectViews(BEGIN, END);
      await expectViews(middle, END);
    };
    await agree();
    await app.server.services.usageRollup.bringForward();
    await agree();
    await expectClose(MONTHS[0], BEGIN, middle);
    await expectClose(MONTHS[1], middle, END);
  }, 120_000);

  it('is nothing for what a killed node had charged and not delivered', async () => {
    const from = new Date(Date.now() - 60_000);
    const to = new Date(Math.ceil(Date.now() / 1_000 + 600) * 1_000);
    const since = new Date(Math.floor(from.getTime() / 1_000) * 1_000);
    await rest(app, 'POST', '/billing/top-up/manual', {
      credential: own.token,
      body: { amount_rub: 1_000 },
    });
    await charge(app, own, 122_000_000n);
    const dead = await ledgerOfNode('dies');
    const requestId = newId('Request');
    const op = { accountId: own.accountId, tenantId: own.tenantId, requestId };
    await dead.hold({ ...op, amountMicro: 96_001n, budgetIds: [] });
    await dead.settle({ ...op, amountMicro: 96_001n, usage: usageOf(own) });
    await dead.drain();
    expect((await ledgerOf(since, to)).gross).toBe(122_096_001n);
    await expectAgreement(since, to);
    // The node comes back under its id, and recovers what its epoch before left.
    const again = await ledgerOfNode('dies');
    expect((await ledgerOf(since, to)).gross).toBe(122_000_000n);
    await expectAgreement(since, to);
    await app.server.services.usageRollup.bringForward();
    await expectAgreement(since, to);
    await Promise.allSettled([dead.stop(), again.stop()]);
  }, 120_000);

  async function ledgerOfNode(nodeId: string) {
    const { platformPool: pool } = app.server.services;
    const dataDir = app.environment.GW_DATA_DIR ?? '';
    const ledger = createLedger({ pool, nodeId, dataDir, log: createLog('silent') });
    await ledger.start();
    return ledger;
  }
});

type Drawn = (typeof movements extends fc.Arbitrary<infer T> ? T : never)[number];

/** Charges with what is given back of them, in the order of their times. */
function toMovements(drawn: readonly Drawn[]): Movement[] {
  return drawn
    .flatMap(({ at, refundAt, part, isUnnamed, ...charged }): Movement[] => {
      const id = newId('Request', at.getTime());
      const made: Movement = { kind: 'charge', id, at, ...charged };
      if (!refundAt || refundAt <= at) return [made];
      const amountMicro = charged.amountMicro / part;
      return [
        made,
        {
          ...{ kind: 'refund' as const, id: newId('Request', refundAt.getTime()), at: refundAt },
          ...{ amountMicro, chargedId: isUnnamed ? null : id },
        },
      ];
    })
    .sort((one, two) => Number(one.at) - Number(two.at));
}
