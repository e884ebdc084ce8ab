import type { PromptVersion as Stored } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { enumOf, shownFields, storedFields } from '../../graph/table-types.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { declaredBy, leastClassOf, samplesOf } from './stored.js';
import {
  DECLARED_FIELDS,
  LEAST_CLASS_FIELD,
  SAMPLE_FIELDS,
  STORED_VERSION_FIELDS,
} from './tables.js';
import { PROMPT_STATUSES } from './vocabulary.js';

function sampleValues(row: Pick<Stored, 'samples'>) {
  if (isErased(row, 'samples')) {
    return { sampleVariables: null, sampleOutputs: null, contextPack: null, erased: true };
  }
  const { variables, outputs, context_pack: contextPack } = samplesOf(row);
  return { sampleVariables: variables, sampleOutputs: outputs, contextPack, erased: false };
}

/** A version of a prompt package. */
export const PromptVersion = builder.prismaNode('PromptVersion', {
  id: { field: 'id', description: 'The id of the version.' },
  description: 'A version of a prompt package. Its content never changes; its status moves.',
  fields: (t) => ({
    ...(storedFields(t, STORED_VERSION_FIELDS) as object),
    ...(shownFields(t, DECLARED_FIELDS, declaredBy) as object),
    ...(shownFields(t, LEAST_CLASS_FIELD, (row) => ({
      dataClassMin: leastClassOf(row),
    })) as object),
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
    ...(shownFields(t, SAMPLE_FIELDS, sampleValues) as object),
    contentHash: t.expose('contentHash', {
      type: 'Sha256',
      description:
        'Of the RFC 8785 text of `template`, `variables`, `output_schema`, `model_variants`, ' +
        '`samples` and, where one is stated, `data_class_min`, as they are kept.',
    }),
  }),
});
