import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';
import { plantCleanBooks } from '../integrity/books.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

const PATH = '/v1/gw/billing/month-closes';

/** A line of the ledger at a moment of the past, as an operation would have written it. */
async function lineAt(
  { tenantId, accountId }: Customer,
  at: string,
  line: { type: string; micro: bigint; charged?: string; rate?: number },
) {
  const { type, micro, charged = null, rate = null } = line;
  const requestId = newId('Request');
  await app.owner.pool.query(
    `WITH funds AS (UPDATE account SET posted_micro = posted_micro + $4, version = version + 1
       WHERE id = $1 RETURNING posted_micro, version)
     INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
       charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after, held_after,
       vat_rate_basis_points, vat_micro, created_at)
     SELECT $1, version, $2, $5, $3, $6, 'cash_in', abs($4::bigint), $4, 0, posted_micro, 0, $7,
       coalesce(vat_inside(abs($4::bigint), $7), 0), $8 FROM funds`,
    [accountId, tenantId, requestId, micro, type, charged, rate, at],
  );
  return requestId;
}

type Row = Readonly<Record<string, number | string>>;

type Month = Readonly<Record<string, Row[] & Row>>;

const RUB = 1_000_000n;
const kopecks = (value: unknown) => Math.round(Number(value) * 100);
const micro = (value: unknown) => Math.round(Number(value) * 1e6);

function sum(of: readonly Row[], name: string, unit = micro): number {
  return of.reduce((all, each) => all + unit(each[name]), 0);
}

/** The largest charge of an account. */
async function largestCharge({ accountId }: Customer) {
  const { rows } = await app.owner.pool.query<{ id: string; micro: bigint }>(
    `SELECT request_id AS id, amount_micro AS micro FROM ledger_entry
     WHERE account_id = $1 AND type = 'finalize' ORDER BY amount_micro DESC LIMIT 1`,
    [accountId],
  );
  const [charge] = rows;
  if (!charge || charge.micro === 0n) throw new Error('nothing was charged');
  return charge;
}

