import { describe, expect, it } from 'vitest';
import { References } from '../../src/records/references.js';

const lists = new References();

describe('a reference', () => {
  it('is published as the very object that rules decide by', () => {
    const verbs = lists.define('tools-a.verb', [
      { code: 'read', description: 'Reads.', risk: 'low' },
      { code: 'delete', description: 'Removes.', risk: 'high' },
    ]);
    expect(lists.named('tools-a.verb')).toBe(verbs);
    expect(verbs.entries[1]).toEqual({ code: 'delete', description: 'Removes.', risk: 'high' });
    expect(lists.named('tools-a.unknown')).toBeUndefined();
  });

  it('cannot be changed by whoever holds it', () => {
    const states = lists.define('tools-b.state', [{ code: 'open', next: ['closed'] }]);
    const [entry] = states.entries as unknown as { code: string; next: string[] }[];
    expect(() => (states.entries as unknown[]).push({ code: 'x' })).toThrow(TypeError);
    expect(() => entry?.next.push('x')).toThrow(TypeError);
    expect(() => Object.assign(entry ?? {}, { code: 'x' })).toThrow(TypeError);
    expect(states.entries).toEqual([{ code: 'open', next: ['closed'] }]);
  });

  it('is refused when its name is taken or malformed, or when it has no or doubled codes', () => {
    lists.define('tools-c.verb', [{ code: 'read' }]);
    const define = (name: string, ...codes: string[]) =>
      lists.define(
        name,
        codes.map((code) => ({ code })),
      );
    expect(() => define('tools-c.verb', 'read')).toThrow('registered twice');
    expect(() => define('verb', 'read')).toThrow('<module>.<noun>');
    expect(() => define('tools-c.empty')).toThrow('no entry');
    expect(() => define('tools-c.double', 'read', 'read')).toThrow('twice');
    expect(lists.named('tools-c.double')).toBeUndefined();
  });

  it('is listed by name, and with its module alone', () => {
    const b = lists.define('tools-d.b', [{ code: 'x' }]);
    const a = lists.define('tools-d.a', [{ code: 'x' }]);
    const other = lists.define('tools-de.a', [{ code: 'x' }]);
    expect(lists.all('tools-d')).toEqual([a, b]);
    expect(lists.all().slice(-1)).toEqual([other]);
  });
});
