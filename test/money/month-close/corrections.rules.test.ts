import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeOf, type UsageGroup } from '../../../src/money/month-close/close.rules.js';
import { booksOf, usageOf } from './made-books.js';

describe('corrections of a month', () => {
  /** What each of some refunds, one a month, takes off a month of these services. */
  function corrections(services: readonly UsageGroup[], refunds: readonly UsageGroup[][]) {
    const sum = (groups: readonly UsageGroup[], name: 'grossMicro' | 'vatMicro') =>
      groups.reduce((all, each) => all + each[name], 0n);
    const left = (until: number) => {
      const back = refunds.slice(0, until).flat();
      return {
        grossMicro: sum(services, 'grossMicro') - sum(back, 'grossMicro'),
        vatMicro: sum(services, 'vatMicro') - sum(back, 'vatMicro'),
      };
    };
    return refunds.map((groups, index) =>
      closeOf({
        ...booksOf([], 10n ** 14n),
        usage: groups.map((each) => ({
          ...{ ...each, corrects: '2025-12', requests: 0n },
          ...{ grossMicro: -each.grossMicro, vatMicro: -each.vatMicro },
        })),
        corrected: [{ month: '2025-12', before: left(index), after: left(index + 1) }],
      }),
    );
  }

  const exact = (model: string, grossMicro: bigint, vatMicro = 0n) => ({
    ...usageOf(model, 2_000, grossMicro),
    vatMicro,
  });
  const SUMS = ['netMicro', 'vatMicro', 'grossMicro'] as const;

  it('are together its УПД where all of it was refunded, however it was parted', () => {
    const parts = fc.array(
      fc.record({
        model: fc.constantFrom('a', 'b', 'c'),
        gross: fc.bigInt({ min: 1n, max: 300_000n }),
        month: fc.nat(5),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(parts, (drawn) => {
        const groups = drawn.map(({ model, gross }) => usageOf(model, 2_000, gross));
        const refunds = [0, 1, 2, 3, 4, 5].map((month) =>
          groups.filter((_, index) => drawn[index]?.month === month),
        );
        const { documents, total } = closeOf(booksOf(groups, 10n ** 14n));
        const upd = documents.find(({ kind }) => kind === 'upd');
        const made = corrections(groups, refunds).flatMap(({ documents: of }) =>
          of.filter(({ kind }) => kind === 'correction'),
        );
        for (const name of SUMS) {
          const corrected = made.reduce((sum, each) => sum + each[name], 0n);
          expect(corrected).toBe(total[name]);
          expect(corrected).toBe(upd?.[name] ?? 0n);
        }
        for (const each of made) {
          for (const name of SUMS) {
            expect(each.lines.reduce((sum, line) => sum + line[name], 0n)).toBe(each[name]);
          }
        }
      }),
    );
  });

  it('round what stands, and not each by itself', () => {
    const made = corrections(
      [exact('a', 10_004_000n)],
      [[exact('a', 5_005_000n)], [exact('a', 4_999_000n)]],
    );
    const sums = made.map(({ correctionTotal: { grossMicro, remainderMicro } }) => [
      grossMicro,
      remainderMicro,
    ]);
    expect(sums).toEqual([
      [5_000_000n, 5_000n],
      [5_000_000n, -1_000n],
    ]);
  });

  it('are none of a month that was below half a kopeck, and so has no УПД', () => {
    const services = [exact('a', 4_900n)];
    expect(closeOf(booksOf(services, 10n ** 14n)).documents).toEqual([]);
    const [made] = corrections(services, [services]);
    expect(made?.documents).toEqual([]);
    expect(made?.correctionTotal).toMatchObject({ grossMicro: 0n, remainderMicro: 4_900n });
  });

  it('corrects an earlier month in a document of its own, with the VAT of the charges', () => {
    const own = usageOf('a', 2_200, 3_000_000n);
    const refund = {
      ...usageOf('a', 2_000, 1_200_000n),
      corrects: '2025-12',
      requests: 0n,
    };
    const taken = { ...refund, grossMicro: -1_200_000n, vatMicro: -200_000n };
    const { total, corrections, correctionTotal, documents } = closeOf({
      ...booksOf([own], 5_000_000n),
      usage: [own, taken],
      corrected: [
        {
          month: '2025-12',
          before: { grossMicro: 2_400_000n, vatMicro: 400_000n },
          after: { grossMicro: 1_200_000n, vatMicro: 200_000n },
        },
      ],
    });
    expect(total.grossMicro).toBe(3_000_000n);
    expect(corrections).toEqual([
      {
        month: '2025-12',
        rateFrom: '2019-01-01',
        operation: 'chat',
        model: 'a',
        vatRatePercent: 20,
        netMicro: 1_000_000n,
        vatMicro: 200_000n,
        grossMicro: 1_200_000n,
        exactMicro: 1_200_000n,
        exactVatMicro: 200_000n,
      },
    ]);
    expect(correctionTotal).toMatchObject({ grossMicro: 1_200_000n, vatMicro: 200_000n });
    const [correction] = documents.filter(({ kind }) => kind === 'correction');
    expect(correction).toMatchObject({ basis: 'УПД за 2025-12', grossMicro: 1_200_000n });
  });
});
