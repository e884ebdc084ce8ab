import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fieldTable,
  integer,
  kept,
  money,
  optional,
  tableUnion,
  text,
} from '../../src/kernel/fields/field.js';
import { openedKept } from '../../src/kernel/fields/kept.js';
import {
  openedContent,
  type SealedContent,
  sealedContent,
} from '../../src/kernel/fields/sealed.js';

const LINE = fieldTable('Line', 'A line.', { lineNumber: integer('The line.') });
const COST = fieldTable('Cost', 'A cost.', {
  name: text('What costs it.'),
  costMicro: optional(money('What it costs.')),
});
const NAME = fieldTable('Name', 'A name.', { name: text('The name.') });
const FACT = tableUnion('Fact', 'A fact.', [LINE, COST], NAME);

describe('kept JSON', () => {
  it.each([
    [{ line_number: 3 }, { __typename: 'Line', lineNumber: 3 }],
    [{ name: 'a' }, { __typename: 'Cost', name: 'a', costMicro: null }],
    [
      { cost_rub: '1.50', name: 'a' },
      { __typename: 'Cost', name: 'a', costMicro: 1_500_000n },
    ],
    ['a', { __typename: 'Name', name: 'a' }],
    [{}, null],
  ])('%j is shown by the table that has its members', (value, shown) => {
    expect(openedKept(FACT, value)).toEqual(shown);
  });

  it.each([[{ line_number: 3, name: 'a' }], [{ cost_rub: '1' }], [{ other: 1 }], [5], [[]]])(
    '%j, which no table has written, is refused and not shown in part',
    (value) => {
      expect(() => openedKept(FACT, value)).toThrow('no table of Fact has written what was kept');
    },
  );

  it('that a table has sealed is opened by that table again', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.option(fc.bigInt({ min: 0n, max: 10n ** 15n })),
        (name, micro) => {
          const values = { name, costMicro: micro };
          const sealed = sealedContent(COST.fields, values);
          expect(openedKept(FACT, sealed)).toEqual({ __typename: 'Cost', ...values });
        },
      ),
    );
  });

  it('is sealed as it is', () => {
    const fields = { fact: kept<SealedContent>(FACT, 'A fact.') };
    const sealed = sealedContent(fields, { fact: { line_number: 3 } });
    expect(sealed).toEqual({ fact: { line_number: 3 } });
    expect(openedContent(fields, sealed)).toEqual(sealed);
  });
});
