import type { BlueprintRun as RunRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import type { StoredBusinessResult } from './business-result.js';
import { runBlueprint, runById } from './run.js';
import type { StoredInput } from './run-record.js';
import type { StoredStep } from './step-receipt.js';
import {
  INPUT_SOURCES,
  RUN_FAILURES,
  RUN_STATUSES,
  type RunFailure,
  STEP_STATUSES,
  STEP_TYPES,
} from './vocabulary.js';

type StoredAttempt = StoredStep['attempts'][number];
type StoredRouting = NonNullable<StoredStep['routing']>;
type StoredFirewall = NonNullable<StoredStep['firewall']>;

const RunStatusEnum = builder.enumType('BlueprintRunStatus', {
  description: 'How a run ended.',
  values: enumValues(RUN_STATUSES),
});

const RunFailureEnum = builder.enumType('BlueprintRunFailure', {
  description: 'Why a run ended where none of its steps says it.',
  values: enumValues(RUN_FAILURES),
});

const StepStatusEnum = builder.enumType('BlueprintStepStatus', {
  description: 'How a step ended.',
  values: enumValues(STEP_STATUSES),
});

const StepTypeEnum = builder.enumType('BlueprintStepType', {
  description: 'What a step does.',
  values: enumValues(STEP_TYPES),
});

const InputSourceEnum = builder.enumType('BlueprintInputSource', {
  description: 'Where the input of a run came from.',
  values: enumValues(INPUT_SOURCES),
});

const Attempt = builder.objectRef<StoredAttempt>('BlueprintStepAttempt').implement({
  description: 'A request to a model that a step made.',
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The model that was asked for.' }),
    requestId: t.expose('request_id', {
      type: 'UUID',
      nullable: true,
      description: 'The id in usage and ledger; null where the request was refused uncharged.',
    }),
    costRub: t.field({
      type: 'Rub',
      description: 'What was charged.',
      resolve: (attempt) => BigInt(attempt.cost_micro),
    }),
    errorCode: t.exposeString('error_code', {
      nullable: true,
      description: 'Why it did not serve; null where it did.',
    }),
  }),
});

const Routing = builder.objectRef<StoredRouting>('BlueprintStepRouting').implement({
  description: 'Who answered, from the receipt `gw_routing` of the request.',
  fields: (t) => ({
    requestedModel: t.exposeString('requested_model', { description: 'The model asked for.' }),
    model: t.exposeString('model', { description: 'The model that answered.' }),
    provider: t.exposeString('provider', { description: 'Its provider.' }),
    jurisdiction: t.exposeString('jurisdiction', { description: 'Where the data went.' }),
    strategy: t.exposeString('strategy', { description: 'How the model was chosen.' }),
    simulated: t.exposeBoolean('simulated', { description: 'True for made-up answers.' }),
    failedCalls: t.exposeInt('failed_calls', {
      description: 'Calls that failed inside the request before a model answered.',
    }),
  }),
});

const FirewallFinding = builder
  .objectRef<StoredFirewall['findings'][number]>('BlueprintStepFinding')
  .implement({
    description: 'How often the firewall found a class. Values are never kept.',
    fields: (t) => ({
      class: t.exposeString('class', { description: 'The class of finding.' }),
      count: t.exposeInt('count', { description: 'How often.' }),
      confidence: t.exposeString('confidence', { description: 'How sure the detector is.' }),
    }),
  });

const Firewall = builder.objectRef<StoredFirewall>('BlueprintStepFirewall').implement({
  description: 'What the firewall said, from the receipt `gw_firewall` of the request.',
  fields: (t) => ({
    verdict: t.exposeString('verdict', { description: 'pass, masked or blocked.' }),
    dataClass: t.exposeString('data_class', { description: 'The class of the data.' }),
    findings: t.field({
      type: [FirewallFinding],
      description: 'What was found.',
      resolve: ({ findings }) => [...findings],
    }),
  }),
});

