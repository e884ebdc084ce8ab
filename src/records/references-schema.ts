import { builder } from '../graph/builder.js';
import { argsOf, outputOf, shownFields, typed } from '../graph/table-types.js';
import { fieldTable, flag, list, number, object, optional, text } from '../kernel/fields/field.js';
import { factsOf, type ReferenceFact } from './reference-facts.rules.js';
import { REFERENCES, type Reference } from './references.js';

const FACT_FIELDS = {
  name: text('Its name on the wire; of an item of a list its place, from 0.'),
  text: optional(text('The value, where it is a text.')),
  number: optional(number('The value, where it is a number.')),
  flag: optional(flag('The value, where it is true or false.')),
  texts: optional(list(text('A text.'), 'The value, where it is a list of texts.')),
};

const Fact = builder.objectRef<ReferenceFact>('ReferenceFact');
Fact.implement({
  description:
    'A fact of an entry. Exactly one of its values is not null; none where the fact has no value.',
  fields: (t) => ({
    ...(shownFields(t, FACT_FIELDS, (fact: ReferenceFact) => fact) as object),
    facts: t.field({
      type: [Fact],
      nullable: true,
      description: 'The value, where it is an object, or a list of other things than texts.',
      resolve: ({ facts }) => facts,
    }),
  }),
});

const ENTRY = fieldTable('ReferenceEntry', 'An entry of a published list.', {
  code: text('The value on the wire.'),
  description: optional(text('What it means; null where the code says it.')),
  facts: list(
    typed(Fact, 'A fact.'),
    'What else is published of the entry; the query of its module has it under types of its own.',
  ),
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
  const told = entries.map(({ code, description = null, ...more }) => {
    return { code, description, facts: factsOf(more) };
  });
  return { name, entries: told };
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
