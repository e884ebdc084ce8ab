import { builder } from '../../graph/builder.js';
import type { Ctx } from '../../graph/ctx.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
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
import { nearestNames } from '../../kernel/near-names.js';
import { moscowDay } from '../../kernel/time.js';
import { priceOn } from '../providers/price.js';
import { SOURCE_KINDS } from '../providers/vocabulary.js';
import { BATCH_FORMULA, batchPrice } from './price.rules.js';
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
    paysFromRows: optional(integer('The rows from which packing costs less; null for never.')),
    priceEffectiveFrom: optional(day('Since when the price is in force; null without a price.')),
    priceSource: optional(code(SOURCE_KINDS, 'Who stated the price; null without a price.')),
    formula: text('How the figures follow.'),
  },
);

const NO_PRICE = {
  verdict: 'cannot_price',
  syncMicroPerThousand: null,
  asyncMicroPerThousand: null,
  checkMicro: null,
  paysFromRows: null,
  priceEffectiveFrom: null,
  priceSource: null,
} as const;

/** Every template, priced by the list price of today of its own model or of one that is named. */
function pricedTemplates({ services }: Ctx, model: string | undefined) {
  const models = services.registry.providers.flatMap((provider) => provider.models);
  const rowsOf = new Map(models.map(({ id, prices }) => [id, prices]));
  if (model !== undefined && !rowsOf.has(model)) {
    const near = nearestNames(model, [...rowsOf.keys()]);
    const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
    const message = `model: no provider lists ${model.slice(0, 100)}${hint}`;
    failOnFaults([{ path: 'model', code: 'unknown_value', message }]);
  }
  const today = moscowDay(Date.now());
  return BATCH_TEMPLATES.map((template): ValuesOf<typeof TEMPLATE.fields> => {
    const name = model ?? template.model;
    const { model: _, ...facts } = template;
    const price = priced(template, rowsOf.get(name) ?? [], today);
    return { ...camelCased(facts), model: name, ...price, formula: BATCH_FORMULA };
  });
}

function priced(
  template: BatchTemplate,
  rows: Parameters<typeof priceOn>[0],
  today: string,
): Pick<ValuesOf<typeof TEMPLATE.fields>, keyof typeof NO_PRICE> {
  const inForce = priceOn(rows, today);
  const found = inForce && batchPrice(template, inForce);
  if (!found) return NO_PRICE;
  const { effectiveFrom, sourceKind } = inForce;
  return { ...found, priceEffectiveFrom: effectiveFrom, priceSource: sourceKind };
}

const WISH = {
  model: optional(text('The model to price with instead of the recommended ones.', { max: 120 })),
} as const;

builder.queryField('batchTemplates', (t) =>
  t.field({
    type: [outputOf(TEMPLATE)],
    description:
      'The templates of batch work with what rows cost one by one and packed, and from how many ' +
      'rows packing pays. The gateway has no queue of its own: packed requests are ordinary ones.',
    complexity: { field: 1, multiplier: 1 },
    args: argsOf(t, WISH),
    resolve: (_root, { model }, ctx) => pricedTemplates(ctx, model ?? undefined),
  }),
);
