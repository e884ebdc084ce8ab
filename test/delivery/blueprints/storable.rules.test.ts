import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storable } from '../../../src/delivery/blueprints/storable.js';
import { canonicalJson } from '../../../src/kernel/canonical.js';

const OWNER = 'tenant';

describe('what a run keeps', () => {
  it('holds no personal data that the firewall finds', async () => {
    const given = {
      note: 'Звоните +7 916 123-45-67, anna@mail.example',
      list: ['СНИЛС 112-233-445 95'],
    };
    const kept = JSON.stringify(await storable(given, OWNER));
    expect(kept).not.toMatch(/916|anna@|112-233/);
    expect(kept).toContain('PHONE');
  });

  it('can be sealed, whatever a model or a caller wrote', async () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
      values: [fc.string({ unit: 'binary' }), fc.double(), fc.maxSafeInteger(), fc.boolean()],
    });
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const text = canonicalJson(await storable(value, OWNER));
        expect(text).not.toContain('\\u0000');
        expect(await storable(JSON.parse(text), OWNER)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps plain values as they are', async () => {
    const plain = { a: [1, 2.5, true, null, 'слово'], b: { c: -1 } };
    expect(await storable(plain, OWNER)).toEqual(plain);
  });
});
