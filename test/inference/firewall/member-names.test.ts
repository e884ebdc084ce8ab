import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { changedMembers } from '../../../src/inference/firewall/rewrite.js';
import { base64, CALL, MASKING, SIGNS } from './base64-cases.js';

const PHONE = '+79161234567';
const of = (metadata: object) => ({ model: 'm', messages: [], metadata });
const left = (metadata: object) => inspectRequest(of(metadata), MASKING).body.metadata;

describe('the names of members', () => {
  it('are read where they are base64', () => {
    const masked = base64(CALL.replace('+7 916 123-45-67', '[[GW_PHONE_1]]'));
    expect(left({ [SIGNS]: 1, other: 2 })).toEqual({ [masked]: 1, other: 2 });
  });

  it('stay two where one of them is masked to the other', () => {
    const members = { '[[GW_PHONE_1]]': 'the client wrote it', [PHONE]: 'one' };
    expect(Object.values(left(members))).toEqual(['the client wrote it', 'one']);
    expect(JSON.stringify(left(members))).not.toContain('9161234567');
  });

  it('lose no value, however many of them become equal, in whatever order', () => {
    const names = ['a', 'b', 'same', 'c', 'same_2'];
    const members = Object.fromEntries(names.map((name) => [name, name]));
    const renamed = (name: string) => (name.length === 1 ? 'same' : name);
    const kept = (_name: string, value: unknown) => value;
    expect(changedMembers(members, renamed, kept)).toEqual({
      same_3: 'a',
      same_4: 'b',
      same: 'same',
      same_5: 'c',
      same_2: 'same_2',
    });
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at]));
    const equal = changedMembers(many, () => '', kept);
    expect(Object.values(equal)).toEqual(Object.values(many));
  });

  it('may be __proto__, which stays a member', () => {
    const members = JSON.parse(`{"__proto__":{"to":"${PHONE}"},"to":"${PHONE}"}`);
    const masked = '{"__proto__":{"to":"[[GW_PHONE_1]]"},"to":"[[GW_PHONE_1]]"}';
    expect(JSON.stringify(left(members))).toBe(masked);
    expect(Object.getPrototypeOf(left(members))).toBe(Object.prototype);
  });

  it('are not read together with the digits of their values, as the inventory says', () => {
    const { findings, dataClass } = inspectRequest(of({ '+7 916 123': '45-67' }), MASKING);
    expect({ findings, dataClass }).toEqual({ findings: [], dataClass: 'C0' });
  });
});
