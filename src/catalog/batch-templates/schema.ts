import { builder } from '../../graph/builder.js';
import type { Ctx } from '../../graph/ctx.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import {
  code,
  day,
  fieldTable,
  integer,
  money,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { camelCased } from '../../kernel/fields/names.js';
import { moscowDay } from '../../kernel/time.js';
import type { ModelFacts } from '../providers/model.js';
import { nearestModels } from '../providers/near-models.js';
import { priceOn } from '../providers/price.js';
import { SOURCE_KINDS, VAT_BASES } from '../providers/vocabulary.js';
import { BATCH_FORMULA, batchPrice, servesTemplate } from './price.rules.js';
import { BATCH_TEMPLATES, type BatchTemplate } from './templates.js';
import { BATCH_JOB_TYPES, BATCH_VERDICTS } from './vocabulary.js';

const TEMPLATE = fieldTable(
  'BatchTemplate',
  'Batch work: rows are sent packed into ordinary requests until its deadline.',
  {
    code: text('The code of the template.'),
    title: text('The name of the template, in Russian.'),
    useCase: text('What it is for; send it as `metadata.feature` to see its cost.'),
    jobType: code(BATCH_JOB_TYPES, 'The kind of work.'),
    slaHours: integer('Hours until all rows are to be done.'),
    model: text(
      'The model that the prices are of; the recommended one unless another is asked for.',
    ),
    instructionTokens: integer('Tokens of the instruction, which every request carries.'),
    rowInputTokens: integer('Tokens of a row, as declared for a typical one.'),
    rowOutputTokens: integer('Tokens of the answer to a row, as declared.'),
    rowsPerRequest: integer('Rows in a packed request.'),
    checkRows: integer('Rows that are first run one by one, to look at the packed form.'),
    verdict: code(BATCH_VERDICTS, 'Whether packing pays at the price in force.'),
    syncMicroPerThousand: optional(money('A thousand rows one by one; null without a price.')),
    asyncMicroPerThousand: optional(money('A thousand rows packed; null without a price.')),
    checkMicro: optional(money('The rows that are checked first; null without a price.')),
    paysFromRows: optional(
      integer('The rows from which packing and its check cost less; null for never.'),
    ),
    priceEffectiveFrom: optional(
      day('The first day of the price row that is used, which names it; null without one.'),
    ),
    priceSource: optional(code(SOURCE_KINDS, 'Who stated the price; null without a price.')),
    priceVatBasis: optional(
      code(VAT_BASES, 'Whether price and costs hold the value added tax; null without a price.'),
    ),
    formula: text('How the figures follow.'),
  },
);

const NO_PRICE = {
  syncMicroPerThousand: null,
  asyncMicroPerThousand: null,
  checkMicro: null,
  paysFromRows: null,
  priceEffectiveFrom: null,
  priceSource: null,
  priceVatBasis: null,
} as const;

type Priced = Pick<ValuesOf<typeof TEMPLATE.fields>, 'verdict' | keyof typeof NO_PRICE>;

/**
 * Every template, priced by the list price of a day, today unless it is stated, of its own model or
 * of one that is named.
 */
function pricedTemplates(
  { services: { registry } }: Ctx,
  {
    model,
    day: stated,
  }: { readonly model?: string | undefined; readonly day?: string | undefined },
) {
  const listed = registry.providers.flatMap((provider) => provider.models);
  // Of several deployments of a model the preferred one is priced, and it is listed first.
  const known = new Map<string, ModelFacts>([...listed].reverse().map((each) => [each.id, each]));
  for (const [id, callable] of registry.models) known.set(id, callable);
  if (model !== undefined && !known.has(model)) {
    const near = nearestModels(model, registry, known.keys());
    const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
    const message = `model: no provider lists ${model.slice(0, 100)}${hint}`;
    failOnFaults([{ path: 'model', code: 'unknown_value', message }]);
  }
  const on = stated ?? moscowDay(sharedNowMs());
  return BATCH_TEMPLATES.map((template): ValuesOf<typeof TEMPLATE.fields> => {
    const name = model ?? template.model;
    const { model: _, ...facts } = template;
    const price = priced(template, known.get(name), on);
    return { ...camelCased(facts), model: name, ...price, formula: BATCH_FORMULA };
  });
}

function priced(template: BatchTemplate, model: ModelFacts | undefined, on: string): Priced {
  if (model && !servesTemplate(template, model)) return { verdict: 'cannot_serve', ...NO_PRICE };
  const inForce = priceOn(model?.prices ?? [], on);
  const found = inForce && batchPrice(template, inForce);
  if (!found) return { verdict: 'cannot_price', ...NO_PRICE };
  const { effectiveFrom, sourceKind, vatBasis } = inForce;
  return {
    ...found,
    priceEffectiveFrom: effectiveFrom,
    priceSource: sourceKind,
    priceVatBasis: vatBasis,
  };
}

const WISH = {
  model: optional(text('The model to price with instead of the recommended ones.', { max: 120 })),
  day: optional(day('The day whose price rows are used, also one to come; today if left out.')),
} as const;

builder.queryField('batchTemplates', (t) =>
  t.field({
    type: [outputOf(TEMPLATE)],
    description:
      'The templates of batch work with what rows cost one by one and packed, and from how many ' +
      'rows packing pays. The gateway has no queue of its own: packed requests are ordinary ones.',
    complexity: { field: 1, multiplier: 1 },
    args: argsOf(t, WISH),
    resolve: (_root, { model, day: on }, ctx) =>
      pricedTemplates(ctx, { model: model ?? undefined, day: on ?? undefined }),
  }),
);
