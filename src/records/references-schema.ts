import { builder } from '../graph/builder.js';
import { argsOf, outputOf } from '../graph/table-types.js';
import { fieldTable, json, list, object, optional, text } from '../kernel/fields/field.js';
import { REFERENCES, type Reference } from './references.js';

const ENTRY = fieldTable('ReferenceEntry', 'An entry of a published list.', {
  code: text('The value on the wire.'),
  description: optional(text('What it means; null where the code says it.')),
  facts: json('Everything that is published of the entry.'),
});

const REFERENCE = fieldTable(
  'Reference',
  'A list of values; the rules that decide read the very same list.',
  {
    name: text('Module and noun, such as `policies.hybrid`.'),
    entries: list(object(ENTRY, 'A value.'), 'The values of the list, in its own order.'),
  },
);

function shown({ name, entries }: Reference) {
  const facts = entries.map((entry) => ({ description: null, ...entry, facts: entry }));
  return { name, entries: facts };
}

builder.queryFields((t) => ({
  references: t.field({
    type: [outputOf(REFERENCE)],
    description: 'Every published list, or those of a module.',
    args: argsOf(t, { module: optional(text('Only lists of this module.')) }),
    resolve: (_root, { module }) => REFERENCES.all(module ?? undefined).map(shown),
  }),
  reference: t.field({
    type: outputOf(REFERENCE),
    nullable: true,
    description: 'A published list by its name; null for an unknown one.',
    args: argsOf(t, { name: text('Module and noun.') }),
    resolve: (_root, { name }) => {
      const found = REFERENCES.named(name);
      return found ? shown(found) : null;
    },
  }),
}));
