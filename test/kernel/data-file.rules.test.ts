import { describe, expect, it } from 'vitest';
import { errorRows } from '../../src/kernel/errors/row.js';
import { dataList, dataRows, vocabularyIn } from '../../src/kernel/fields/data-file.js';
import { code, fieldTable, flag, list, object, text } from '../../src/kernel/fields/field.js';

const FILE = { Colour: { description: 'A colour.', codes: { red: 'Like blood.', blue: 'Cold.' } } };
const COLOURS = vocabularyIn(FILE, 'Colour');
const PART = fieldTable('Part', 'A part.', { colour: code(COLOURS, 'Its colour.') });
const THING = fieldTable('Thing', 'A thing.', {
  name: text('What it is called.'),
  parts: list(object(PART, 'A part.'), 'Its parts.'),
});

describe('a data file', () => {
  it('gives rows by their codes, in its order', () => {
    expect(COLOURS.rows).toEqual([
      { code: 'red', description: 'Like blood.' },
      { code: 'blue', description: 'Cold.' },
    ]);
    const rows = dataRows({ a: { description: 'A.', warm: true } }, { warm: flag('Warm.') });
    expect(rows).toEqual([{ code: 'a', description: 'A.', warm: true }]);
    const things = [{ name: 'cart', parts: [{ colour: 'red' }] }];
    expect(dataList(THING, things)).toEqual(things);
  });

  it.each([
    ['no description', { a: {} }],
    ['an empty description', { a: '' }],
    ['a field of another type', { a: { description: 'A.', warm: 'yes' } }],
    ['a field that is missing', { a: 'A.' }],
    ['a field that no table has', { a: { description: 'A.', warm: true, wide: true } }],
  ])('is refused with %s', (_what, rows) => {
    expect(() => dataRows(rows, { warm: flag('Warm.') })).toThrow(TypeError);
  });

  it('is refused with a code that no vocabulary has, however deep', () => {
    const parts = [{ colour: 'red' }, { colour: 'green' }];
    expect(() => dataList(THING, [{ name: 'cart', parts }])).toThrow(
      'Thing 0.parts.colour is wrong',
    );
    expect(() => dataList(THING, [{ name: 'cart', parts: {} }])).toThrow(TypeError);
  });

  const ROW = { status: 400, type: 'api_error', message: 'M.', cause: 'C.', fix: ['F.'] };

  it.each([
    ['status', '400'],
    ['type', 'other'],
    ['message', ''],
    ['cause', undefined],
    ['fix', ['']],
  ])('of errors is refused with a wrong %s', (name, value) => {
    expect(errorRows({ a: ROW })).toEqual({ a: ROW });
    expect(() => errorRows({ a: { ...ROW, [name]: value } })).toThrow(TypeError);
  });
});
