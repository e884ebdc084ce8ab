import { builder } from '../graph/builder.js';
import { REFERENCES, type Reference, type ReferenceEntry } from './references.js';

const ReferenceEntryType = builder.objectRef<ReferenceEntry>('ReferenceEntry').implement({
  description: 'An entry of a published list.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The value on the wire.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it means; null where the code says it.',
    }),
    facts: t.field({
      type: 'JSON',
      description: 'Everything that is published of the entry.',
      resolve: (entry) => entry,
    }),
  }),
});

const ReferenceType = builder.objectRef<Reference>('Reference').implement({
  description: 'A list of values; the rules that decide read the very same list.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Module and noun, such as `policies.hybrid`.' }),
    entries: t.field({
      type: [ReferenceEntryType],
      description: 'The values of the list, in its own order.',
      resolve: (reference) => [...reference.entries],
    }),
  }),
});

builder.queryFields((t) => ({
  references: t.field({
    type: [ReferenceType],
    description: 'Every published list, or those of a module.',
    args: { module: t.arg.string({ description: 'Only lists of this module.' }) },
    resolve: (_root, { module }) => [...REFERENCES.all(module ?? undefined)],
  }),
  reference: t.field({
    type: ReferenceType,
    nullable: true,
    description: 'A published list by its name; null for an unknown one.',
    args: { name: t.arg.string({ required: true, description: 'Module and noun.' }) },
    resolve: (_root, { name }) => REFERENCES.named(name) ?? null,
  }),
}));
