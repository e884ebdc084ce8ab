import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taxInside } from '../../../src/kernel/money.js';
import { MICRO_PER_KOPECK } from '../../../src/money/advances/kopecks.rules.js';
import {
  AdvanceBook,
  type AdvanceLine,
  type AdvanceState,
  movedSince,
  paidLeft,
} from '../../../src/money/advances/lots.rules.js';

type Act = { readonly kind: string; readonly amount: bigint; readonly pick: number };

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('top_up', 'charge', 'charge', 'refund', 'credit', 'adjust', 'return'),
  amount: fc.bigInt({ min: 1n, max: 5_000_000_000n }),
  pick: fc.nat(),
});

/** An account as the ledger would move it, with the lines that it would write. */
class Account {
  posted = 0n;
  readonly lines: AdvanceLine[] = [];
  readonly charges: { readonly id: string; left: bigint; isRefunded: boolean }[] = [];

  constructor(private readonly rateAt: (line: number) => number) {}

  private line(type: AdvanceLine['type'] | 'charge', delta: bigint, charged: string | null = null) {
    this.posted += delta;
    const version = BigInt(this.lines.length + 1);
    const isTaxed = type === 'top_up' || type === 'refund' || type === 'charge';
    this.lines.push({
      version,
      type: type === 'charge' ? 'finalize' : type,
      requestId: `r${version}`,
      chargedRequestId: charged,
      at: new Date(Number(version)),
      rate: isTaxed ? this.rateAt(this.lines.length) : null,
      postedDelta: delta,
      postedAfter: this.posted,
    });
    return `r${version}`;
  }

  /** What the ledger would refuse does nothing. */
  do({ kind, amount, pick }: Act, paid: bigint): void {
    const atMost = (most: bigint) => (amount < most ? amount : most);
    if (kind === 'top_up') this.line('top_up', amount);
    if (kind === 'credit') this.line('credit', amount);
    if (kind === 'charge' && this.posted > 0n) {
      const left = atMost(this.posted);
      this.charges.push({ id: this.line('charge', -left), left, isRefunded: false });
    }
    if (kind === 'adjust') {
      const delta = pick % 2 === 0 ? amount : -atMost(this.posted);
      if (delta !== 0n) this.line('adjustment', delta);
    }
    if (kind === 'return' && paid > 0n) this.line('balance_return', -atMost(paid));
    const charge = this.charges[pick % (this.charges.length || 1)];
    if (kind !== 'refund' || !charge || charge.left === 0n) return;
    const given = atMost(charge.left);
    charge.left -= given;
    charge.isRefunded = true;
    this.line('refund', given, charge.id);
  }

  /** What is read of it: no charge but those that were refunded, as the statement has it. */
  read(): AdvanceLine[] {
    const refunded = new Set(this.charges.filter((each) => each.isRefunded).map(({ id }) => id));
    return this.lines.filter(
      ({ type, requestId }) => type !== 'finalize' || refunded.has(requestId),
    );
  }
}

function stateOf(lines: readonly AdvanceLine[], posted: bigint): AdvanceState {
  const book = new AdvanceBook();
  for (const line of lines) book.add(line);
  book.spendTo(posted);
  return book.state();
}

function accountOf(acts: readonly Act[], rateAt: (line: number) => number = () => 2_000): Account {
  const account = new Account(rateAt);
  for (const each of acts) account.do(each, paidLeft(stateOf(account.lines, account.posted)));
  return account;
}

