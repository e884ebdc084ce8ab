import { describe, expect, it } from 'vitest';
import { csvText } from '../../rest-compat/codecs/csv.js';

const COLUMNS = [{ heading: 'feature', path: ['feature'] }];

function written(feature: string, isRussian = false): string {
  return csvText(COLUMNS, [{ feature }], { heading: false, byteOrderMark: false, isRussian });
}

describe('a cell of CSV', () => {
  it.each(['x\n=1+1', 'x\r=1+1', 'x\r\n=1+1', '\nx', 'a "b"\nc'])(
    'stays one cell whatever ends its lines: %j',
    (feature) => {
      const quoted = feature.replaceAll('"', '""');
      for (const isRussian of [false, true]) {
        expect(written(feature, isRussian)).toBe(`"${quoted}"\r\n`);
      }
    },
  );

  it.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '  =1', ' \n+1'])(
    'is no formula, behind whatever blank: %j',
    (feature) => {
      expect(written(feature).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it('leaves numbers and plain words as they are', () => {
    expect(written('support')).toBe('support\r\n');
    const row = csvText(COLUMNS, [{ feature: -1.5 }], { heading: false, byteOrderMark: false });
    expect(row).toBe('-1.5\r\n');
  });
});
