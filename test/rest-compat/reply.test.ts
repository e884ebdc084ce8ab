import { describe, expect, it } from 'vitest';
import { inARow } from '../../rest-compat/reply.js';

describe('headers in a row', () => {
  it('are those of every answer, then those of the operation, name before value', () => {
    expect(inARow({ 'x-request-id': 'a' }, { 'content-type': 'text/plain', link: 'b' })).toEqual([
      ...['x-request-id', 'a'],
      ...['content-type', 'text/plain'],
      ...['link', 'b'],
    ]);
  });

  it('hold each name once, with the value of the operation', () => {
    expect(inARow({ 'x-a': '1', 'x-b': '2' }, { 'x-b': '3' })).toEqual(['x-a', '1', 'x-b', '3']);
  });

  it('vary by what either says', () => {
    expect([
      inARow({ vary: 'origin' }, { vary: 'accept-language' }),
      inARow({ vary: 'origin' }, {}),
      inARow({}, { vary: 'accept-language' }),
    ]).toEqual([
      ['vary', 'origin, accept-language'],
      ['vary', 'origin'],
      ['vary', 'accept-language'],
    ]);
  });
});
