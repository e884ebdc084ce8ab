import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientRows, reportPage } from '../../../src/growth/partner/client-report.rules.js';
import { CLIENT_WORDS } from '../../../src/growth/partner/client-words.js';
import {
  type ClientPeriod,
  feeOf,
  priceOf,
  termsFaults,
  tierOf,
} from '../../../src/growth/partner/margin.rules.js';
import { periodsOf, termsAt } from '../../../src/growth/partner/periods.rules.js';
import { receiptOf, reportClientOf } from '../../../src/growth/partner/report.rules.js';
import type { PartnerTerms } from '../../../src/growth/partner/tables.js';
import { VERTICALS } from '../../../src/growth/value/vocabulary.js';
import { preferredLanguage } from '../../../src/kernel/language/languages.js';
import { taxInside } from '../../../src/kernel/money.js';
import type { Window } from '../../../src/kernel/window.rules.js';

const MONTH = { from: new Date('2026-10-01T00:00:00Z'), to: new Date('2026-10-31T00:00:00Z') };
const MEASURED = 'live_measured' as const;
const TERMS: PartnerTerms = {
  clientId: 'acme',
  billingMode: 'cost_plus',
  markupBasisPoints: 2_500,
  monthlyFeeMicro: null,
  clientName: 'ACME',
  brand: 'Romashka',
  effectiveFrom: null,
};
const ENGLISH = { language: 'en', timeZone: 'Europe/Moscow' } as const;
const MICRO = fc.bigInt({ min: 0n, max: 10n ** 15n });

/** A month of usage at these costs, under one version of terms. */
function periodOf(
  terms: PartnerTerms | null,
  costsMicro: readonly bigint[],
  window: Window = MONTH,
): ClientPeriod[] {
  const lines = costsMicro.map((costMicro, index) => ({
    vertical: VERTICALS.codes[index] ?? 'other',
    requests: 1,
    costMicro,
    costVatMicro: taxInside(costMicro, 2_200).vat,
    simulatedRequests: 0,
    simulatedCostMicro: 0n,
  }));
  return [{ window, terms: terms && { version: 1, body: terms }, lines }];
}

describe('the price of a client', () => {
  it('is cost with the mark-up on it, a fee, or both, as the billing mode has it', () => {
    const price = (terms: Partial<PartnerTerms>) =>
      priceOf(periodOf({ ...TERMS, ...terms }, [101n]));
    expect(price({})).toEqual({
      status: 'computed',
      costMicro: 101n,
      costNetMicro: 83n,
      costVatMicro: 18n,
      unpricedCostMicro: 0n,
      usagePriceMicro: 127n,
      feeMicro: null,
      clientPriceMicro: 127n,
      clientPriceNetMicro: 104n,
      clientPriceVatMicro: 23n,
      marginMicro: 26n,
      marginNetMicro: 21n,
      marginVatMicro: 5n,
      marginPercent: 20.47,
    });
    const monthlyFeeMicro = 50n;
    expect(price({ billingMode: 'fixed_fee', monthlyFeeMicro })).toMatchObject({
      usagePriceMicro: null,
      feeMicro: 50n,
      clientPriceMicro: 50n,
      marginMicro: -51n,
      marginPercent: -102,
    });
    expect(price({ billingMode: 'fee_plus_usage', monthlyFeeMicro })).toMatchObject({
      clientPriceMicro: 177n,
      marginMicro: 76n,
    });
  });

  it('is none without terms, and no margin is invented', () => {
    expect(priceOf(periodOf(null, [100n]))).toMatchObject({
      status: 'cannot_price',
      costMicro: 100n,
      clientPriceMicro: null,
      marginMicro: null,
      marginPercent: null,
    });
  });

  it('never loses a micro-ruble to the mark-up, and is the sum of its lines', () => {
    const costs = fc.array(MICRO, { maxLength: 6 });
    const markup = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(costs, markup, (costsMicro, markupBasisPoints) => {
        const terms = { ...TERMS, markupBasisPoints };
        const usage = { clientId: 'acme', periods: periodOf(terms, costsMicro) };
        const receipt = receiptOf(usage, MONTH, MEASURED);
        const shown = reportClientOf(usage, true);
        const sum = (of: 'usagePriceMicro' | 'costMicro' | 'marginMicro') =>
          shown.lines.reduce((all, line) => all + (line[of] ?? 0n), 0n);
        expect(receipt.marginMicro).toBeGreaterThanOrEqual(0n);
        expect(sum('usagePriceMicro')).toBe(receipt.clientPriceMicro);
        expect(sum('costMicro')).toBe(receipt.costMicro);
        expect(sum('marginMicro')).toBe(receipt.marginMicro);
      }),
    );
  });

  it('has a fee for the days of the window', () => {
    const terms = { ...TERMS, billingMode: 'fixed_fee' as const, monthlyFeeMicro: 3_000n };
    const day = { from: MONTH.from, to: new Date('2026-10-02T00:00:00Z') };
    expect([feeOf(terms, MONTH), feeOf(terms, day), feeOf(TERMS, MONTH)]).toEqual([
      3_000n,
      100n,
      null,
    ]);
  });

  it('needs what its billing mode bills', () => {
    const paths = (terms: Partial<PartnerTerms>) =>
      termsFaults({ ...TERMS, markupBasisPoints: null, ...terms }).map(({ path }) => path);
    expect(paths({})).toEqual(['input.markupBasisPoints']);
    expect(paths({ billingMode: 'fixed_fee' })).toEqual(['input.monthlyFeeRub']);
    expect(paths({ billingMode: 'fee_plus_usage' })).toHaveLength(2);
  });
});

