import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { lastMonth } from '../../../src/money/integrity/period.rules.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { existedSince } from '../../support/owner.js';
import { plant, plantCleanBooks } from '../integrity/books.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A customer whose organization was there in every month that is sealed. */
async function oldCustomer(fundsRub = 0): Promise<Customer> {
  const customer = await newCustomer(app, fundsRub);
  await existedSince(app, customer.tenantId);
  return customer;
}

const PATH = '/v1/gw/billing/month-closes';

interface Closed extends Record<string, unknown> {
  readonly id: string;
  readonly already_sealed: boolean;
  readonly movements: Readonly<Record<string, number>>;
  readonly lines: readonly Readonly<Record<string, number | string>>[];
  readonly total: Readonly<Record<string, number>>;
  readonly advances: readonly Readonly<Record<string, unknown>>[];
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

function close(customer: Customer, month?: string) {
  const body = month ? { month } : {};
  return rest<Closed>(app, 'POST', PATH, { credential: customer.key, body });
}

/** A top-up at a moment of the past, as the ledger would have written it. */
async function topUpAt({ tenantId, accountId }: Customer, at: string, rub: bigint, rate: number) {
  const micro = rub * 1_000_000n;
  await app.owner.pool.query(
    `WITH funds AS (UPDATE account SET posted_micro = posted_micro + $4, version = version + 1
       WHERE id = $1 RETURNING posted_micro, version)
     INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id, contra,
       amount_micro, posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points,
       vat_micro, created_at)
     SELECT $1, version, $2, 'top_up', $3, 'cash_in', $4, $4, 0, posted_micro, 0, $5,
       vat_inside($4, $5), $6 FROM funds`,
    [accountId, tenantId, newId('Request'), micro, rate, at],
  );
}

const CENTS = (rub: unknown) => Math.round(Number(rub) * 100);

describe('a month close', () => {
  it('equals the ledger to the kopeck on both sides of the change of the rate', async () => {
    const customer = await oldCustomer();
    await topUpAt(customer, '2025-12-05T09:00:00Z', 10_000n, 2_000);
    // From half a day before midnight of Moscow on 2026-01-01 to half a day after it.
    const from = new Date('2025-12-31T09:00:00Z');
    await plantCleanBooks(app.owner.pool, customer, { requests: 2_000, from, stepMs: 43_200 });
    const december = await close(customer, '2025-12');
    const january = await close(customer, '2026-01');
    expect([december.status, january.status]).toEqual([200, 200]);
    const rates = ({ body }: typeof december) => [
      ...new Set(body.lines.map(({ vat_rate_percent }) => vat_rate_percent)),
    ];
    expect(rates(december)).toEqual([20]);
    expect(rates(january)).toEqual([22]);
    for (const { body } of [december, january]) {
      const { total, lines, movements } = body;
      const exact = Number(total.gross_rub) + Number(total.remainder_rub);
      expect(exact).toBeCloseTo(Number(movements.charges_rub), 6);
      expect(lines.reduce((sum, line) => sum + CENTS(line.gross_rub), 0)).toBe(
        CENTS(total.gross_rub),
      );
      const vat = lines.reduce((sum, line) => sum + CENTS(line.vat_rub), 0);
      expect(vat).toBe(CENTS(total.vat_rub));
      expect(body.documents[0]?.gross_rub).toBe(total.gross_rub);
    }
    expect(december.body.movements).toMatchObject({ opening_rub: 0, top_ups_rub: 10_000 });
    expect(december.body.advances).toEqual([
      {
        rate_from: '2019-01-01',
        payments: 1,
        vat_rate_percent: 20,
        net_rub: 8_333.33,
        vat_rub: 1_666.67,
        gross_rub: 10_000,
      },
    ]);
    expect(january.body.movements.opening_rub).toBe(december.body.movements.closing_rub);
    const { rows } = await app.owner.pool.query<{ posted: bigint }>(
      'SELECT posted_micro AS posted FROM account WHERE id = $1',
      [customer.accountId],
    );
    expect(january.body.movements.closing_rub).toBeCloseTo(Number(rows[0]?.posted) / 1e6, 6);
  });

  it('takes refunds off the services, by the rate and the model of what was charged', async () => {
    const customer = await oldCustomer();
    await topUpAt(customer, '2026-03-01T09:00:00Z', 1_000n, 2_200);
    const from = new Date('2026-03-02T09:00:00Z');
    await plantCleanBooks(app.owner.pool, customer, { requests: 7, from, stepMs: 1_000 });
    const whole = await rest(app, 'GET', '/billing/ledger?type=finalize&limit=1', {
      credential: customer.key,
    });
    const [charge] = whole.body.data as { request_id: string; amount_rub: number; model: string }[];
    const { accountId, tenantId } = customer;
    await app.owner.pool.query(
      `WITH charge AS (SELECT * FROM ledger_entry WHERE account_id = $1 AND request_id = $4
         AND type = 'finalize'),
       funds AS (UPDATE account SET posted_micro = posted_micro + amount_micro,
         version = account.version + 1 FROM charge WHERE id = $1
         RETURNING posted_micro, version)
       INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
         charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after,
         held_after, vat_rate_basis_points, vat_micro, created_at)
       SELECT $1, funds.version, $2, 'refund', $3, $4, 'refunds', amount_micro, amount_micro, 0,
         posted_micro, 0, vat_rate_basis_points, vat_micro, '2026-03-03T09:00:00Z'
       FROM charge, funds`,
      [accountId, tenantId, newId('Request'), charge?.request_id],
    );
    const { status, body } = await close(customer, '2026-03');
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.movements.refunds_rub).toBe(charge?.amount_rub);
    expect(body.lines.find(({ model }) => model === charge?.model)).toMatchObject({
      exact_rub: 0,
      gross_rub: 0,
      vat_rub: 0,
    });
  });

  it('is closed once, also when many ask at once, and stays as it was', async () => {
    const customer = await oldCustomer();
    const closed = await Promise.all([1, 2, 3].map(() => close(customer, '2026-02')));
    expect(new Set(closed.map(({ body }) => body.id)).size).toBe(1);
    expect(closed.filter(({ body }) => !body.already_sealed)).toHaveLength(1);
    await plant(app.owner.pool, customer, new Date('2026-02-10T00:00:00Z'), { usage: {} });
    const [first] = closed;
    const again = await close(customer, '2026-02');
    expect(again.body).toMatchObject({ id: first?.body.id, already_sealed: true });
    const verified = await rest(app, 'GET', `${PATH}/${first?.body.id}/verify`, {
      credential: customer.key,
    });
    expect(verified.body).toMatchObject({ valid: true, chain_valid: true });
  });

  it('is the last month that has ended where none is stated, in GraphQL as well', async () => {
    const customer = await oldCustomer();
    const { data } = await graphql<{ closed: { month: string } }>(
      app,
      'mutation { closed: monthCloseSeal(input: {}) { month } }',
      {},
      customer.key,
    );
    expect(data.closed.month).toBe(lastMonth(new Date()));
    const listed = await rest<{ data: { month: string }[] }>(app, 'GET', PATH, {
      credential: customer.key,
    });
    expect(listed.body.data.map(({ month }) => month)).toEqual([lastMonth(new Date())]);
  });

  it('is refused for a month that is not over in Moscow, and for what is no month', async () => {
    const customer = await oldCustomer();
    for (const month of [new Date().toISOString().slice(0, 7), '2026-00', 'October']) {
      const { status, body } = await close(customer, month);
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { param: 'month' } });
    }
  });

  it('is refused for a month before the organization, which had no books then', async () => {
    const customer = await newCustomer(app);
    for (const body of [{ month: '2026-02' }, {}]) {
      const answer = await rest<{ error: { param: string; message: string } }>(app, 'POST', PATH, {
        credential: customer.key,
        body,
      });
      expect([answer.status, answer.body.error.param]).toEqual([400, 'month']);
      expect(answer.body.error.message).toContain('before the organization');
    }
    await existedSince(app, customer.tenantId, '2026-02-28T20:59:00Z');
    expect((await close(customer, '2026-01')).status).toBe(400);
    expect((await close(customer, '2026-02')).status).toBe(200);
  });

  it('is refused where usage does not explain the ledger, and nothing is sealed', async () => {
    const customer = await oldCustomer();
    await plant(app.owner.pool, customer, new Date('2026-02-10T00:00:00Z'), { usage: {} });
    const { status, body } = await close(customer, '2026-02');
    expect(status).toBe(409);
    expect(body).toMatchObject({ error: { code: 'month_unbalanced' } });
    const listed = await rest(app, 'GET', PATH, { credential: customer.key });
    expect(listed.body.data).toEqual([]);
  });

  it('of another tenant does not exist', async () => {
    const [own, other] = [await oldCustomer(), await oldCustomer()];
    const { body } = await close(own, '2026-02');
    for (const path of [body.id, `${body.id}/verify`, `${body.id}/page`]) {
      const { status } = await rest(app, 'GET', `${PATH}/${path}`, { credential: other.key });
      expect(status).toBe(404);
    }
  });
});

describe('the page of a closed month', () => {
  it('loads nothing, escapes what people wrote, and shows what is sealed', async () => {
    const customer = await oldCustomer();
    await app.owner.pool.query('UPDATE tenant SET name = $2 WHERE id = $1', [
      customer.tenantId,
      '<img src=x> & Co',
    ]);
    await topUpAt(customer, '2026-02-05T09:00:00Z', 100n, 2_200);
    const { body } = await close(customer, '2026-02');
    const page = await rest<string>(app, 'GET', `${PATH}/${body.id}/page`, {
      credential: customer.key,
    });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(page.body).not.toMatch(/<script|<img|<link|https?:|url\(/);
    expect(page.body).toContain('&lt;img src=x&gt; &amp; Co');
    expect(page.body).toContain('Счёт-фактура на аванс');
    expect(page.body).toContain('<td class="sum">100.00</td>');
  });
});
