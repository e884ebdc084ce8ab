import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Text } from '../../src/kernel/utf8.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('a', 'é', 'ж', '—', '\ufeff', '💡', '\0') }),
);

it('a text is read as `toString` reads it, whatever it is made of', () => {
  fc.assert(
    fc.property(text, fc.nat(3), (written, offset) => {
      const bytes = Buffer.from(' '.repeat(offset) + written).subarray(offset);
      expect(utf8Text(bytes)).toBe(bytes.toString('utf8'));
    }),
    { numRuns: 2_000 },
  );
});

it('bytes that are no UTF-8 read as `toString` reads them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (given) => {
      const bytes = Buffer.from(given);
      expect(utf8Text(bytes)).toBe(bytes.toString('utf8'));
    }),
    { numRuns: 2_000 },
  );
});

it('nothing reads as an empty text', () => {
  expect(utf8Text(Buffer.alloc(0))).toBe('');
});
