import { builder } from '../../graph/builder.js';
import { enumOf } from '../../graph/table-types.js';
import { samplesOf } from './stored.js';
import { PROMPT_STATUSES } from './vocabulary.js';

/** A version of a prompt package. */
export const PromptVersion = builder.prismaNode('PromptVersion', {
  id: { field: 'id', description: 'The id of the version.' },
  description: 'A version of a prompt package. Its content never changes; its status moves.',
  fields: (t) => ({
    promptId: t.expose('promptId', { type: 'ID', description: 'The package.' }),
    version: t.exposeInt('version', { description: 'Its number: 1, 2, 3 without a gap.' }),
    status: t.field({
      type: enumOf(PROMPT_STATUSES),
      description: 'Where it stands.',
      select: { stage: { select: { status: true } } },
      resolve: ({ stage }) => PROMPT_STATUSES.parse(stage?.status ?? 'draft'),
    }),
    supersededBy: t.int({
      nullable: true,
      description: 'The version that took its place in production; null for any other version.',
      select: { stage: { select: { supersededBy: true } } },
      resolve: ({ stage }) => stage?.supersededBy ?? null,
    }),
    current: t.boolean({
      description: 'Whether it is the current version of the package.',
      select: { version: true, prompt: { select: { currentVersion: true } } },
      resolve: ({ version, prompt }) => prompt.currentVersion === version,
    }),
    receiptId: t.field({
      type: 'ID',
      nullable: true,
      description: 'The gate receipt that its last promotion rested on; null before staging.',
      select: { stage: { select: { receiptId: true } } },
      resolve: ({ stage }) => stage?.receiptId ?? null,
    }),
    template: t.exposeString('template', { description: 'The template, in Liquid.' }),
    variables: t.expose('variables', {
      type: 'JSON',
      description: 'The declared variables: name, type, required, description, default, trusted.',
    }),
    outputSchema: t.expose('outputSchema', {
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema of answers; null where answers have none.',
    }),
    modelVariants: t.expose('modelVariants', {
      type: 'JSON',
      description: 'The models that may answer: name, model, temperature, max_tokens, weight.',
    }),
    sampleVariables: t.field({
      type: 'JSON',
      description: 'The values that the gate renders the template with, by variable name.',
      select: { samples: true },
      resolve: (version) => samplesOf(version).variables,
    }),
    sampleOutputs: t.field({
      type: ['JSON'],
      description: 'Outputs that the gate holds against the output schema.',
      select: { samples: true },
      resolve: (version) => [...samplesOf(version).outputs],
    }),
    contextPack: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The context pack that the gate evaluates; null where none was given.',
      select: { samples: true },
      resolve: (version) => samplesOf(version).context_pack,
    }),
    contentHash: t.expose('contentHash', {
      type: 'Sha256',
      description:
        'Of the RFC 8785 text of `template`, `variables`, `output_schema`, `model_variants` and ' +
        '`samples`, as they are kept.',
    }),
    createdBy: t.expose('createdBy', { type: 'ID', description: 'Who wrote it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written.' }),
  }),
});
