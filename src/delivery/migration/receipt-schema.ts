import type { MigrationProject } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { parseRub } from '../../kernel/money.js';
import type { DecisionReason, Latency } from './compare.rules.js';
import type { ItemResult, Quality } from './quality.rules.js';
import type { ComparisonContent, EvaluationContent, StoredComparison } from './receipt.js';
import {
  CUTOVER_DECISIONS,
  LATENCY_VERDICTS,
  QUALITY_DELTAS,
  QUALITY_VERDICTS,
} from './vocabulary.js';

const QualityVerdictEnum = builder.enumType('MigrationQualityVerdict', {
  description: 'Whether quality on the gateway is known.',
  values: enumValues(QUALITY_VERDICTS),
});

const QualityDeltaEnum = builder.enumType('MigrationQualityDelta', {
  description: 'How the measured quality stands to that of the source.',
  values: enumValues(QUALITY_DELTAS),
});

const LatencyVerdictEnum = builder.enumType('MigrationLatencyVerdict', {
  description: 'Where latency figures come from.',
  values: enumValues(LATENCY_VERDICTS),
});

const CutoverDecisionEnum = builder.enumType('MigrationCutoverDecision', {
  description: 'What a comparison says about the cutover.',
  values: enumValues(CUTOVER_DECISIONS),
});

const ReasonType = builder.objectRef<DecisionReason>('MigrationDecisionReason').implement({
  description: 'One rule of the decision table that applies.',
  fields: (t) => ({
    rule: t.exposeString('rule', { description: 'The rule, as the reference lists it.' }),
    outcome: t.expose('outcome', {
      type: CutoverDecisionEnum,
      description: 'What the rule says.',
    }),
    reason: t.exposeString('reason', { description: 'Why it applies.' }),
  }),
});

const QualityType = builder.objectRef<Quality>('MigrationQuality').implement({
  description: 'Quality of the route: the share of an evaluation set that passed.',
  fields: (t) => ({
    reason: t.exposeString('reason', { description: 'Why the verdict is what it is.' }),
    needed: t.exposeStringList('needed', { description: 'What would lift the verdict.' }),
    items: t.exposeInt('items', { description: 'Items of the set.' }),
    ran: t.exposeInt('ran', { description: 'Items that were answered.' }),
    passed: t.exposeInt('passed', { description: 'Items whose answer was as expected.' }),
    share: t.exposeFloat('share', {
      nullable: true,
      description: 'Passed of answered, from 0 to 1; null where nothing ran.',
    }),
    intervalLow: t.exposeFloat('interval_low', {
      nullable: true,
      description: 'Lower end of the Wilson interval of the share at 95 %.',
    }),
    intervalHigh: t.exposeFloat('interval_high', {
      nullable: true,
      description: 'Upper end of the Wilson interval of the share at 95 %.',
    }),
    sourceShare: t.exposeFloat('source_share', {
      nullable: true,
      description:
        'Quality of the source: the share of its outputs that pass where every item has one, ' +
        'else as stated; null where neither was given.',
    }),
    sourceProvenance: t.exposeString('source_provenance', {
      nullable: true,
      description: '`declared`: the outputs or the figure are yours; null without them.',
    }),
  }),
});

const ItemResultType = builder.objectRef<ItemResult>('MigrationEvaluationResult').implement({
  description: 'How one item of an evaluation set went. Neither prompt nor answer is kept.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the set, from 0.' }),
    passed: t.exposeBoolean('passed', { description: 'True when the answer was as expected.' }),
    requestId: t.expose('request_id', {
      type: 'UUID',
      nullable: true,
      description: 'The request in usage and ledger; null when it was refused.',
    }),
    errorCode: t.exposeString('error_code', {
      nullable: true,
      description: 'Why it was refused; null when it was answered.',
    }),
    simulated: t.boolean({
      description: 'True when a simulated model answered: the result is no evidence.',
      resolve: ({ simulated }) => simulated ?? false,
    }),
  }),
});

const EvaluationType = builder.objectRef<EvaluationContent>('MigrationEvaluation').implement({
  description: 'The run of an evaluation set: real requests, billed as any other.',
  fields: (t) => ({
    sha256: t.expose('sha256', {
      type: 'Sha256',
      description: 'Of the set as canonical JSON by RFC 8785: it proves which set was run.',
    }),
    simulated: t.boolean({
      description: 'True when a simulated model answered at least one item.',
      resolve: ({ simulated }) => simulated ?? false,
    }),
    costRub: t.field({
      type: 'Rub',
      description: 'What the runs were charged.',
      resolve: ({ cost_rub }) => rubles(cost_rub),
    }),
    results: t.field({
      type: [ItemResultType],
      description: 'The items in their order.',
      resolve: ({ results }) => [...results],
    }),
  }),
});

const LatencyType = builder.objectRef<Latency>('MigrationLatency').implement({
  description: 'Latency of the route. Percentiles are exact, by nearest rank.',
  fields: (t) => ({
    verdict: t.expose('verdict', {
      type: LatencyVerdictEnum,
      description: 'Where the figures come from.',
    }),
    reason: t.exposeString('reason', { description: 'Why the verdict is what it is.' }),
    samples: t.exposeInt('samples', { description: 'Requests that were looked at.' }),
    p50Ms: t.exposeFloat('p50_ms', {
      nullable: true,
      description: 'Half of the requests took at most this long; null where not measured.',
    }),
    p95Ms: t.exposeFloat('p95_ms', {
      nullable: true,
      description: '95 % of the requests took at most this long; null where not measured.',
    }),
    provenance: t.exposeString('provenance', {
      nullable: true,
      description: '`live_measured`; null where not measured, or measured on simulated answers.',
    }),
    sourceLatencyMs: t.exposeFloat('source_latency_ms', {
      nullable: true,
      description: 'Latency of the source as you stated it; null where you did not.',
    }),
  }),
});

