import { describe, expect, it } from 'vitest';
import { dated } from '../../rest-compat/example.js';

/** Half past midnight in Moscow on the first of January. */
const NOW_MS = Date.parse('2026-12-31T21:30:00Z');

describe('the dates of an example', () => {
  it('are those of now, by the calendar of Moscow, at every depth', () => {
    const example = {
      month: '{month-1}',
      days: ['{today}', '{today-31}', '{today+5}'],
      inside: { at: '{midnight-1}', this: '{month}', plain: 'price-2026-11', open: '{other}' },
      count: 3,
      none: null,
    };
    expect(dated(example, NOW_MS)).toEqual({
      month: '2026-12',
      days: ['2027-01-01', '2026-12-01', '2027-01-06'],
      inside: {
        at: '2026-12-30T00:00:00.000Z',
        this: '2027-01',
        plain: 'price-2026-11',
        open: '{other}',
      },
      count: 3,
      none: null,
    });
  });
});
