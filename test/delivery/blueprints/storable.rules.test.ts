import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storable } from '../../../src/delivery/blueprints/storable.js';
import { canonicalJson } from '../../../src/kernel/canonical.js';

describe('what a run keeps', () => {
  it('holds no personal data that the firewall finds', () => {
    const kept = JSON.stringify(
      storable({
        note: 'Звоните +7 916 123-45-67, anna@mail.example',
        list: ['СНИЛС 112-233-445 95'],
      }),
    );
    expect(kept).not.toMatch(/916|anna@|112-233/);
    expect(kept).toContain('PHONE');
  });

  it('can be sealed, whatever a model or a caller wrote', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
      values: [fc.string({ unit: 'binary' }), fc.double(), fc.maxSafeInteger(), fc.boolean()],
    });
    fc.assert(
      fc.property(anything, (value) => {
        const text = canonicalJson(storable(value));
        expect(text).not.toContain('\\u0000');
        expect(storable(JSON.parse(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps plain values as they are', () => {
    const plain = { a: [1, 2.5, true, null, 'слово'], b: { c: -1 } };
    expect(storable(plain)).toEqual(plain);
  });
});
