import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MICRO_PER_KOPECK } from '../../../src/money/advances/kopecks.rules.js';
import { AdvanceBook } from '../../../src/money/advances/lots.rules.js';
import { closeOf, unbalanced } from '../../../src/money/month-close/close.rules.js';
import { inKopecks } from '../../../src/money/month-close/kopecks.rules.js';
import { printablePage } from '../../../src/money/month-close/page.rules.js';
import { advancesOf, booksOf, usageOf } from './made-books.js';

const amount = fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n });

describe('rounding to kopecks', () => {
  it('keeps the sum of the lines equal to the sum rounded half up, whatever the lines are', () => {
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        const { parts, sumMicro, remainderMicro } = inKopecks(amounts);
        const exact = amounts.reduce((sum, one) => sum + one, 0n);
        expect(parts.reduce((sum, one) => sum + one, 0n)).toBe(sumMicro);
        expect(sumMicro + remainderMicro).toBe(exact);
        expect(remainderMicro >= -MICRO_PER_KOPECK / 2n).toBe(true);
        expect(remainderMicro < MICRO_PER_KOPECK / 2n).toBe(true);
      }),
    );
  });

  it('moves no line by a kopeck or more', () => {
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        inKopecks(amounts).parts.forEach((part, index) => {
          const off = part - (amounts[index] ?? 0n);
          expect(off > -MICRO_PER_KOPECK && off < MICRO_PER_KOPECK).toBe(true);
          expect(part % MICRO_PER_KOPECK).toBe(0n);
        });
      }),
    );
  });

  it('gives what is left to the largest remainders, ties to the earlier line', () => {
    expect(inKopecks([14_000n, 18_000n, 18_000n])).toEqual({
      parts: [10_000n, 20_000n, 20_000n],
      sumMicro: 50_000n,
      remainderMicro: 0n,
    });
    expect(inKopecks([5_000n, 5_000n]).parts).toEqual([10_000n, 0n]);
  });
});

const ACROSS = [usageOf('a', 2_000, 1_234_567n), usageOf('a', 2_200, 7_654_321n)];

