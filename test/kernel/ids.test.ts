import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ID_KINDS, type IdKind, isUuid, kindOfId, newId } from '../../src/kernel/ids.js';

const KINDS = Object.keys(ID_KINDS) as IdKind[];
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('are uuids of version 7 that name their kind', () => {
    for (const kind of KINDS) {
      const id = newId(kind);
      expect(id).toMatch(V7);
      expect(kindOfId(id)).toBe(kind);
      expect(kindOfId(id.toUpperCase())).toBe(kind);
    }
  });

  it('have a number for each kind, used once, that fits in twelve bits', () => {
    const numbers = Object.values(ID_KINDS);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.filter((number) => number < 1 || number > 0xfff)).toEqual([]);
  });

  it('begin with their time in milliseconds', () => {
    const nowMs = Date.now() + 3_600_000;
    expect(Number.parseInt(newId('User', nowMs).replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs);
  });

  it('made within one millisecond are unique and ordered, 100,000 of one kind', () => {
    const nowMs = Date.now() + 7_200_000;
    const ids = Array.from({ length: 100_000 }, () => newId('Request', nowMs));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))).toBe(-1);
  });

  it('stay in order when the clock runs backwards', () => {
    const nowMs = Date.now() + 10_800_000;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 50 }), (steps) => {
        const ids = steps.map((step) => newId('Request', nowMs + step));
        expect(ids).toEqual([...ids].sort());
      }),
    );
  });

  it('that were not made here have no kind', () => {
    const foreign = [
      '0192f0c1-7a3b-4001-8000-3f2b9c4d5e6f',
      '0192f0c1-7a3b-7fff-8000-3f2b9c4d5e6f',
      '0192f0c1-7a3b-7000-8000-3f2b9c4d5e6f',
      '0192f0c17a3b70018003f2b9c4d5e6f0',
      'tenant',
      '',
    ];
    for (const id of foreign) expect([id, kindOfId(id)]).toEqual([id, undefined]);
  });

  it('are told from other text', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(isUuid(uuid)).toBe(true);
      }),
    );
    const wrong = ['', 'x', `${newId('User')}0`, ` ${newId('User')}`, `${newId('User')}\n`];
    for (const text of wrong) expect([text, isUuid(text)]).toEqual([text, false]);
  });
});
