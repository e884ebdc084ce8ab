import { CONNECTORS, type Connector } from '../../actions/integrations/catalogue.js';
import { builder } from '../../graph/builder.js';
import type { ReferenceEntry } from '../../records/references.js';
import { MANIFEST_SCHEMA } from './manifest-schema.js';
import { BLUEPRINT_REFERENCES } from './references.js';

type References = typeof BLUEPRINT_REFERENCES;

const Code = builder.objectRef<ReferenceEntry>('BlueprintCode').implement({
  description: 'A value of a published list.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The value on the wire.' }),
    description: t.string({
      description: 'What it means.',
      resolve: ({ description }) => description ?? '',
    }),
  }),
});

const PolicyPart = builder
  .objectRef<References['policies']['entries'][number]>('BlueprintPolicyPart')
  .implement({
    description: 'A part of a policy that manifests state.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'The member of `policies`.' }),
      description: t.exposeString('description', { description: 'What it asks for.' }),
      values: t.stringList({
        description: 'The values or members that it can have.',
        resolve: ({ values }) => [...values],
      }),
    }),
  });

const Weighted = builder
  .objectRef<{ readonly code: string; readonly description: string; readonly weight: number }>(
    'BlueprintWeightedCode',
  )
  .implement({
    description: 'A criterion or check with its weight.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'The value on the wire.' }),
      description: t.exposeString('description', { description: 'What must hold.' }),
      weight: t.exposeInt('weight', { description: 'Points of 100.' }),
    }),
  });

const LintRule = builder
  .objectRef<References['lintRules']['entries'][number]>('BlueprintLintRule')
  .implement({
    description: 'A rule of the lint.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'The rule.' }),
      level: t.exposeString('level', { description: '`error` or `warning`.' }),
      description: t.exposeString('description', { description: 'What it finds.' }),
      fix: t.exposeString('fix', { description: 'What mends it.' }),
    }),
  });

const Integration = builder.objectRef<Connector>('BlueprintIntegration').implement({
  description: 'An integration that steps can be carried on with; see the integrations catalogue.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The connector.' }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    category: t.exposeString('category', { description: 'What kind of system it is.' }),
    status: t.exposeString('status', { description: 'Whether it is simulated.' }),
    actions: t.stringList({
      description: 'The ids of its actions.',
      resolve: ({ actions }) => actions.map(({ id }) => id),
    }),
  }),
});

const BlueprintReference = builder.objectRef<References>('BlueprintReference').implement({
  description: 'Everything that blueprints are made of: the very lists that the rules read.',
  fields: (t) => ({
    categories: t.field({
      type: [Code],
      description: 'Categories of the catalogue.',
      resolve: ({ categories }) => [...categories.entries],
    }),
    platforms: t.field({
      type: [Code],
      description: 'Where blueprints can be called from.',
      resolve: ({ platforms }) => [...platforms.entries],
    }),
    stepTypes: t.field({
      type: [Code],
      description: 'Types of steps; each is really run in the sandbox.',
      resolve: ({ stepTypes }) => [...stepTypes.entries],
    }),
    operators: t.field({
      type: [Code],
      description: 'Operators of conditions.',
      resolve: ({ operators }) => [...operators.entries],
    }),
    operations: t.field({
      type: [Code],
      description: 'Operations of transforms.',
      resolve: ({ operations }) => [...operations.entries],
    }),
    policies: t.field({
      type: [PolicyPart],
      description: 'Parts of a policy that manifests state.',
      resolve: ({ policies }) => [...policies.entries],
    }),
    integrations: t.field({
      type: [Integration],
      description: 'The registry of integrations.',
      resolve: () => [...CONNECTORS],
    }),
  }),
});

builder.objectFields(BlueprintReference, (t) => ({
  readinessCriteria: t.field({
    type: [Weighted],
    description: 'Criteria of the readiness score.',
    resolve: ({ readinessCriteria }) => [...readinessCriteria.entries],
  }),
  deployChecks: t.field({
    type: [Weighted],
    description: 'Checks of a deployment.',
    resolve: ({ deployChecks }) => [...deployChecks.entries],
  }),
  lintRules: t.field({
    type: [LintRule],
    description: 'Rules of the lint.',
    resolve: ({ lintRules }) => [...lintRules.entries],
  }),
  decisions: t.field({
    type: [Code],
    description: 'Decisions of a deployment.',
    resolve: ({ decisions }) => [...decisions.entries],
  }),
  runStatuses: t.field({
    type: [Code],
    description: 'How runs end.',
    resolve: ({ runStatuses }) => [...runStatuses.entries],
  }),
  stepStatuses: t.field({
    type: [Code],
    description: 'How steps end.',
    resolve: ({ stepStatuses }) => [...stepStatuses.entries],
  }),
  manifestSchema: t.field({
    type: 'JSON',
    description: 'The JSON Schema of manifests, draft 2020-12.',
    resolve: () => MANIFEST_SCHEMA,
  }),
}));

builder.queryField('blueprintReference', (t) =>
  t.field({
    type: BlueprintReference,
    description:
      'Categories, platforms, step types, policies, integrations and criteria of blueprints.',
    resolve: () => BLUEPRINT_REFERENCES,
  }),
);
