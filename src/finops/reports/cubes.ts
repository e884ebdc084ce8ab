import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import { ERRED_SQL } from '../../money/ledger/erred-usage.js';
import { DIMENSIONS, type Dimension, type Grain } from './vocabulary.js';

/** Sums by some dimensions together, and the units of time that they are kept by. */
export interface Cube {
  readonly name: string;
  readonly dimensions: readonly Dimension[];
  /** Finest first: it is written with each batch, and the others are made of it. */
  readonly grains: readonly [Grain, ...Grain[]];
  /** Whether distributions are kept beside the sums. */
  readonly hasSketches: boolean;
}

const EVERY_CUBE: readonly Dimension[] = ['simulated', 'origin'];

function single(name: string, ...dimensions: Dimension[]): Cube {
  const grains = ['hour', 'day', 'week', 'month'] as const;
  return { name, dimensions: [...dimensions, ...EVERY_CUBE], grains, hasSketches: true };
}

function pair(name: string, ...dimensions: Dimension[]): Cube {
  const grains = ['day', 'week', 'month'] as const;
  return { name, dimensions: [...dimensions, ...EVERY_CUBE], grains, hasSketches: false };
}

/**
 * The sums that are kept, smallest first. One cube of all dimensions would have a cell for almost
 * every request; what none of these answers is read from the rows. Names are never changed.
 */
export const CUBES: readonly Cube[] = [
  single('total', 'operation'),
  single('route', 'route', 'provider', 'model', 'operation'),
  single('project', 'project', 'environment'),
  single('key', 'key'),
  single('feature', 'feature'),
  single('prompt', 'prompt_version'),
  single('client', 'client'),
  pair('key_model', 'key', 'provider', 'model'),
  pair('project_feature', 'project', 'environment', 'feature'),
  pair('feature_model', 'feature', 'provider', 'model'),
  pair('prompt_model', 'prompt_version', 'provider', 'model'),
  pair('client_model', 'client', 'provider', 'model'),
  pair('feature_client', 'feature', 'client'),
];

/** The cube that holds what refunds take from the sums of a cube: cells of the same table. */
export function refundsOf({ name }: Cube): string {
  return `refunds_${name}`;
}

/** The column of a dimension in the sums. */
export function columnOf(dimension: Dimension): string {
  return DIMENSIONS.find(dimension)?.column ?? dimension;
}

/** What a dimension is in a usage row, where it is not the column of the same name. */
const ROW_SQL: Partial<Record<Dimension, string>> = {
  prompt_version: `metadata -> 'gw_prompt' ->> 'prompt_key' || '@' ||
    (metadata -> 'gw_prompt' ->> 'version')`,
  origin: `metadata ->> '${ORIGIN_MEMBER}'`,
};

/** The expression of a dimension over usage rows. */
export function dimensionSql(dimension: Dimension): string {
  return ROW_SQL[dimension] ?? columnOf(dimension);
}

/** A provider was asked, and answered: what a cache keeps is left out. */
const ANSWERED_SQL = "attempts > 0 AND status <> 'failed'";

/** The sums of a cell: the column, and what a usage row adds to it. */
export const SUMS = {
  requests: '1',
  complete: "(status = 'complete')::int",
  partial: "(status = 'partial')::int",
  failed: "(status = 'failed')::int",
  refused: "coalesce(finish_reason = 'content_filter', false)::int",
  cached: "coalesce(metadata ->> 'gw_cache' = 'hit', false)::int",
  input_uncached: 'input_uncached',
  input_cached: 'input_cached',
  cache_write: 'cache_write',
  output_text: 'output_text',
  output_reasoning: 'output_reasoning',
  cost_micro: 'cost_micro',
  amount_micro: 'amount_micro',
  vat_micro: 'vat_micro',
  attempts: 'attempts',
  latency_ms: "CASE WHEN status = 'failed' THEN 0 ELSE latency_ms END",
  overhead_us: 'overhead_us',
  asked: '(attempts > 0)::int',
  answered: `(${ANSWERED_SQL})::int`,
  answered_latency_ms: `CASE WHEN ${ANSWERED_SQL} THEN latency_ms ELSE 0 END`,
  erred: `(${ERRED_SQL})::int`,
} as const;

/** A sum that is kept. */
type KeptSum = keyof typeof SUMS;

/** Every sum that is kept, in the order of the columns. */
export const SUM_NAMES = Object.keys(SUMS) as readonly KeptSum[];

/** A sum of usage and refunds; amounts and tax are less what was refunded. */
export type Sum = KeptSum | 'refunded_micro';

/** Every sum that is read. */
export const READ_SUMS: readonly Sum[] = [...SUM_NAMES, 'refunded_micro'];

/**
 * What a refund adds to the sums of what its charged request is; to all others nothing. It counts
 * when it is posted, as in the close of a month and the export by FOCUS.
 */
export const REFUND_SUMS: Readonly<Partial<Record<Sum, string>>> = {
  amount_micro: '-amount_micro',
  vat_micro: '-vat_micro',
  refunded_micro: 'amount_micro',
};

/** The distributions of answered requests: the column, and what a usage row adds to it. */
export const SKETCHES = {
  latency_sketch: 'latency_ms',
  first_token_sketch: 'time_to_first_token_ms',
  input_sketch: 'input_uncached + input_cached + cache_write',
  output_sketch: 'output_text + output_reasoning',
} as const;

/** A distribution of usage. */
export type Sketch = keyof typeof SKETCHES;

/** Every distribution, in the order of the columns. */
export const SKETCH_NAMES = Object.keys(SKETCHES) as readonly Sketch[];
