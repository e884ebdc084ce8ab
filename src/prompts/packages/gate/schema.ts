import type { JournalEntry } from '../../../generated/prisma/client.js';
import { builder } from '../../../graph/builder.js';
import { authorized } from '../../../graph/database.js';
import { enumValues } from '../../../graph/enums.js';
import { pageComplexity } from '../../../graph/page.js';
import type { GateCheck } from './check.js';
import { missingOf } from './gate.rules.js';
import type { GateReceipt, KeptCost } from './receipt.js';
import { gateRunsOf, testPrompt } from './service.js';
import { CHECK_STATUSES, GATE_CHECKS, GATE_STATUSES, OUTPUT_ASSUMPTIONS } from './vocabulary.js';

const CheckEnum = builder.enumType('PromptGateCheckCode', {
  description: 'A check of the gate.',
  values: enumValues(GATE_CHECKS),
});

const CheckStatusEnum = builder.enumType('PromptGateCheckStatus', {
  description: 'How a check ended.',
  values: enumValues(CHECK_STATUSES),
});

const GateStatusEnum = builder.enumType('PromptGateStatus', {
  description: 'Whether the gate passes.',
  values: enumValues(GATE_STATUSES),
});

const AssumptionEnum = builder.enumType('PromptOutputAssumption', {
  description: 'What the length of the answer is assumed from.',
  values: enumValues(OUTPUT_ASSUMPTIONS),
});

const Check = builder.objectRef<GateCheck>('PromptGateCheck').implement({
  description: 'The end of one check.',
  fields: (t) => ({
    code: t.expose('code', { type: CheckEnum, description: 'Which check.' }),
    status: t.expose('status', { type: CheckStatusEnum, description: 'How it ended.' }),
    message: t.exposeString('message', { description: 'What was found, in a sentence.' }),
    details: t.field({
      type: ['JSON'],
      description: 'The facts behind the message, such as names or faults.',
      resolve: ({ details }) => [...details],
    }),
  }),
});

const VariantCost = builder.objectRef<KeptCost>('PromptVariantCost').implement({
  description:
    'The estimated cost of one call: the rendered messages with the sample values at the input ' +
    'price of today, and an answer of the assumed length at the output price. Tokens are counted ' +
    'by the encoding o200k.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The model variant.' }),
    model: t.exposeString('model', { description: 'Its model.' }),
    inputTokens: t.int({
      nullable: true,
      description: 'Of the rendered messages; null where the template does not render.',
      resolve: (cost) => cost.input_tokens,
    }),
    outputTokens: t.int({
      nullable: true,
      description: 'Of the assumed answer; null where nothing can be assumed.',
      resolve: (cost) => cost.output_tokens,
    }),
    outputAssumption: t.field({
      type: AssumptionEnum,
      nullable: true,
      description: 'What the answer is assumed from; null where nothing can be assumed.',
      resolve: (cost) => cost.output_assumption,
    }),
    costRub: t.field({
      type: 'Rub',
      nullable: true,
      description: 'For one call, at the price of the model; null with a reason beside it.',
      resolve: ({ cost_micro: micro }) => (micro === null ? null : BigInt(micro)),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the cost cannot be told; null where it is.',
    }),
    provenance: t.string({ description: 'Always `estimated`.', resolve: () => 'estimated' }),
  }),
});

function bodyOf({ body }: Pick<JournalEntry, 'body'>): GateReceipt {
  return body as unknown as GateReceipt;
}

const SCHEMA_VALID =
  'Whether the output schema compiles and every sample output is valid by it; null where the ' +
  'version has no output schema, so that the question does not arise.';
const CONTEXT_AS_OF =
  'The moment that ages in the context pack were counted from: the pack’s `as_of`, else the end ' +
  'of the day in Moscow. Null where no pack was evaluated.';

const PromptReceipt = builder.prismaObject('JournalEntry', {
  variant: 'PromptReceipt',
  select: { id: true, body: true, createdAt: true },
  description:
    'A run of the deterministic gate, with the receipt that it sealed. The same version under ' +
    'the same samples, models, prices and policies has one receipt.',
  fields: (t) => ({
    id: t.field({
      type: 'UUID',
      description: 'The sealed receipt; `receiptVerification` recomputes it.',
      resolve: (run) => bodyOf(run).receipt_id,
    }),
    runId: t.expose('id', { type: 'UUID', description: 'This run.' }),
    promptId: t.field({
      type: 'UUID',
      description: 'The package.',
      resolve: (run) => bodyOf(run).prompt_id,
    }),
    version: t.int({
      description: 'The version that was tested.',
      resolve: (run) => bodyOf(run).version,
    }),
    gateStatus: t.field({
      type: GateStatusEnum,
      description: 'Whether the gate passed: no check failed, and not all is unmeasured.',
      resolve: (run) => bodyOf(run).gate_status,
    }),
    schemaValid: t.boolean({
      nullable: true,
      description: SCHEMA_VALID,
      resolve: (run) => bodyOf(run).schema_valid,
    }),
    checks: t.field({
      type: [Check],
      description: 'Every check, in the published order.',
      resolve: (run) => [...bodyOf(run).checks],
    }),
    cost: t.field({
      type: [VariantCost],
      description: 'What a call is estimated to cost, for each model variant.',
      resolve: (run) => [...bodyOf(run).cost],
    }),
    contentHash: t.field({
      type: 'Sha256',
      description: 'Of the content of the version, which never changes.',
      resolve: (run) => bodyOf(run).content_hash,
    }),
    templateHash: t.field({
      type: 'Sha256',
      description: 'Of the text of the template.',
      resolve: (run) => bodyOf(run).template_hash,
    }),
    contextPolicyId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The context policy of the package; null where it names none.',
      resolve: (run) => bodyOf(run).context_policy_id,
    }),
    contextAsOf: t.field({
      type: 'DateTime',
      nullable: true,
      description: CONTEXT_AS_OF,
      resolve: (run) => dateOf(bodyOf(run).context_as_of),
    }),
    sha256: t.field({
      type: 'Sha256',
      description: 'Of the sealed content.',
      resolve: (run) => bodyOf(run).sha256,
    }),
    alreadySealed: t.boolean({
      description: 'Whether an earlier run with the same inputs had sealed the receipt.',
      resolve: (run) => bodyOf(run).already_sealed,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the gate ran.' }),
  }),
});

builder.prismaObjectField(PromptReceipt, 'missing', (t) =>
  t.field({
    type: ['String'],
    description: 'What was not measured: the check, and why or what would lift it.',
    resolve: (run) => missingOf(bodyOf(run).checks),
  }),
);

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

builder.queryField('promptReceipts', (t) =>
  t.prismaConnection({
    type: PromptReceipt,
    cursor: 'id',
    description: 'The gate runs of a prompt package, newest first.',
    authScopes: { can: 'prompts.read' },
    complexity: pageComplexity,
    args: { promptId: t.arg({ type: 'UUID', required: true, description: 'The package.' }) },
    resolve: (query, _root, { promptId }, ctx) => gateRunsOf(ctx, promptId, query),
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
      id: t.arg({ type: 'UUID', required: true, description: 'The package.' }),
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