/** A sealed comparison with the id of its receipt. */
export interface MigrationReceipt extends StoredComparison {
  readonly receiptId: string;
}

/** The last sealed comparison of a migration; null while there is none. */
export function receiptOf(project: MigrationProject): MigrationReceipt | null {
  const comparison = project.comparison as unknown as StoredComparison | null;
  const { receiptId } = project;
  return comparison && receiptId ? { ...comparison, receiptId } : null;
}

function rubles(text: string): bigint {
  const micro = parseRub(text);
  if (micro === undefined) throw new Error(`${text} is no amount`);
  return micro;
}

function optionalRubles(text: string | null): bigint | null {
  return text === null ? null : rubles(text);
}

/** A field that shows a part of what was sealed as it is. */
function content<K extends keyof ComparisonContent>(name: K) {
  return { resolve: ({ content }: MigrationReceipt): ComparisonContent[K] => content[name] };
}

/** The receipt of a comparison. */
export const MigrationReceiptType = builder
  .objectRef<MigrationReceipt>('MigrationReceipt')
  .implement({
    description:
      'A comparison of the source with the route, sealed: price, quality, latency and what they ' +
      'say about the cutover.',
    fields: (t) => ({
      id: t.field({
        type: 'UUID',
        description: 'The id of the sealed receipt.',
        resolve: ({ receiptId }) => receiptId,
      }),
      sha256: t.expose('sha256', {
        type: 'Sha256',
        description: 'SHA-256 of what was sealed, as canonical JSON by RFC 8785.',
      }),
      sealedAt: t.field({
        type: 'DateTime',
        description: 'When it was sealed.',
        resolve: ({ sealed_at }) => new Date(sealed_at),
      }),
      number: t.int({
        description: 'The comparisons of a migration are 1, 2, 3.',
        ...content('number'),
      }),
      targetModel: t.string({
        description: 'The model or alias that was compared.',
        ...content('target_model'),
      }),
      routeModel: t.string({
        nullable: true,
        description: 'The model whose price stands for the route; null where none is permitted.',
        ...content('route_model'),
      }),
      routeChosenBy: t.string({
        description:
          '`evaluation`: the model that answered most items. `route_choice`: the model that ' +
          'routing chooses for the capabilities in use under the policy of the project.',
        ...content('route_chosen_by'),
      }),
      simulated: t.boolean({
        description:
          'True when that model, or one that answered the evaluation set, is simulated. Then the ' +
          'comparison is no evidence, and the cutover is held.',
        ...content('simulated'),
      }),
      priceDay: t.field({
        type: 'Date',
        description: 'The day whose price row holds, in Moscow.',
        ...content('price_day'),
      }),
      inputShare: t.float({
        description: 'The share of input tokens in the price of the route.',
        ...content('input_share'),
      }),
    }),
  });

builder.objectFields(MigrationReceiptType, (t) => ({
  sourceCostPer1mRub: t.field({
    type: 'Rub',
    description: 'What a million tokens cost at the source, as you stated it.',
    resolve: ({ content }) => rubles(content.source_cost_per_1m_rub),
  }),
  routeCostPer1mRub: t.field({
    type: 'Rub',
    nullable: true,
    description:
      'What a million tokens of the stated mix cost on the route, by its price row; half ' +
      'to even. Null without a permitted model.',
    resolve: ({ content }) => optionalRubles(content.route_cost_per_1m_rub),
  }),
  costDeltaPercent: t.float({
    nullable: true,
    description:
      '(route − source) ÷ source × 100 with two places, half to even; negative where the ' +
      'route is cheaper. Null without a permitted model.',
    ...content('cost_delta_percent'),
  }),
  monthlyDeltaRub: t.field({
    type: 'Rub',
    nullable: true,
    description: 'What the stated tokens of a month cost more; null without them.',
    resolve: ({ content }) => optionalRubles(content.monthly_delta_rub),
  }),
}));

builder.objectFields(MigrationReceiptType, (t) => ({
  quality: t.field({
    type: QualityVerdictEnum,
    description: 'Whether the quality on the gateway is known.',
    resolve: ({ content }) => content.quality.verdict,
  }),
  qualityDelta: t.field({
    type: QualityDeltaEnum,
    description: 'How it stands to the quality of the source.',
    resolve: ({ content }) => content.quality.delta,
  }),
  qualityDeltaPercent: t.float({
    nullable: true,
    description: 'Measured less source, in percentage points; null where not comparable.',
    resolve: ({ content }) => content.quality.delta_percent,
  }),
  qualityEvidence: t.field({
    type: QualityType,
    description: 'The figures behind the quality.',
    ...content('quality'),
  }),
  evaluation: t.field({
    type: EvaluationType,
    nullable: true,
    description: 'The run of the evaluation set; null where none was given.',
    ...content('evaluation'),
  }),
  latency: t.field({
    type: LatencyType,
    description: 'Latency of the route.',
    ...content('latency'),
  }),
  cutoverDecision: t.field({
    type: CutoverDecisionEnum,
    description: 'What all of it says about the cutover.',
    ...content('cutover_decision'),
  }),
  reasons: t.field({
    type: [ReasonType],
    description: 'Every rule of the decision table that applies; the first one decided.',
    resolve: ({ content }) => [...content.reasons],
  }),
  provenance: t.field({
    type: 'JSON',
    description: 'Where each figure comes from: live_measured, declared or estimated.',
    ...content('provenance'),
  }),
}));
