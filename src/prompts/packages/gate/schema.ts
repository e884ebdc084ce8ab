import { builder } from '../../../graph/builder.js';
import { authorized } from '../../../graph/database.js';
import { pageComplexity } from '../../../graph/page.js';
import { enumOf, outputOf, shownFields } from '../../../graph/table-types.js';
import { journalOf } from '../history.js';
import { GATE_JOURNAL } from '../journal.js';
import { decisionAgain, failingOf } from './evidence.rules.js';
import { missingOf } from './gate.rules.js';
import { gateRunOf } from './receipt.js';
import { testPrompt } from './service.js';
import { CHECK, RUN_FIELDS, VARIANT_COST } from './tables.js';
import { CHECK_BASES, GATE_CHECKS } from './vocabulary.js';

builder.objectField(outputOf(VARIANT_COST), 'provenance', (t) =>
  t.string({
    description: 'Always `estimated`: from prices and lengths.',
    resolve: () => 'estimated',
  }),
);

const BASES = new Map(GATE_CHECKS.rows.map(({ code, basis }) => [code, basis]));

builder.objectField(outputOf(CHECK), 'basis', (t) =>
  t.field({
    type: enumOf(CHECK_BASES),
    description: 'What it judges; only `recorded` is proof.',
    resolve: ({ code }) => BASES.get(code) ?? 'content',
  }),
);

const { receiptId: _, ...SHOWN } = RUN_FIELDS;

const PromptReceipt = builder.prismaObject('JournalEntry', {
  variant: 'PromptReceipt',
  select: { id: true, body: true, createdAt: true },
  description:
    'A run of the deterministic gate, with the receipt that it sealed. The same version under ' +
    'the same samples, models, prices, policies and recorded evaluations has one receipt.',
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
    failing: t.field({
      type: [enumOf(GATE_CHECKS)],
      description:
        'The checks because of which the version does not pass: those that fail, and those that ' +
        'are not measured although there is an output schema, a case or a version in ' +
        'production to prove.',
      resolve: (run) => {
        const { checks, evidence } = gateRunOf(run);
        return failingOf(checks, evidence);
      },
    }),
    reproduced: t.boolean({
      nullable: true,
      description:
        'Whether the decision, made again from the sealed evidence, is the sealed one; null for ' +
        'receipts from before evidence was judged.',
      resolve: (run) => {
        const { checks, evidence, gateStatus } = gateRunOf(run);
        const again = decisionAgain({ checks, evidence });
        return again && again.gateStatus === gateStatus;
      },
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
      'nothing is billed: it judges recorded evaluations of this very version. Outputs that are ' +
      'given are judged beside those of the version, which always are; values and a context pack ' +
      'take the place of its own for this run. All these are stated and prove nothing. ' +
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