describe('advances as lots', () => {
  it('add up to the balance with the bonus, whatever moved it, and nobody owes', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const account = accountOf(acts);
        const state = stateOf(account.read(), account.posted);
        expect(paidLeft(state) + state.bonus.leftMicro).toBe(account.posted);
        expect([state.owedMicro, state.unpaidReturnMicro]).toEqual([0n, 0n]);
        for (const lot of state.lots) {
          expect(lot.leftMicro >= 0n && lot.leftMicro <= lot.invoice.exactMicro).toBe(true);
        }
      }),
    );
  });

  it('are the same whether every charge is read or only those that were refunded', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const account = accountOf(acts);
        const few = stateOf(account.read(), account.posted);
        expect(few).toEqual(stateOf(account.lines, account.posted));
      }),
    );
  });

  it('end at their invoices to the kopeck over all months and a change of the rate', () => {
    const moments = fc.array(fc.array(act, { maxLength: 12 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(moments, (months) => {
        let turn = 0;
        const account = new Account(() => (turn < months.length / 2 ? 2_000 : 2_200));
        const ends: AdvanceState[] = [];
        for (const acts of months) {
          for (const each of acts)
            account.do(each, paidLeft(stateOf(account.lines, account.posted)));
          ends.push(stateOf(account.lines, account.posted));
          turn += 1;
        }
        const last = ends.at(-1);
        for (const [index, lot] of (last?.lots ?? []).entries()) {
          const { grossMicro, vatMicro } = lot.invoice;
          expect(vatMicro).toBe(kopecks(taxInside(grossMicro, lot.rate).vat));
          let [gross, vat] = [lot.rest.grossMicro, lot.rest.vatMicro];
          let before: AdvanceState | undefined;
          for (const end of ends) {
            const at = end.lots[index];
            const { offset, restored, returned } = at
              ? movedSince(at, before?.lots[index])
              : { offset: NONE, restored: NONE, returned: NONE };
            gross += offset.grossMicro - restored.grossMicro + returned.grossMicro;
            vat += offset.vatMicro - restored.vatMicro + returned.vatMicro;
            before = end;
          }
          expect([gross, vat]).toEqual([grossMicro, vatMicro]);
          if (lot.leftMicro === 0n)
            expect(lot.rest).toMatchObject({ grossMicro: 0n, vatMicro: 0n });
        }
      }),
    );
  });
});

const NONE = { exactMicro: 0n, grossMicro: 0n, vatMicro: 0n };

function kopecks(micro: bigint): bigint {
  return ((micro + MICRO_PER_KOPECK / 2n) / MICRO_PER_KOPECK) * MICRO_PER_KOPECK;
}

const RUB = 1_000_000n;
const left = ({ lots }: AdvanceState) => lots.map(({ leftMicro }) => leftMicro / RUB);

function told(...acts: readonly (readonly [string, bigint, number?])[]): AdvanceState {
  const steps = acts.map(([kind, rub, pick = 0]) => ({ kind, amount: rub * RUB, pick }));
  const account = accountOf(steps);
  return stateOf(account.read(), account.posted);
}

describe('charges', () => {
  it('use what the operator gave first, then the lots in the order of their receipt', () => {
    const two = [
      ['top_up', 100n],
      ['top_up', 50n],
      ['credit', 30n],
    ] as const;
    expect(told(...two, ['charge', 20n])).toMatchObject({ bonus: { leftMicro: 10n * RUB } });
    expect(left(told(...two, ['charge', 40n]))).toEqual([90n, 50n]);
    expect(left(told(...two, ['charge', 150n]))).toEqual([0n, 30n]);
  });
});

describe('a refund', () => {
  it('puts back what its charge took, the last part first, whence it came', () => {
    const acts = [
      ['top_up', 100n],
      ['top_up', 50n],
      ['charge', 120n],
      ['top_up', 10n],
      ['charge', 35n],
    ] as const;
    expect(left(told(...acts))).toEqual([0n, 0n, 5n]);
    expect(left(told(...acts, ['refund', 30n, 0]))).toEqual([10n, 20n, 5n]);
    expect(left(told(...acts, ['refund', 30n, 0], ['charge', 15n]))).toEqual([0n, 15n, 5n]);
  });

  it('of what a bonus paid gives the bonus back, and no advance', () => {
    const state = told(['top_up', 10n], ['credit', 5n], ['charge', 8n], ['refund', 8n]);
    expect(left(state)).toEqual([10n]);
    expect(state.bonus).toMatchObject({ leftMicro: 5n * RUB, restoredMicro: 5n * RUB });
  });
});

describe('the return of a balance', () => {
  it('takes the newest lots first, and never what the operator gave', () => {
    const acts = [
      ['top_up', 100n],
      ['top_up', 50n],
      ['credit', 30n],
    ] as const;
    expect(left(told(...acts, ['return', 60n]))).toEqual([90n, 0n]);
    const all = told(...acts, ['return', 1_000n]);
    expect([left(all), all.bonus.leftMicro]).toEqual([[0n, 0n], 30n * RUB]);
  });
});

describe('a top-up of an account that owes', () => {
  it('pays the debt first, and only the rest is an advance', () => {
    const book = new AdvanceBook();
    book.spendTo(-40n * RUB);
    book.add({
      version: 2n,
      type: 'top_up',
      requestId: 'late',
      chargedRequestId: null,
      at: new Date(0),
      rate: 2_200,
      postedDelta: 100n * RUB,
      postedAfter: 60n * RUB,
    });
    const state = book.state();
    expect(state.owedMicro).toBe(0n);
    expect(state.lots).toMatchObject([
      { settledMicro: 40n * RUB, leftMicro: 60n * RUB, invoice: { grossMicro: 60n * RUB } },
    ]);
  });
});