describe('the tier of a partner', () => {
  const rub = 1_000_000n;
  it.each([
    [2, 900_000n * rub, 'registered'],
    [3, 49_999n * rub, 'registered'],
    [3, 50_000n * rub, 'growing'],
    [10, 499_999n * rub, 'growing'],
    [10, 500_000n * rub, 'leading'],
  ])('with %i clients and a cost of %s is by the published minimums: %s', (clients, cost, tier) => {
    expect(tierOf(clients, cost, MONTH)).toBe(tier);
  });
});

describe('the report for a client', () => {
  const line = {
    vertical: 'tenders' as const,
    requests: 3,
    costMicro: 100n,
    costVatMicro: 18n,
    simulatedRequests: 0,
    simulatedCostMicro: 0n,
  };
  const report = (showsMargin: boolean, terms: PartnerTerms | null = TERMS) => {
    const [period] = periodOf(terms, []);
    const periods = period ? [{ ...period, lines: [line] }] : [];
    const clients = [reportClientOf({ clientId: 'a', periods }, showsMargin)];
    return { ...MONTH, showsMargin, provenance: MEASURED, clients };
  };

  it('tells cost and margin only where they are shown', () => {
    expect(report(false).clients[0]).toMatchObject({
      clientName: 'ACME',
      brand: 'Romashka',
      clientPriceMicro: 125n,
      costMicro: null,
      marginMicro: null,
      lines: [{ usagePriceMicro: 125n, costMicro: null, marginMicro: null }],
    });
    for (const shown of [report(false), report(true)]) {
      const [, text = ''] = reportPage(shown, ENGLISH).split('</style>');
      expect(text).not.toMatch(/margin|0\.000025/i);
    }
  });

  it('as rows adds up to its total, and says every word in both languages', () => {
    for (const language of ['ru', 'en'] as const) {
      const rows = clientRows(report(true), { ...ENGLISH, language });
      const of = (item: string) => rows.filter((row) => row.item === item);
      const sum = [...of('usage'), ...of('fee')].reduce(
        (all, row) => all + (row.priceMicro ?? 0n),
        0n,
      );
      expect(of('total').map(({ priceMicro }) => priceMicro)).toEqual([sum]);
      expect(Object.keys(CLIENT_WORDS[language].verticals)).toEqual([...VERTICALS.codes]);
    }
  });

  it('is in the language that is preferred, and Russian where none of its own is', () => {
    const told = [
      undefined,
      '',
      '*',
      'de',
      'en',
      'EN-us',
      'ru;q=0.1, en;q=0.9',
      'en;q=0',
      'en;q=x',
    ];
    expect(told.map((header) => preferredLanguage(header, 'ru'))).toEqual([
      'ru',
      'ru',
      'ru',
      'ru',
      'en',
      'en',
      'en',
      'ru',
      'ru',
    ]);
  });

  it('runs no markup that names of clients and brands hold', () => {
    const terms = { ...TERMS, clientName: '<script>1</script>', brand: '"&\'' };
    const page = reportPage(report(true, terms), ENGLISH);
    expect(page).toContain('<h2>&lt;script&gt;1&lt;/script&gt;</h2>');
    expect(page).toContain('<h1>&quot;&amp;&#39;</h1>');
    expect(page).not.toContain('<script');
  });
});

describe('terms', () => {
  const version = (number: number, createdAt: string, effectiveFrom: string | null) => ({
    version: number,
    createdAt: new Date(createdAt),
    body: { ...TERMS, effectiveFrom: effectiveFrom === null ? null : new Date(effectiveFrom) },
  });
  const versions = [
    version(3, '2026-10-20T00:00:00Z', '2026-10-01T00:00:00Z'),
    version(2, '2026-10-05T00:00:00Z', '2026-10-10T00:00:00Z'),
    version(1, '2026-09-01T00:00:00Z', null),
  ];

  it('hold from their begin on, and never before they were published', () => {
    const at = (time: string) => termsAt(versions, new Date(time))?.version;
    expect(at('2026-08-31T23:59:59Z')).toBeUndefined();
    expect(at('2026-10-09T23:59:59Z')).toBe(1);
    expect(at('2026-10-10T00:00:00Z')).toBe(2);
    expect(at('2026-10-19T23:59:59Z')).toBe(2);
    expect(at('2026-10-20T00:00:00Z')).toBe(3);
  });

  it('part a window where they begin, and where the rate of tax changes', () => {
    const begins = periodsOf(MONTH, versions).map(({ from }) => from.toISOString().slice(0, 10));
    expect(begins).toEqual(['2026-10-01', '2026-10-10', '2026-10-20']);
    const year = { from: new Date('2025-12-01T00:00:00Z'), to: new Date('2026-02-01T00:00:00Z') };
    expect(periodsOf(year, []).map(({ from }) => from.toISOString())).toEqual([
      '2025-12-01T00:00:00.000Z',
      '2025-12-31T21:00:00.000Z',
    ]);
  });

  it('price what came after their begin, and leave what came before without a price', () => {
    const [begin, middle, end] = [MONTH.from, new Date('2026-10-15T00:00:00Z'), MONTH.to];
    const price = priceOf([
      ...periodOf(null, [100n], { from: begin, to: middle }),
      ...periodOf(TERMS, [200n], { from: middle, to: end }),
    ]);
    expect(price).toMatchObject({
      status: 'partly_priced',
      costMicro: 300n,
      unpricedCostMicro: 100n,
      clientPriceMicro: 250n,
      marginMicro: 50n,
    });
  });
});
