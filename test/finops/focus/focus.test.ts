import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest } from '../../support/app.js';
import { ChargedApp, micro, NOW, queryOf, sumOf, wholeSecond, YEAR } from './charged-app.js';
import { PUBLISHED, violations, type WireRow } from './published-rules.js';

let charged: ChargedApp;
beforeAll(async () => {
  charged = await ChargedApp.start();
});
afterAll(() => charged?.app.stop());

const ofYear = () => charged.exported(queryOf(YEAR));
const ofNow = (more = '', who = charged.customer) =>
  charged.exported(`${queryOf(NOW)}${more}`, who);

describe('the export', () => {
  it('keeps every rule that FOCUS 1.2 publishes of its columns', async () => {
    const rows = [...(await ofNow()), ...(await ofYear()), ...(await ofNow('&granularity=hour'))];
    expect(violations(rows)).toEqual([]);
    expect(new Set(rows.map((row) => row.ChargeCategory))).toEqual(
      new Set(['Usage', 'Tax', 'Credit', 'Adjustment']),
    );
    expect(new Set(rows.map((row) => row.ChargeClass))).toEqual(new Set([null, 'Correction']));
  });

  it('has every column of FOCUS that applies, and those of its own behind them', async () => {
    const [row = {}] = await ofNow();
    const applying = PUBLISHED.columns
      .map(({ id }) => id)
      .filter((id) => !(id in PUBLISHED.absent));
    const names = Object.keys(row);
    expect(names.slice(0, applying.length)).toEqual(applying);
    const own = names.slice(applying.length);
    expect(own.filter((name) => !/^x_[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
    const missing = PUBLISHED.columns.filter(
      ({ id, level }) => level === 'Mandatory' && id in PUBLISHED.absent,
    );
    expect(missing).toEqual([]);
  });

  it('publishes its schema, which is that of its rows', async () => {
    interface Column {
      readonly code: string;
      readonly data_type: string;
      readonly number_scale: number | null;
      readonly is_nullable: boolean;
    }
    const { body } = await rest<{ focus_version: string; columns: readonly Column[] }>(
      charged.app,
      'GET',
      '/v1/gw/cost/focus/reference',
    );
    expect(body.focus_version).toBe('1.2');
    const rows = [...(await ofNow()), ...(await ofYear())];
    const told = new Map(body.columns.map((column) => [column.code, column]));
    expect([...told.keys()].sort()).toEqual(Object.keys(rows[0] ?? {}).sort());
    const words: Readonly<Record<string, string>> = { 'Date/Time': 'DATETIME' };
    for (const { id, type } of PUBLISHED.columns.filter((each) => told.has(each.id))) {
      expect([id, told.get(id)?.data_type]).toEqual([id, words[type] ?? type.toUpperCase()]);
    }
    for (const [id, column] of rows.flatMap((row) => Object.entries(row))) {
      const { is_nullable: isNullable, number_scale: scale } = told.get(id) ?? {};
      if (column === null) expect([id, isNullable]).toEqual([id, true]);
      else expect([id, typeof column === 'number']).toEqual([id, scale !== null]);
    }
  });

  it('adds up to what the ledger moved, and its tax to what the books posted', async () => {
    for (const [rows, window] of [
      [await ofNow(), NOW],
      [await ofNow('&granularity=hour'), NOW],
      [await ofYear(), YEAR],
    ] as const) {
      const ledger = await charged.movement(window);
      expect(sumOf(rows)).toBe(ledger?.moved);
      expect(sumOf(rows, 'EffectiveCost')).toBe(ledger?.moved);
      expect(sumOf(rows.filter((row) => row.ChargeCategory === 'Tax'))).toBe(ledger?.vat);
    }
    expect((await charged.movement(NOW))?.moved).not.toBe(0n);
  });

  it('grows with what differs and not with requests, each of which it counts once', async () => {
    const before = await ofNow();
    const counted = (rows: readonly WireRow[]) =>
      rows.reduce((sum, row) => sum + Number(row.x_RequestCount), 0);
    // Without a kept answer: the same words again would be one.
    charged.script(true);
    expect(await charged.ask('one more', {})).toBe(200);
    const after = await ofNow();
    expect(after.length).toBe(before.length);
    expect([counted(before), counted(after)]).toEqual([7, 8]);
    expect(sumOf(after)).toBe((await charged.movement(NOW))?.moved);
  });

  it('counts the tokens of each meter with its price, net of tax', async () => {
    const rows = (await ofNow()).filter(
      (row) => row.x_CachedAnswer === true && row.ChargeCategory === 'Usage',
    );
    expect(rows.map((row) => [row.SkuMeter, row.ConsumedQuantity, row.SkuPriceId])).toEqual([
      ['Input Tokens', 100, 'focus:focus/model/input_uncached/cached_answer'],
      ['Cached Input Tokens', 20, 'focus:focus/model/input_cached/cached_answer'],
      ['Cache Write Tokens', 7, 'focus:focus/model/cache_write/cached_answer'],
      ['Output Tokens', 35, 'focus:focus/model/output_text/cached_answer'],
      ['Reasoning Tokens', 5, 'focus:focus/model/output_reasoning/cached_answer'],
    ]);
    // A tenth of 122.99 is 12.299, without 22 % of tax.
    expect(rows[3]).toMatchObject({
      ListUnitPrice: 10.081148,
      ContractedUnitPrice: 10.081148,
      PricingQuantity: 0.000035,
      PricingUnit: '1000000 Tokens',
      ConsumedUnit: 'Tokens',
      ContractedCost: 0.000353,
      ProviderName: 'An operator',
      InvoiceIssuerName: 'An operator',
      PublisherName: 'A vendor',
      ResourceId: 'focus:focus/model',
      ResourceName: 'The model of the test',
      RegionId: 'rf',
      SubAccountId: charged.customer.projectId,
      BillingAccountId: charged.customer.accountId,
      BillingCurrency: 'RUB',
      x_KeyId: charged.customer.keyId,
    });
  });

  it('computes the costs of tax from the costs that it is on', async () => {
    const rows = await ofNow();
    const embeddings = rows.filter((row) => row.x_Operation === 'embeddings');
    const [tax, ...others] = embeddings.filter((row) => row.ChargeCategory === 'Tax');
    const used = embeddings.filter((row) => row.ChargeCategory === 'Usage');
    expect(others).toEqual([]);
    for (const column of ['ListCost', 'ContractedCost']) {
      const on = sumOf(used, column);
      expect(micro(tax?.[column])).toBe((on * 22n + 50n) / 100n);
    }
    expect(tax?.ServiceName).toBe('Embeddings');
  });

  it('leaves out what failed, which costs nothing, and top-ups, which buy nothing', async () => {
    const { rows } = await charged.app.owner.pool.query<{ status: string; amount: bigint }>(
      `SELECT status, amount_micro AS amount FROM usage_event WHERE id = $1`,
      [charged.requests.get('failed')],
    );
    expect(rows).toEqual([{ status: 'failed', amount: 0n }]);
    const exportedRows = await ofNow();
    expect(exportedRows.map((row) => row.ChargeCategory)).not.toContain('Purchase');
    expect(exportedRows.some((row) => micro(row.BilledCost) === -1_000_000_000n)).toBe(false);
  });
});

describe('what is given back', () => {
  it('is usage of less than nothing, and in parts ends at the whole charge', async () => {
    const rows = (await ofNow()).filter(
      (row) => row.ChargeCategory === 'Usage' && Number(row.ConsumedQuantity) < 0,
    );
    expect(rows.map((row) => [row.SkuMeter, row.ConsumedQuantity, row.ChargeClass])).toEqual([
      ['Input Tokens', -100, null],
      ['Cached Input Tokens', -20, null],
      ['Cache Write Tokens', -7, null],
      ['Output Tokens', -35, null],
      ['Reasoning Tokens', -5, null],
    ]);
    expect(rows[0]?.ChargeDescription).toMatch(/^Refund: Input Tokens of focus\/model/);
  });

  it('is told as the books have it where it names no charge', async () => {
    const rows = (await ofNow()).filter((row) => row.SubAccountId === null);
    const told = rows.map((row) => [row.ChargeCategory, row.ChargeDescription, row.BilledCost]);
    expect(told.sort()).toEqual(
      [
        ['Adjustment', 'Adjustment: Charged too little', 0.070003],
        ['Adjustment', 'Adjustment: Charged too much', -0.000003],
        ['Adjustment', 'Refund: For the outage', -1.01194],
        ['Credit', 'Credit: A welcome', -5.000001],
        ['Tax', 'Refund: VAT 22 % on Gateway Account', -0.222627],
      ].sort(),
    );
  });

  it('of an earlier billing period is a correction, at the rate of its charge', async () => {
    const rows = (await ofYear()).filter((row) => row.ChargeClass === 'Correction');
    expect(rows.map((row) => [row.ChargeCategory, row.x_VatRatePercent])).toEqual([
      ...Array.from({ length: 5 }, () => ['Usage', 20]),
      ['Tax', 20],
    ]);
    const charged = (await ofYear()).filter((row) => row.x_RequestCount !== null);
    const old = charged.filter((row) => row.x_VatRatePercent === 20);
    expect(sumOf(rows.slice(0, 5))).toBe(-sumOf(old));
  });
});

describe('the turn of the year', () => {
  it('keeps rates, days and billing periods apart, and prices without their tax', async () => {
    const rows = (await ofYear()).filter((row) => row.SkuMeter === 'Output Tokens');
    const told = rows.map((row) => [
      row.ChargePeriodStart,
      row.BillingPeriodEnd,
      row.x_VatRatePercent,
      row.ListUnitPrice,
      row.ConsumedQuantity,
    ]);
    expect(told).toEqual([
      ['2025-12-30T21:00:00Z', '2025-12-31T21:00:00Z', 20, 102.491667, 35],
      ['2025-12-31T21:00:00Z', '2026-01-31T21:00:00Z', 22, 100.811475, 35],
      ['2026-01-01T21:00:00Z', '2026-01-31T21:00:00Z', 20, 102.491667, -35],
    ]);
  });

  it('is cut by a window to the second, so that windows join', async () => {
    const cut = '2025-12-31T21:00:00Z';
    const first = await charged.exported(`from=${wholeSecond(YEAR.from)}&to=${cut}`);
    const second = await charged.exported(`from=${cut}&to=${wholeSecond(YEAR.to)}`);
    expect([...first, ...second]).toEqual(await ofYear());
    const noon = await charged.exported(`from=${cut}&to=2026-01-01T12:00:00Z`);
    expect(new Set(noon.map((row) => row.ChargePeriodEnd))).toEqual(
      new Set(['2026-01-01T12:00:00Z']),
    );
  });
});
