import { builder } from '../../../graph/builder.js';
import { authorized } from '../../../graph/database.js';
import { enumValues } from '../../../graph/enums.js';
import type { ModelVariant, PromptVariable } from '../vocabulary.js';
import type { NamedChange } from './diff.rules.js';
import type { NumberedLine } from './lines.rules.js';
import type { SchemaChange, SchemaDiff } from './schema-change.rules.js';
import { diffPrompt, type PromptDifference } from './service.js';
import { SCHEMA_CHANGES } from './vocabulary.js';

const SchemaChangeEnum = builder.enumType('PromptSchemaChangeCode', {
  description: 'How an output schema may change.',
  values: enumValues(SCHEMA_CHANGES),
});

const Line = builder.objectRef<NumberedLine>('PromptTemplateLine').implement({
  description: 'A line of a template.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Its number in its own version, from 1.' }),
    text: t.exposeString('text', { description: 'What it says.' }),
  }),
});

const Change = builder
  .objectRef<NamedChange<PromptVariable | ModelVariant>>('PromptMemberChange')
  .implement({
    description: 'A variable or a model variant that both versions have, and not in the same way.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name.' }),
      members: t.stringList({
        description: 'The members that differ.',
        resolve: ({ members }) => [...members],
      }),
      before: t.field({
        type: 'JSON',
        description: 'As it was.',
        resolve: ({ before }) => before,
      }),
      after: t.field({ type: 'JSON', description: 'As it is.', resolve: ({ after }) => after }),
    }),
  });

const SchemaChangeType = builder.objectRef<SchemaChange>('PromptSchemaChange').implement({
  description: 'One change of an output schema.',
  fields: (t) => ({
    code: t.expose('code', { type: SchemaChangeEnum, description: 'What changed.' }),
    path: t.exposeString('path', {
      description: 'Where in the output, such as `$.customer.name` or `$.items[]`.',
    }),
    breaking: t.exposeBoolean('breaking', { description: 'Whether it breaks consumers.' }),
    message: t.exposeString('message', { description: 'The change in a sentence.' }),
  }),
});

const SchemaDiffType = builder.objectRef<SchemaDiff>('PromptSchemaDiff').implement({
  description:
    'How the output schema changed, from the side of who reads outputs. A change breaks when the ' +
    'new schema lets an output through that the old one ruled out, or takes away what was ' +
    'described. A new property does not count as breaking; what cannot be compared does. ' +
    'Alternatives of `oneOf` are taken to exclude each other.',
  fields: (t) => ({
    changed: t.exposeBoolean('changed', { description: 'Whether the schemas differ at all.' }),
    breaking: t.exposeBoolean('breaking', { description: 'Whether any change breaks consumers.' }),
    changes: t.field({
      type: [SchemaChangeType],
      description: 'Each change; where there are very many, the first 500.',
      resolve: ({ changes }) => [...changes],
    }),
  }),
});

const PromptDiff = builder.objectRef<PromptDifference>('PromptDiff').implement({
  description: 'What differs between two versions of a prompt package.',
  fields: (t) => ({
    promptId: t.expose('promptId', { type: 'UUID', description: 'The package.' }),
    from: t.exposeInt('from', { description: 'The version that is compared.' }),
    to: t.exposeInt('to', { description: 'The version that it is compared with.' }),
    addedLines: t.field({
      type: [Line],
      description: 'Lines of the template that only `to` has.',
      resolve: ({ addedLines }) => [...addedLines],
    }),
    removedLines: t.field({
      type: [Line],
      description: 'Lines of the template that only `from` has.',
      resolve: ({ removedLines }) => [...removedLines],
    }),
    addedVariables: t.stringList({
      description: 'Variables that only `to` declares.',
      resolve: ({ variables }) => variables.added.map(({ name }) => name),
    }),
    removedVariables: t.stringList({
      description: 'Variables that only `from` declares.',
      resolve: ({ variables }) => variables.removed.map(({ name }) => name),
    }),
    changedVariables: t.field({
      type: [Change],
      description: 'Variables that both declare, and not in the same way.',
      resolve: ({ variables }) => [...variables.changed],
    }),
    addedModelVariants: t.stringList({
      description: 'Model variants that only `to` has, by name.',
      resolve: ({ modelVariants }) => modelVariants.added.map(({ name }) => name),
    }),
    removedModelVariants: t.stringList({
      description: 'Model variants that only `from` has, by name.',
      resolve: ({ modelVariants }) => modelVariants.removed.map(({ name }) => name),
    }),
    changedModelVariants: t.field({
      type: [Change],
      description: 'Model variants that both have, and not in the same way.',
      resolve: ({ modelVariants }) => [...modelVariants.changed],
    }),
    outputSchema: t.expose('outputSchema', {
      type: SchemaDiffType,
      description: 'How the output schema changed, and whether that breaks consumers.',
    }),
  }),
});

builder.queryField('promptDiff', (t) =>
  t.field({
    type: PromptDiff,
    description: 'Compares two versions of a prompt package, by line and by variable.',
    authScopes: { can: 'prompts.read' },
    args: {
      promptId: t.arg({ type: 'UUID', required: true, description: 'The package.' }),
      from: t.arg.int({ description: 'A version; default the one before `to`.' }),
      to: t.arg.int({ description: 'A version; default the current one.' }),
    },
    resolve: (_root, { promptId, ...order }, ctx) => diffPrompt(authorized(ctx), promptId, order),
  }),
);
