import { builder } from '../../../graph/builder.js';
import { authorized } from '../../../graph/database.js';
import { pageComplexity } from '../../../graph/page.js';
import { outputOf, shownFields } from '../../../graph/table-types.js';
import { journalOf } from '../history.js';
import { GATE_JOURNAL } from '../journal.js';
import { missingOf } from './gate.rules.js';
import { gateRunOf } from './receipt.js';
import { testPrompt } from './service.js';
import { RUN_FIELDS, VARIANT_COST } from './tables.js';

builder.objectField(outputOf(VARIANT_COST), 'provenance', (t) =>
  t.string({
    description: 'Always `estimated`: from prices and lengths.',
    resolve: () => 'estimated',
  }),
);

const { receiptId: _, ...SHOWN } = RUN_FIELDS;

const PromptReceipt = builder.prismaObject('JournalEntry', {
  variant: 'PromptReceipt',
  select: { id: true, body: true, createdAt: true },
  description:
    'A run of the deterministic gate, with the receipt that it sealed. The same version under ' +
    'the same samples, models, prices and policies has one receipt.',
  fields: (t) => ({
    id: t.field({
      type: 'ID',
      description: 'The sealed receipt; `receiptVerification` recomputes it.',
      resolve: (run) => gateRunOf(run).receiptId,
    }),
    runId: t.expose('id', { type: 'ID', description: 'The run of the gate that it seals.' }),
    ...(shownFields(t, SHOWN, gateRunOf) as object),
    missing: t.stringList({
      description: 'What was not measured: the check, and why or what would lift it.',
      resolve: (run) => missingOf(gateRunOf(run).checks),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the gate ran.' }),
  }),
});

builder.queryField('promptReceipts', (t) =>
  t.prismaConnection({
    type: PromptReceipt,
    cursor: 'id',
    description: 'The gate runs of a prompt package, newest first.',
    authScopes: { can: 'prompts.read' },
    complexity: pageComplexity,
    args: {
      promptId: t.arg({
        type: 'ID',
        required: true,
        description: 'The prompt package, by its id.',
      }),
    },
    resolve: (query, _root, { promptId }, ctx) =>
      journalOf(authorized(ctx), GATE_JOURNAL, promptId, query),
  }),
);

builder.mutationField('promptTest', (t) =>
  t.prismaField({
    type: PromptReceipt,
    description:
      'Runs the deterministic gate of a version and seals its receipt. No model is called and ' +
      'nothing is billed. Outputs that are given are judged beside those of the version, which ' +
      'always are; values and a context pack take the place of its own for this run. ' +
      'Personal data and secrets in a template are the firewall’s matter when it is used.',
    authScopes: { can: 'prompts.write' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: 'The prompt package, by its id.' }),
      version: t.arg.int({
        description: 'Default: the latest version that is not deprecated, as of promptPromote.',
      }),
      sampleVariables: t.arg({ type: 'JSON', description: 'Sample values by variable name.' }),
      sampleOutputs: t.arg({ type: 'JSON', description: 'Further outputs, at most 20.' }),
      contextPack: t.arg({
        type: 'JSON',
        description: 'A context pack for the context policy: `items` and optionally `as_of`.',
      }),
    },
    resolve: (_query, _root, { id, ...order }, ctx) => testPrompt(authorized(ctx), id, order),
  }),
);