const StepReceipt = builder.objectRef<StoredStep>('BlueprintStepReceipt').implement({
  description: 'The receipt of a step. It is sealed by itself.',
  fields: (t) => ({
    step: t.exposeString('id', { description: 'The step of the manifest.' }),
    type: t.expose('type', { type: StepTypeEnum, description: 'What it does.' }),
    title: t.exposeString('title', { description: 'For people.' }),
    status: t.expose('status', { type: StepStatusEnum, description: 'How it ended.' }),
    reason: t.field({
      type: 'String',
      nullable: true,
      description: 'Why it was left out or failed; null where it was done.',
      resolve: ({ reason }) => reason as string | null,
    }),
    errorCode: t.exposeString('error_code', {
      nullable: true,
      description: 'The code of the failure, as GET /v1/gw/errors lists it; null without one.',
    }),
    fallback: t.exposeBoolean('fallback', {
      description: 'Whether another model than the primary one had to be asked.',
    }),
    attempts: t.field({
      type: [Attempt],
      description: 'Requests to models; none for steps that ask no model.',
      resolve: ({ attempts }) => [...attempts],
    }),
    routing: t.expose('routing', {
      type: Routing,
      nullable: true,
      description: 'Who answered; null where no model did.',
    }),
    firewall: t.expose('firewall', {
      type: Firewall,
      nullable: true,
      description: 'What the firewall said; null where nothing reached it.',
    }),
    costRub: t.field({
      type: 'Rub',
      description: 'What was charged for the step: the sum of its attempts.',
      resolve: (step) => BigInt(step.cost_micro),
    }),
    latencyMs: t.exposeInt('latency_ms', { description: 'How long it took, in milliseconds.' }),
    output: t.expose('output', {
      type: 'JSON',
      nullable: true,
      description: 'What it gave, with personal data replaced by placeholders.',
    }),
    outputTruncated: t.exposeBoolean('output_truncated', {
      description: 'True where the output was too long: then it is the beginning of its JSON text.',
    }),
    outputValid: t.exposeBoolean('output_valid', {
      nullable: true,
      description: 'Whether the answer satisfies the output schema; null without a schema.',
    }),
    receiptId: t.expose('receipt_id', { type: 'UUID', description: 'Its sealed receipt.' }),
    receiptHash: t.expose('receipt_hash', {
      type: 'Sha256',
      description: 'The hash of that receipt; the receipt of the run names it too.',
    }),
  }),
});

const BusinessResult = builder
  .objectRef<StoredBusinessResult>('BlueprintBusinessResult')
  .implement({
    description: 'What the run was worth, by the rule of the manifest.',
    fields: (t) => ({
      event: t.exposeString('event', { description: 'The value event that a real run records.' }),
      unit: t.exposeString('unit', { description: 'What is counted.' }),
      achieved: t.exposeBoolean('achieved', { description: 'Whether every condition held.' }),
      notAchievedBecause: t.stringList({
        description: 'The conditions that did not hold.',
        resolve: (result) => [...result.not_achieved_because],
      }),
      quantity: t.exposeInt('quantity', { description: 'Units that were done.' }),
      quantityProvenance: t.exposeString('quantity_provenance', {
        description: '`estimated`: it comes from answers of simulated models.',
      }),
      minutesSaved: t.exposeFloat('minutes_saved', {
        description: 'Quantity times minutes of one.',
      }),
      minutesSavedProvenance: t.exposeString('minutes_saved_provenance', {
        description: '`declared`: the minutes of one unit are stated by the manifest.',
      }),
      costPerUnitRub: t.field({
        type: 'Rub',
        nullable: true,
        description: 'The charge of the run over the quantity, half up; null without a unit.',
        resolve: ({ cost_per_unit_micro: cost }) => (cost === null ? null : BigInt(cost)),
      }),
      facts: t.expose('facts', {
        type: 'JSON',
        nullable: true,
        description: 'Facts that the manifest takes from the outputs.',
      }),
      simulated: t.exposeBoolean('simulated', { description: 'True: no real model was asked.' }),
    }),
  });

function stepsOf({ steps }: Pick<RunRow, 'steps'>): StoredStep[] {
  return steps as unknown as StoredStep[];
}

