import {
  code,
  day,
  fieldTable,
  list,
  money,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';
import type { Deployment } from './model.js';
import {
  CACHED_ANSWER_BASIS_POINTS,
  type PriceRow,
  unpricedDimensions,
  usageWorth,
} from './price.js';
import type { PricedPart } from './price-ahead.rules.js';
import { USAGE_DIMENSIONS, type UsageDimension } from './vocabulary.js';

const ROW = fieldTable(
  'PriceRowAhead',
  'A price row that a figure for days to come was computed from.',
  {
    deployment: text('The deployment: its provider, a colon, its public model.'),
    effectiveFrom: day('The first day of the row, which names it among those of the deployment.'),
    fromDay: day('The first day that it was used for.'),
    untilDay: day('The last day that it was used for.'),
    changeMicro: optional(
      money(
        'What it changes of the figure: against the recorded prices where the figure comes from ' +
          'recorded usage, else against the row in force when the time begins; null where the ' +
          'row has no price for what is used.',
      ),
    ),
    repricedMicro: optional(
      money(
        'The part of that change which comes from the row in force when the time begins: 0 ' +
          'unless the usage was recorded at other prices; null in figures of before, and without ' +
          'a price.',
      ),
    ),
    unpriced: optional(
      list(
        code(USAGE_DIMENSIONS, 'A dimension of usage.'),
        'What is used and has no price in the row; null in figures of before.',
      ),
    ),
  },
);

/** The rows that a figure for days to come was computed from, each for its days. */
export const PRICE_ROWS = list(
  object(ROW, 'A row with its days.'),
  'The price rows of the days to come, each for the days that it is in force; empty where the ' +
    'figure comes from no price row.',
);

/**
 * Usage of one deployment, summed over requests. Tokens are in ten-thousandths of those that are
 * billed at the list price: an answer from the cache has its share of them.
 */
export interface DeploymentUsage {
  /** `<provider id>:<public model id>`. */
  readonly deployment: string;
  readonly requests: bigint;
  /** What the requests cost at the price rows of their days, each rounded to a micro-ruble. */
  readonly costMicro: bigint;
  /** What was charged for them. */
  readonly amountMicro: bigint;
  readonly inputUncached: bigint;
  readonly inputCached: bigint;
  readonly cacheWrite: bigint;
  readonly outputText: bigint;
  readonly outputReasoning: bigint;
}

const WHOLE = 10_000n;

/** The sum of a column of tokens, in ten-thousandths of those at the list price. */
function tokensSql(column: string, name: string): string {
  const share = `CASE WHEN metadata ->> 'gw_cache' = 'hit' THEN ${CACHED_ANSWER_BASIS_POINTS}
    ELSE ${WHOLE} END`;
  return `sum(${column}::bigint * ${share})::bigint AS "${name}"`;
}

/**
 * Columns of a statement over usage rows that gives `DeploymentUsage` but for its amount, grouped
 * by the first.
 */
export const BY_DEPLOYMENT_SQL = [
  `provider || ':' || model AS deployment`,
  'count(*)::bigint AS requests',
  'sum(cost_micro)::bigint AS "costMicro"',
  tokensSql('input_uncached', 'inputUncached'),
  tokensSql('input_cached', 'inputCached'),
  tokensSql('cache_write', 'cacheWrite'),
  tokensSql('output_text', 'outputText'),
  tokensSql('output_reasoning', 'outputReasoning'),
].join(', ');

/** How recorded usage stands for usage to come: `times` of it, divided by `by`. */
export interface Scale {
  readonly times: bigint;
  readonly by: bigint;
}

const TOKENS_PER_PRICE = 1_000_000n;

/**
 * Recorded usage as parts that follow the price rows of their deployments, from the prices that it
 * was recorded at. An amount without tokens follows no row. The amount may be net of VAT at a rate.
 */
export function recordedParts(
  used: readonly DeploymentUsage[],
  deployments: ReadonlyMap<string, Deployment>,
  { times, by }: Scale,
  vatRateBasisPoints?: number,
): PricedPart[] {
  const unit = TOKENS_PER_PRICE * WHOLE;
  return used.map((each) => {
    const tokens = tokensOf(each);
    const hasTokens = Object.values(tokens).some((count) => count > 0n);
    return {
      deployment: each.deployment,
      rows: hasTokens ? (deployments.get(each.deployment)?.prices ?? []) : [],
      weight: each.amountMicro > 0n ? each.amountMicro : 0n,
      ...worthOf(tokens, { times, by: by * WHOLE }),
      recorded: {
        worth: each.costMicro * unit * times,
        // Half a micro-ruble for the request, and less than that for the share of a cached answer.
        rounding: each.requests * unit * times,
      },
      ...(vatRateBasisPoints !== undefined && { vatRateBasisPoints }),
    };
  });
}

/** What tokens are worth at a row, scaled. */
export function worthOf(
  tokens: Readonly<Record<UsageDimension, bigint | number>>,
  { times, by }: Scale,
): Pick<PricedPart, 'worthAt' | 'unpricedAt' | 'unit'> {
  return {
    worthAt: (row: PriceRow) => {
      const worth = usageWorth(tokens, row);
      return worth === undefined ? undefined : worth * times;
    },
    unpricedAt: (row: PriceRow) => unpricedDimensions(tokens, row),
    unit: TOKENS_PER_PRICE * by,
  };
}

function tokensOf(used: DeploymentUsage): Readonly<Record<UsageDimension, bigint>> {
  return {
    input_uncached: used.inputUncached,
    input_cached: used.inputCached,
    cache_write: used.cacheWrite,
    output_text: used.outputText,
    output_reasoning: used.outputReasoning,
  };
}
