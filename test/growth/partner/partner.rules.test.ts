import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientRows, reportPage } from '../../../src/growth/partner/client-report.rules.js';
import { CLIENT_WORDS } from '../../../src/growth/partner/client-words.js';
import { feeOf, priceOf, termsFaults, tierOf } from '../../../src/growth/partner/margin.rules.js';
import { receiptOf, reportClientOf } from '../../../src/growth/partner/report.rules.js';
import type { PartnerTerms } from '../../../src/growth/partner/tables.js';
import { VERTICALS } from '../../../src/growth/value/vocabulary.js';
import { preferredLanguage } from '../../../src/kernel/language/languages.js';

const MONTH = { from: new Date('2026-10-01T00:00:00Z'), to: new Date('2026-10-31T00:00:00Z') };
const MEASURED = 'live_measured' as const;
const TERMS: PartnerTerms = {
  clientId: 'acme',
  billingMode: 'cost_plus',
  markupBasisPoints: 2_500,
  monthlyFeeMicro: null,
  clientName: 'ACME',
  brand: 'Romashka',
};
const ENGLISH = { language: 'en', timeZone: 'Europe/Moscow' } as const;
const MICRO = fc.bigInt({ min: 0n, max: 10n ** 15n });

describe('the price of a client', () => {
  it('is cost with the mark-up on it, a fee, or both, as the billing mode has it', () => {
    const price = (terms: Partial<PartnerTerms>) => priceOf({ ...TERMS, ...terms }, [101n], MONTH);
    expect(price({})).toEqual({
      status: 'computed',
      costMicro: 101n,
      usagePriceMicro: 127n,
      feeMicro: null,
      clientPriceMicro: 127n,
      marginMicro: 26n,
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
    expect(priceOf(null, [100n], MONTH)).toMatchObject({
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
        const lines = costsMicro.map((costMicro, index) => ({
          vertical: VERTICALS.codes[index] ?? 'other',
          requests: 1,
          costMicro,
          simulatedRequests: 0,
          simulatedCostMicro: 0n,
        }));
        const usage = { clientId: 'acme', lines };
        const receipt = receiptOf(usage, { version: 1, body: terms }, MONTH, MEASURED);
        const shown = reportClientOf(usage, terms, MONTH, true);
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
    simulatedRequests: 0,
    simulatedCostMicro: 0n,
  };
  const report = (showsMargin: boolean, terms: PartnerTerms | null = TERMS) => ({
    ...MONTH,
    showsMargin,
    provenance: MEASURED,
    clients: [reportClientOf({ clientId: 'a', lines: [line] }, terms, MONTH, showsMargin)],
  });

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