/** December to February: top-ups at both rates, charges, a refund, a credit and a return. */
async function threeMonths() {
  const customer = await newCustomer(app);
  await existedSince(app, customer.tenantId);
  const charge = async (day: string) => {
    const plant = (hour: string, clientId?: string) =>
      plantCleanBooks(app.owner.pool, customer, {
        ...{ requests: 150, stepMs: 60_000, from: new Date(`${day}T${hour}:00:00Z`) },
        ...(clientId !== undefined && { clientId }),
      });
    await plant('09');
    await plant('13', 'a-client');
  };
  const line = (day: string, given: Parameters<typeof lineAt>[2]) =>
    lineAt(customer, `${day}T09:00:00Z`, given);
  const first = await line('2025-12-05', { type: 'top_up', micro: 1_000n * RUB, rate: 2_000 });
  await charge('2025-12-10');
  const { id, micro: amount } = await largestCharge(customer);
  await charge('2026-01-10');
  await line('2026-01-20', { type: 'refund', micro: amount, charged: id, rate: 2_000 });
  await line('2026-01-21', { type: 'credit', micro: 20_000n });
  await line('2026-01-22', { type: 'adjustment', micro: -10_000n });
  await charge('2026-02-10');
  const second = await line('2026-02-20', { type: 'top_up', micro: 100n * RUB, rate: 2_200 });
  await line('2026-02-21', { type: 'balance_return', micro: -150n * RUB });
  const months: Month[] = [];
  for (const month of ['2025-12', '2026-01', '2026-02']) {
    const { status, body } = await rest(app, 'POST', PATH, {
      credential: customer.key,
      body: { month },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    months.push(body as Month);
  }
  return { customer, first, second, months };
}

describe('months over the change of the rate', () => {
  let told: Awaited<ReturnType<typeof threeMonths>>;
  beforeAll(async () => {
    told = await threeMonths();
  });
  const documents = (kind: string) =>
    told.months.map(({ documents: of }) => of?.filter((each) => each.kind === kind) ?? []);

  it('have an invoice of each advance once, of the day and rate of its receipt', () => {
    const { first, second } = told;
    expect(documents('advance_invoice')).toMatchObject([
      [{ lot_id: first, date: '2025-12-05', gross_rub: 1_000, vat_rub: 166.67 }],
      [],
      [{ lot_id: second, date: '2026-02-20', gross_rub: 100, vat_rub: 18.03 }],
    ]);
  });

  it('correct the month of a refunded charge, and document credit, offset and return', () => {
    const bases = documents('correction').map((of) => of.map(({ basis }) => basis));
    expect(bases).toEqual([[], ['УПД за 2025-12'], []]);
    expect(documents('bonus_notice').map((of) => of.length)).toEqual([0, 1, 0]);
    expect(documents('bonus_withdrawal')).toMatchObject([
      [],
      [{ gross_rub: 0.01, vat_rub: 0 }],
      [],
    ]);
    expect(documents('advance_offset').map((of) => of.length)).toEqual([1, 1, 1]);
    expect(documents('advance_return')).toMatchObject([[], [], [{ gross_rub: 150 }]]);
  });

  it('agree with the ledger to the micro-ruble, each by itself', () => {
    for (const { lots = [], movements, total, correction_total, bonus } of told.months) {
      const left = sum(lots, 'closing_rub') + micro(bonus?.closing_rub);
      expect(left).toBe(micro(movements?.closing_rub));
      const used = sum(lots, 'consumed_rub') + micro(bonus?.used_rub);
      expect(used).toBe(micro(movements?.charges_rub));
      const services = micro(total?.gross_rub) + micro(total?.remainder_rub);
      const corrected = micro(correction_total?.gross_rub) + micro(correction_total?.remainder_rub);
      const moved = micro(movements?.charges_rub) - micro(movements?.refunds_rub);
      expect(services - corrected).toBe(moved);
    }
  });

  it('are together the invoice of each advance, to the kopeck', () => {
    const invoices = [
      [told.first, 100_000, 16_667],
      [told.second, 10_000, 1_803],
    ] as const;
    for (const [id, gross, vat] of invoices) {
      const of = told.months.flatMap(({ lots = [] }) => lots.filter((each) => each.lot_id === id));
      const all = (what: string) =>
        sum(of, `offset_${what}_rub`, kopecks) +
        sum(of, `return_${what}_rub`, kopecks) +
        kopecks(of.at(-1)?.[`rest_${what}_rub`]);
      expect([all('gross'), all('vat')]).toEqual([gross, vat]);
    }
  });

  it('are what the FOCUS export and the margins of a partner say of the same months', async () => {
    const { key: credential } = told.customer;
    const begins = ['2025-11-30', '2025-12-31', '2026-01-31', '2026-02-28'];
    for (const [index, { movements, bonus }] of told.months.entries()) {
      const window = `from=${begins[index]}T21:00:00Z&to=${begins[index + 1]}T21:00:00Z`;
      const focus = await rest<{ data: Row[]; has_more: boolean }>(
        app,
        'GET',
        `/v1/gw/cost/focus?${window}&limit=200`,
        { credential },
      );
      expect([focus.status, focus.body.has_more]).toEqual([200, false]);
      const margin = await rest<Row>(app, 'GET', `/v1/gw/partner/margin?${window}`, { credential });
      const moved = micro(movements?.charges_rub) - micro(movements?.refunds_rub);
      const credits = micro(bonus?.given_rub) - micro(bonus?.withdrawn_rub);
      const assigned = micro(margin.body.cost_rub);
      const unassigned = micro(margin.body.unassigned_cost_rub);
      expect([assigned > 0, unassigned > 0]).toEqual([true, true]);
      const partner = assigned + unassigned;
      expect([index, sum(focus.body.data, 'BilledCost'), partner]).toEqual([
        index,
        moved - credits,
        moved,
      ]);
    }
  });

  it('tell what the change of the rate costs, and print what they refer to', async () => {
    const [december, january] = told.months;
    expect(december?.transitions).toEqual([]);
    expect(january?.transitions).toMatchObject([
      { received_at_percent: 20, supplied_at_percent: 22 },
    ]);
    const page = await rest<string>(app, 'GET', `${PATH}/${january?.id}/page`, {
      credential: told.customer.key,
    });
    expect(page.body).toContain('Основание: УПД за 2025-12.');
  });
});