const Run = builder.prismaNode('BlueprintRun', {
  id: { field: 'id', description: 'The id of the run.' },
  description:
    'A sandbox run of a blueprint: simulated models, and the real routing, firewall and billing ' +
    'of the gateway. It never changes.',
  fields: (t) => ({
    blueprintId: t.exposeString('blueprintId', { description: 'The blueprint.' }),
    manifestHash: t.expose('manifestHash', {
      type: 'Sha256',
      description: 'SHA-256 of the manifest that was run.',
    }),
    status: t.field({
      type: RunStatusEnum,
      description: 'How it ended.',
      resolve: ({ status }) => status as (typeof RUN_STATUSES)[number]['code'],
    }),
    failure: t.field({
      type: RunFailureEnum,
      nullable: true,
      description: 'Why it ended where no step says it; null for all other runs.',
      resolve: ({ failure }) => failure as RunFailure | null,
    }),
    simulated: t.boolean({
      description: 'True where every answer came from a simulated model.',
      resolve: (run) => stepsOf(run).every(({ routing }) => routing?.simulated ?? true),
    }),
    inputSource: t.field({
      type: InputSourceEnum,
      description: 'Where the input came from.',
      resolve: ({ input }) => (input as unknown as StoredInput).source,
    }),
    input: t.field({
      type: 'JSON',
      description: 'The input, with personal data replaced by placeholders.',
      resolve: ({ input }) => (input as unknown as StoredInput).values,
    }),
    steps: t.field({
      type: [StepReceipt],
      description: 'A receipt for each step, in order; steps after a failure are not there.',
      resolve: (run) => stepsOf(run),
    }),
    costRub: t.expose('costMicro', {
      type: 'Rub',
      description: 'What was charged: the sum of the steps, equal to the ledger.',
    }),
    fallbacks: t.exposeInt('fallbacks', { description: 'Steps that needed another model.' }),
    businessResult: t.field({
      type: BusinessResult,
      description: 'What it was worth.',
      resolve: ({ businessResult }) => businessResult as unknown as StoredBusinessResult,
    }),
    receiptId: t.expose('receiptId', {
      type: 'UUID',
      description: 'The sealed receipt of the run, which names those of the steps.',
    }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'The member or key.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it had ended.' }),
  }),
});

builder.queryFields((t) => ({
  blueprintRuns: t.prismaConnection({
    type: Run,
    cursor: 'id',
    description: 'Runs of blueprints, newest first.',
    authScopes: { can: 'blueprints.read' },
    complexity: pageComplexity,
    args: { blueprintId: t.arg.string({ description: 'Only runs of this blueprint.' }) },
    resolve: (query, _root, { blueprintId }, ctx) =>
      database(ctx).blueprintRun.findMany({
        ...query,
        where: { blueprintId: blueprintId ?? undefined },
        orderBy: NEWEST_FIRST,
      }),
  }),
  blueprintRun: t.field({
    type: Run,
    description: 'A run of a blueprint.',
    authScopes: { can: 'blueprints.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The run.' }) },
    resolve: (_root, { id }, ctx) => runById(authorized(ctx), id),
  }),
}));

builder.mutationField('blueprintRun', (t) =>
  t.field({
    type: Run,
    description:
      'Runs a blueprint in the sandbox. Models are simulated; routing, firewall and billing are ' +
      'real, so the run is charged to the caller. A step that fails is data of the run.',
    authScopes: { can: 'blueprints.run' },
    args: {
      id: t.arg.string({ required: true, description: 'The slug of the blueprint.' }),
      input: t.arg({
        type: 'JSON',
        description: 'By the input schema of the manifest; default: its example.',
      }),
      metadata: t.arg({
        type: 'JSON',
        description:
          'Further members of `metadata` of each request, such as `client_id`: short texts. ' +
          '`feature` is that of the manifest. The wishes of the sandbox work here too: ' +
          '`sandbox_error: "503"` with `sandbox_error_model: "gw-mini"` shows the fallback.',
      }),
    },
    resolve: (_root, asked, ctx) => runBlueprint(authorized(ctx), asked),
  }),
);