describe('a closed month', () => {
  it('has lines that add up to the ledger to the kopeck, also across a change of the rate', () => {
    const someUsage = fc.array(
      fc
        .tuple(
          fc.constantFrom('a', 'b', 'c'),
          fc.constantFrom(2_000, 2_200),
          fc.bigInt({ min: 0n, max: 10n ** 11n }),
        )
        .map(([model, rate, gross]) => usageOf(model, rate, gross)),
    );
    fc.assert(
      fc.property(someUsage, (usage) => {
        const books = booksOf(usage, 10n ** 14n);
        expect(unbalanced(books)).toEqual([]);
        const { lines, total, documents } = closeOf(books);
        const ledger = books.ledger.reduce((sum, { postedMicro }) => sum - postedMicro, 0n);
        expect(total.grossMicro + total.remainderMicro).toBe(ledger);
        for (const name of ['grossMicro', 'vatMicro', 'netMicro'] as const) {
          expect(lines.reduce((sum, line) => sum + line[name], 0n)).toBe(total[name]);
        }
        expect(lines.every((line) => line.netMicro + line.vatMicro === line.grossMicro)).toBe(true);
        const services = documents.filter(({ kind }) => kind !== 'advance_offset');
        expect(services.every(({ grossMicro }) => grossMicro === total.grossMicro)).toBe(true);
      }),
    );
  });

  it('tells services of each rate apart by the day of supply', () => {
    const { lines } = closeOf(booksOf(ACROSS, 10_000_000n));
    expect(lines).toEqual([
      {
        rateFrom: '2019-01-01',
        vatRatePercent: 20,
        operation: 'chat',
        model: 'a',
        requests: 1n,
        netMicro: 1_030_000n,
        vatMicro: 210_000n,
        grossMicro: 1_240_000n,
        exactMicro: 1_234_567n,
        exactVatMicro: 205_761n,
      },
      {
        rateFrom: '2026-01-01',
        vatRatePercent: 22,
        operation: 'chat',
        model: 'a',
        requests: 1n,
        netMicro: 6_270_000n,
        vatMicro: 1_380_000n,
        grossMicro: 7_650_000n,
        exactMicro: 7_654_321n,
        exactVatMicro: 1_380_287n,
      },
    ]);
  });

  it('says that a УПД stands in place of invoice and act, in the seal and on the page', () => {
    const content = {
      ...closeOf(booksOf(ACROSS, 10_000_000n)),
      provenance: 'live_measured',
    } as const;
    const told = content.documents.map(({ kind, inPlaceOf }) => [kind, inPlaceOf]);
    expect(told).toEqual([
      ['invoice', []],
      ['act', []],
      ['upd', ['invoice', 'act']],
      ['advance_offset', []],
    ]);
    const page = printablePage(content, { id: 'one', sha256: 'two' });
    const [invoice, act, upd, offset] = page.split('<section><h2>').slice(3);
    const other = 'если выставлен документ «Универсальный передаточный документ, статус 1».';
    expect(invoice).toContain(`Не выставляется, ${other}`);
    expect(act).toContain(`Не выставляется, ${other}`);
    const both = '«Счёт-фактура» и «Акт об оказании услуг».';
    expect(upd).toContain(`Выставляется вместо документов ${both}`);
    expect(offset).not.toContain('ыставл');
  });

  it('names every requisite that no row knows, and makes none up', () => {
    const { documents } = closeOf(booksOf(ACROSS, 10_000_000n));
    expect(documents.map(({ kind }) => kind)).toEqual(['invoice', 'act', 'upd', 'advance_offset']);
    for (const { missing, buyerName, date } of documents) {
      expect({ buyerName, date }).toEqual({ buyerName: 'Buyer', date: '2026-01-31' });
      expect(missing).toEqual(expect.arrayContaining(['number', 'seller.inn', 'buyer.inn']));
    }
  });

  it('says what is left of advances at the rate of their receipt, and invoices none again', () => {
    const { remainders, documents } = closeOf(booksOf([], 5_000_000n));
    expect(remainders).toEqual([
      {
        rateFrom: '2019-01-01',
        vatRatePercent: 20,
        netMicro: 4_170_000n,
        vatMicro: 830_000n,
        grossMicro: 5_000_000n,
      },
    ]);
    expect(documents).toEqual([]);
  });

  it('tells no advance of what has paid a debt, as its invoice does', () => {
    const line = {
      version: 1n,
      type: 'top_up',
      requestId: 'late',
      chargedRequestId: null,
    } as const;
    const at = new Date('2026-01-10T09:00:00Z');
    const book = new AdvanceBook();
    book.spendTo(-4_000_000n);
    const opening = book.state();
    const postedDelta = 10_000_000n;
    book.add({ ...line, at, rate: 2_200, postedDelta, postedAfter: 6_000_000n });
    const { advances, documents } = closeOf({
      ...booksOf([], 0n),
      advances: { opening, closing: book.state() },
      ledger: [
        { type: 'top_up', rate: 2_200, lines: 1n, postedMicro: postedDelta, vatMicro: 1_803_278n },
      ],
    });
    const told = { vatMicro: 1_080_000n, grossMicro: 6_000_000n, netMicro: 4_920_000n };
    expect(advances).toEqual([
      { rateFrom: '2026-01-01', payments: 1, vatRatePercent: 22, ...told },
    ]);
    expect(documents).toMatchObject([{ kind: 'advance_invoice', ...told }]);
  });

  it('tells what the change of the rate costs on advances that were received before it', () => {
    const usage = [usageOf('a', 2_200, 1_220_000n)];
    const { transitions } = closeOf(booksOf(usage, 5_000_000n));
    expect(transitions).toEqual([
      {
        receivedAtPercent: 20,
        suppliedAtPercent: 22,
        grossMicro: 1_220_000n,
        advanceVatMicro: 200_000n,
        supplyVatMicro: 220_000n,
        differenceMicro: 20_000n,
      },
    ]);
  });

  it('uses what the operator gave before what was paid, and gives no VAT for it', () => {
    const books = booksOf([usageOf('a', 2_200, 3_000_000n)], 5_000_000n);
    const given = 2_000_000n;
    const openingMicro = 5_000_000n + given;
    const advances = advancesOf(5_000_000n, 3_000_000n, given);
    const closed = closeOf({
      ...books,
      advances,
      openingMicro,
      closingMicro: openingMicro - 3_000_000n,
    });
    expect(closed.bonus).toMatchObject({ usedMicro: given, closingMicro: 0n });
    expect(closed.lots).toMatchObject([{ consumedMicro: 1_000_000n, closingMicro: 4_000_000n }]);
    expect(closed.total.grossMicro).toBe(3_000_000n);
  });

  it('has no document of nothing: all of its services were refunded in it', () => {
    const own = usageOf('a', 2_200, 3_000_000n);
    const usage = [{ ...own, grossMicro: 0n, vatMicro: 0n }];
    const { total, documents } = closeOf({ ...booksOf([own], 5_000_000n), usage });
    expect([total.grossMicro, total.vatMicro]).toEqual([0n, 0n]);
    expect(documents.map(({ kind }) => kind)).toEqual(['advance_offset']);
  });
});

describe('books that do not add up', () => {
  it('are refused by what is wrong with them', () => {
    const books = booksOf(ACROSS, 10_000_000n);
    expect(unbalanced({ ...books, closingMicro: books.closingMicro + 1n })).toEqual([
      'the balance does not move by its lines',
      'the advances do not explain the balance',
    ]);
    const [first = usageOf('a', 2_000, 0n), ...rest] = books.usage;
    const less = [{ ...first, grossMicro: first.grossMicro - 1n }, ...rest];
    expect(unbalanced({ ...books, usage: less })).toEqual([
      'usage does not explain the charges of 20 % VAT',
    ]);
    const taxed = [{ ...first, vatMicro: first.vatMicro - 1n }, ...rest];
    expect(unbalanced({ ...books, usage: taxed })).toHaveLength(1);
  });
});
