import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hmac, openBytes, SealError, sealBytes } from '../../src/platform/secrets.js';

const SECRET = 'a secret of the tests, 32 characters';
const PLACE = { tenantId: 't', table: 'record', field: 'answer', row: '1' };

describe('a sealed value', () => {
  it('opens to the same bytes in its place', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const opened = openBytes(SECRET, PLACE, sealBytes(SECRET, PLACE, bytes));
        expect(Uint8Array.from(opened)).toEqual(bytes);
      }),
    );
  });

  it('does not open when any one of its bytes was changed or it was cut', () => {
    const sealed = sealBytes(SECRET, PLACE, Buffer.from('what a model said'));
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => openBytes(SECRET, PLACE, changed)).toThrow(SealError);
      expect(() => openBytes(SECRET, PLACE, sealed.subarray(0, i))).toThrow(SealError);
    }
  });

  it('does not open in another row, field, table or tenant', () => {
    const sealed = sealBytes(SECRET, PLACE, Buffer.from('text'));
    const elsewhere = [
      { ...PLACE, row: '2' },
      { ...PLACE, field: 'other' },
      { ...PLACE, table: 'other' },
      { ...PLACE, tenantId: 'u' },
      { ...PLACE, tenantId: null },
      { ...PLACE, table: 'record","answer', field: '' },
    ];
    for (const place of elsewhere) {
      expect(() => openBytes(SECRET, place, sealed)).toThrow('another place');
    }
  });

  it('names the id of the secret that it is sealed under when another one is shown', () => {
    const sealed = sealBytes(SECRET, PLACE, Buffer.from('text'));
    const id = sealed.subarray(1, 5).toString('hex');
    const open = () => openBytes(`${SECRET}!`, PLACE, sealed);
    expect(open).toThrow(new SealError(`sealed under another secret, whose id is ${id}`));
  });

  it('shows nothing of the text, and looks different each time', () => {
    const text = Buffer.from('a canary that must not be seen');
    const [one, two] = [sealBytes(SECRET, PLACE, text), sealBytes(SECRET, PLACE, text)];
    expect(one.includes('canary')).toBe(false);
    expect(one.equals(two)).toBe(false);
  });
});

describe('a keyed hash', () => {
  it('depends on the secret, the purpose and the bytes, and on nothing else', () => {
    const of = (secret: string, purpose: string, text: string) =>
      hmac(secret, purpose, text).toString('hex');
    const base = of(SECRET, 'api key', 'k');
    expect(of(SECRET, 'api key', 'k')).toBe(base);
    expect(base).toHaveLength(64);
    const others = [
      of(`${SECRET}!`, 'api key', 'k'),
      of(SECRET, 'invite', 'k'),
      of(SECRET, 'api key', 'l'),
    ];
    expect(new Set([base, ...others]).size).toBe(4);
    expect(hmac(SECRET, 'api key', Buffer.from('k')).toString('hex')).toBe(base);
  });
});
