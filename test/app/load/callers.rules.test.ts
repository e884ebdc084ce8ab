import { describe, expect, it } from 'vitest';
import { Callers } from '../../../src/app/load/callers.js';

const address = () => '203.0.113.7';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('callers', () => {
  it('are known by a credential however it is spelt, and else by their address', () => {
    const callers = new Callers();
    callers.learn(bearer('key'), 'an organization');
    const spellings = [
      bearer('key'),
      { authorization: 'bearer   key ' },
      { 'x-api-key': ' key' },
      { 'api-key': 'key' },
    ];
    expect(spellings.map((each) => callers.nameOf(each, address))).toEqual(
      spellings.map(() => 'an organization'),
    );
    const strangers = [{}, bearer('another'), { authorization: '' }];
    expect(strangers.map((each) => callers.nameOf(each, address))).toEqual(
      strangers.map(() => '203.0.113.7'),
    );
  });

  it('are pushed out by no organization with many credentials', () => {
    const callers = new Callers();
    callers.learn(bearer('of a neighbour'), 'a neighbour');
    for (let index = 0; index < 20_000; index += 1) callers.learn(bearer(`${index}`), 'a flood');
    expect(callers.nameOf(bearer('of a neighbour'), address)).toBe('a neighbour');
    expect(callers.nameOf(bearer('19999'), address)).toBe('a flood');
    expect(callers.nameOf(bearer('0'), address)).toBe('203.0.113.7');
  });

  it('are not remembered by the text of a credential', () => {
    const callers = new Callers();
    callers.learn(bearer('gw_sk_of_a_customer'), 'an organization');
    const seen = new Set<unknown>();
    const texts: string[] = [];
    const look = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      const entries = value instanceof Map || value instanceof Set ? [...value] : [];
      for (const each of [...Reflect.ownKeys(value).map((k) => Reflect.get(value, k)), ...entries])
        look(each);
    };
    look(callers);
    const cache: unknown = Reflect.get(callers, 'tenants');
    for (const each of (cache as Map<string, string>).keys()) texts.push(each);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((each) => each.includes('customer'))).toEqual([]);
  });
});
