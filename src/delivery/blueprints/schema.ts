import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { type BlueprintDetail, listBlueprints, readBlueprint } from './detail.js';
import type { LintFinding } from './lint.js';
import { LINT_LEVELS } from './lint-vocabulary.js';
import type { BlueprintReadiness, JudgedCriterion } from './readiness.js';
import { CATEGORIES, ORIGINS, PLATFORMS } from './vocabulary.js';

const CategoryEnum = builder.enumType('BlueprintCategory', {
  description: 'What a blueprint is for.',
  values: enumValues(CATEGORIES),
});

const PlatformEnum = builder.enumType('BlueprintPlatform', {
  description: 'Where a blueprint can be called from.',
  values: enumValues(PLATFORMS),
});

const OriginEnum = builder.enumType('BlueprintOrigin', {
  description: 'Who wrote a blueprint.',
  values: enumValues(ORIGINS),
});

const LintLevelEnum = builder.enumType('BlueprintLintLevel', {
  description: 'How bad a finding of the lint is.',
  values: enumValues(LINT_LEVELS),
});

const Finding = builder.objectRef<LintFinding>('BlueprintLintFinding').implement({
  description: 'Something that the lint found in a manifest.',
  fields: (t) => ({
    rule: t.exposeString('rule', { description: 'The published rule.' }),
    level: t.expose('level', { type: LintLevelEnum, description: 'How bad it is.' }),
    path: t.exposeString('path', { description: 'Where in the manifest, dotted.' }),
    message: t.exposeString('message', { description: 'What is wrong.' }),
    fix: t.exposeString('fix', { description: 'What mends it.' }),
  }),
});

/** What the lint found. */
export const Lint = builder.objectRef<readonly LintFinding[]>('BlueprintLint').implement({
  description: 'What the lint found in a manifest.',
  fields: (t) => ({
    errorCount: t.int({
      description: 'Findings that keep it from running.',
      resolve: (findings) => findings.filter(({ level }) => level === 'error').length,
    }),
    warningCount: t.int({
      description: 'Findings that should be better.',
      resolve: (findings) => findings.filter(({ level }) => level === 'warning').length,
    }),
    findings: t.field({
      type: [Finding],
      description: 'Every finding, in the order of the published rules.',
      resolve: (findings) => [...findings],
    }),
  }),
});

const Criterion = builder.objectRef<JudgedCriterion>('BlueprintReadinessCriterion').implement({
  description: 'A criterion of readiness, as it was judged on this server.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The published criterion.' }),
    description: t.exposeString('description', { description: 'What must hold.' }),
    weight: t.exposeInt('weight', { description: 'Points of 100.' }),
    met: t.exposeBoolean('met', { description: 'Whether it holds.' }),
    evidence: t.exposeString('evidence', { description: 'What shows it.' }),
  }),
});

const Readiness = builder.objectRef<BlueprintReadiness>('BlueprintReadiness').implement({
  description: 'How ready a blueprint is on this server; the same for every organization.',
  fields: (t) => ({
    score: t.exposeInt('score', { description: 'The weights of the criteria met, 0 to 100.' }),
    criteria: t.field({
      type: [Criterion],
      description: 'Every published criterion.',
      resolve: ({ criteria }) => [...criteria],
    }),
  }),
});

const Blueprint = builder.objectRef<BlueprintDetail>('Blueprint').implement({
  description:
    'An AI workflow: a ready-made one of the server, or one that your organization stored.',
  fields: (t) => ({
    id: t.string({ description: 'Its slug.', resolve: ({ manifest }) => manifest.id }),
    origin: t.field({
      type: OriginEnum,
      description: 'Who wrote it.',
      resolve: ({ origin }) => origin,
    }),
    name: t.string({ description: 'What it is called.', resolve: ({ manifest }) => manifest.name }),
    category: t.field({
      type: CategoryEnum,
      description: 'What it is for.',
      resolve: ({ manifest }) => manifest.category,
    }),
    vertical: t.string({
      description: 'The line of business.',
      resolve: ({ manifest }) => manifest.vertical,
    }),
    version: t.string({
      description: 'The version of the manifest.',
      resolve: ({ manifest }) => manifest.version,
    }),
    description: t.string({
      description: 'What it does.',
      resolve: ({ manifest }) => manifest.description,
    }),
    platforms: t.field({
      type: [PlatformEnum],
      description: 'Where it can be called from.',
      resolve: ({ manifest }) => [...manifest.platforms],
    }),
    feature: t.string({
      description: '`metadata.feature` of its requests: cost reports group by it.',
      resolve: ({ manifest }) => manifest.feature,
    }),
    stepCount: t.int({
      description: 'How many steps it has.',
      resolve: ({ manifest }) => manifest.steps.length,
    }),
    manifest: t.field({
      type: 'JSON',
      description:
        'The whole manifest: input schema and example, steps, models with the fallback, ' +
        'policies, tools and business result. Its JSON Schema is in the reference.',
      resolve: ({ manifest }) => manifest,
    }),
    manifestHash: t.field({
      type: 'Sha256',
      description: 'SHA-256 of the manifest as canonical JSON; runs and deployments name it.',
      resolve: ({ hash }) => hash,
    }),
    readiness: t.expose('readiness', { type: Readiness, description: 'How ready it is.' }),
    lint: t.field({
      type: Lint,
      description: 'What the lint found.',
      resolve: ({ findings }) => findings,
    }),
  }),
});

builder.queryFields((t) => ({
  blueprints: t.field({
    type: [Blueprint],
    description:
      'The catalogue of blueprints, followed by those that the organization of the caller stored.',
    args: { category: t.arg({ type: CategoryEnum, description: 'Only those of a category.' }) },
    resolve: (_root, { category }, ctx) => listBlueprints(ctx, category ?? undefined),
  }),
  blueprint: t.field({
    type: Blueprint,
    description: 'A blueprint with its manifest, readiness and lint.',
    args: { id: t.arg.string({ required: true, description: 'Its slug.' }) },
    resolve: (_root, { id }, ctx) => readBlueprint(ctx, id),
  }),
}));
