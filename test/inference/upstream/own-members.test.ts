import { describe, expect, it } from 'vitest';
import {
  bodyWithoutOwnNames,
  withoutOwnNames,
} from '../../../src/inference/upstream/own-members.js';

const FORGED = { gw_routing: { cost_rub: 0 }, gw_: 1, gw_unknown: 'x' };
const DEEP = { gw_note: 'kept', text: 'gw_routing' };

const answer = (own: object) => ({
  ...own,
  id: 'a',
  choices: [
    { ...own, index: 0, message: { ...own, content: '"gw_routing": {}', more: DEEP } },
    { ...own, index: 1, delta: { ...own, content: 'gw_' } },
  ],
  data: [{ ...own, embedding: [1, 0] }],
  usage: { ...own, prompt_tokens: 1, details: DEEP },
});

describe('an answer without names of the gateway', () => {
  it('loses them at every level where clients look for receipts, and nothing else', () => {
    expect(withoutOwnNames(answer(FORGED))).toEqual(answer({}));
  });

  it('is the same object where it has none', () => {
    const honest = answer({});
    expect(withoutOwnNames(honest)).toBe(honest);
  });

  it('has no members of a forged list that is no list, and keeps values of other kinds', () => {
    const odd = { ...FORGED, choices: { ...FORGED, a: 1 }, usage: 'gw_a', data: null };
    expect(withoutOwnNames(odd)).toEqual({ choices: { a: 1 }, usage: 'gw_a', data: null });
  });
});

describe('a body without names of the gateway', () => {
  it.each([
    '"gw_routing"',
    '"\\u0067w_routing"',
    '"g\\u0077_routing"',
    '"gw\\u005frouting"',
    '"gw\\u005Frouting"',
  ])('is written anew, however its provider spells them: %s', (name) => {
    const text = `{ "id": "a", ${name}: {"cost_rub":0}, "choices": [{"message": {${name}: 1}}]}`;
    expect(bodyWithoutOwnNames(Buffer.from(text)).toString()).toBe(
      '{"id":"a","choices":[{"message":{}}]}',
    );
  });

  it.each([
    '{ "id": "gw_routing", "choices": [] }',
    '{ "choices": [{"message": {"content": "\\"gw_routing\\": 1", "more": {"gw_a": 1}}}] }',
    '{ "gw_routing": 1',
  ])('is the same buffer where it has none, or is no JSON: %s', (text) => {
    const body = Buffer.from(text);
    expect(bodyWithoutOwnNames(body)).toBe(body);
  });
});
