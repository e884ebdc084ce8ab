import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identityStatus, isVerified } from '../../../src/assurance/publishers/identity.rules.js';
import { likeness, nameVerdict } from '../../../src/assurance/publishers/names.rules.js';

describe('names', () => {
  it('are the same in other letters, case, quotes, spelling and form of organization', () => {
    for (const name of [
      ...['ООО "Яндекс"', 'OOO Яндекс', 'яндекс', 'Яндeкc', 'Yandex', 'YANDEX LLC', 'Ян-декс'],
      ...['Общество с ограниченной ответственностью «Яндекс»', 'Yandeks', 'Iandex', 'Яндекc\u200b'],
    ]) {
      expect([name, likeness('ООО «Яндекс»', name)]).toEqual([name, 'same']);
    }
    expect(likeness('Тинькофф', 'Tinkoff')).toBe('same');
    expect(likeness('Google', 'G00gle')).toBe('same');
    expect(likeness('Apple', 'АррӀе')).toBe('same');
  });

  it('are near by a letter or as a part, and others are left alone', () => {
    for (const name of ['Яндексс Маркет', 'Яндек', 'Yandox', 'Официальный Яндекс']) {
      expect([name, likeness('Яндекс', name)]).toEqual([name, 'near']);
    }
    for (const name of ['Ромашка', 'Сбер', 'Ян', 'Индекатор', '']) {
      expect([name, likeness('Яндекс', name)]).toEqual([name, 'other']);
    }
    expect(likeness('ООО', 'АО')).toBe('other');
  });

  it('are as alike in one order as in the other, and every name is like itself', () => {
    const names = fc.string({ unit: fc.constantFrom(...'аяенсдекxoYaи 0«-'), maxLength: 12 });
    fc.assert(
      fc.property(names, names, (one, other) => {
        expect(likeness(one, other)).toBe(likeness(other, one));
        if (/[\p{L}\p{N}]/u.test(one)) expect(likeness(one, ` ${one.toUpperCase()}»`)).toBe('same');
      }),
    );
  });

  it('of others are refused where they are proved, and asked about where they are stated', () => {
    const guarded = [
      { tenantId: 'a', name: 'Яндекс', isProved: true },
      { tenantId: 'b', name: 'Ромашка', isProved: false },
    ];
    const who = { tenantId: 'c', approvedNames: [] as string[] };
    const verdicts = ['Yandex', 'Яндокс', 'Romashka', 'Василёк'].map((name) =>
      nameVerdict(name, who, guarded),
    );
    expect(verdicts).toEqual(['refused', 'queue', 'queue', 'free']);
    expect(nameVerdict('Yandex', { ...who, approvedNames: ['Яндекс'] }, guarded)).toBe('free');
    expect(nameVerdict('Yandex', { ...who, tenantId: 'a' }, guarded)).toBe('free');
  });
});

describe('the standing of a claim', () => {
  it('follows from its evidence and the moment: no end leaves it verified', () => {
    const instants = fc.option(fc.integer({ min: 0, max: 10 }).map((ms) => new Date(ms)));
    const rows = fc.record({
      challengeUntil: fc.integer({ min: 0, max: 10 }).map((ms) => new Date(ms)),
      provedAt: instants,
      provedUntil: instants,
      decision: fc.constantFrom(null, 'approved', 'denied'),
      approvedUntil: instants,
      withdrawnAt: instants,
      revokedAt: instants,
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 10 }), (row, ms) => {
        const now = new Date(ms);
        const { provedUntil, approvedUntil } = row;
        const holds = [provedUntil, approvedUntil].some((end) => end !== null && end > now);
        const hasEnded =
          row.revokedAt !== null || row.withdrawnAt !== null || row.decision === 'denied';
        expect(isVerified(row, now)).toBe(holds && !hasEnded);
        expect(identityStatus(row, now) === 'revoked').toBe(row.revokedAt !== null);
      }),
    );
  });
});
