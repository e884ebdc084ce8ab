import { taxInside } from '../../../src/kernel/money.js';
import { AdvanceBook } from '../../../src/money/advances/lots.rules.js';
import { monthWindow } from '../../../src/money/integrity/period.rules.js';
import type {
  LedgerGroup,
  MonthBooks,
  UsageGroup,
} from '../../../src/money/month-close/close.rules.js';

/** Usage of a model at a rate. */
export function usageOf(model: string, rate: number, grossMicro: bigint): UsageGroup {
  const vatMicro = taxInside(grossMicro, rate).vat;
  return { corrects: null, rate, operation: 'chat', model, requests: 1n, grossMicro, vatMicro };
}

/** What an account owns that has received a lot in December, and was given something. */
function advancesAfter(receivedMicro: bigint, givenMicro = 0n) {
  const at = new Date('2025-12-05T09:00:00Z');
  const book = new AdvanceBook();
  const line = { chargedRequestId: null, at };
  book.add({
    ...{ ...line, version: 1n, type: 'top_up', requestId: 'lot', rate: 2_000 },
    ...{ postedDelta: receivedMicro, postedAfter: receivedMicro },
  });
  if (givenMicro > 0n) {
    book.add({
      ...{ ...line, version: 2n, type: 'credit', requestId: 'gift', rate: null },
      ...{ postedDelta: givenMicro, postedAfter: receivedMicro + givenMicro },
    });
  }
  return book;
}

/** What an account owned before and after it spent so much. */
export function advancesOf(receivedMicro: bigint, spentMicro: bigint, givenMicro = 0n) {
  const book = advancesAfter(receivedMicro, givenMicro);
  const opening = book.state();
  book.spendTo(receivedMicro + givenMicro - spentMicro);
  return { opening, closing: book.state() };
}

/** The books in which the given usage was charged, and so much was received before. */
export function booksOf(usage: readonly UsageGroup[], receivedMicro: bigint): MonthBooks {
  const charged = new Map<number, LedgerGroup>();
  for (const { rate, grossMicro, vatMicro } of usage) {
    const known = charged.get(rate);
    charged.set(rate, {
      type: 'finalize',
      rate,
      lines: (known?.lines ?? 0n) + 1n,
      postedMicro: (known?.postedMicro ?? 0n) - grossMicro,
      vatMicro: (known?.vatMicro ?? 0n) + vatMicro,
    });
  }
  const ledger = [...charged.values()];
  const spent = usage.reduce((sum, { grossMicro }) => sum + grossMicro, 0n);
  return {
    month: '2026-01',
    window: monthWindow('2026-01'),
    buyerName: 'Buyer',
    openingMicro: receivedMicro,
    closingMicro: receivedMicro - spent,
    advances: advancesOf(receivedMicro, spent),
    ledger,
    usage,
    corrected: [],
  };
}
