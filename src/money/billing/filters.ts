import {
  acceptedValues,
  type BoundsFilter,
  boundsWhere,
  filterOf,
  type ValueFilter,
} from '../../graph/filters.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import { code, fieldTable, instant, money, text, uuid } from '../../kernel/fields/field.js';
import { LEDGER_TYPES, USAGE_STATUSES } from './vocabulary.js';

/** By what requests are told apart, in the ledger and in usage. */
const TRAFFIC = {
  keyId: uuid('The key that the request was made with.'),
  model: text('The model that answered the request.'),
  feature: text('`metadata.feature` of the request.'),
  clientId: text('`metadata.client_id` of the request.'),
};

/** What the ledger may be narrowed by. */
export const LEDGER_FILTER = filterOf(
  fieldTable(
    'LedgerFilter',
    'Which entries of the ledger to list: those that meet all conditions.',
    {
      createdAt: instant('When the entry was written.'),
      type: code(LEDGER_TYPES, 'The kind of operation.'),
      amountMicro: money('The amount, VAT included.'),
      requestId: uuid('The request that the entry belongs to.'),
      ...TRAFFIC,
    },
  ),
);

/** What usage may be narrowed by. */
export const USAGE_FILTER = filterOf(
  fieldTable('UsageFilter', 'Which requests to list: those that meet all conditions.', {
    createdAt: instant('When the request was settled.'),
    status: code(USAGE_STATUSES, 'How the request ended.'),
    amountMicro: money('What was charged, VAT included.'),
    requestId: uuid('The request itself.'),
    ...TRAFFIC,
  }),
);

/** The column of each condition, by its name in the filter. */
export type FilterColumns = Readonly<Record<string, string>>;

const BOUNDS = { gte: '>=', lt: '<', lte: '<=' } as const;

/** Conditions of a statement with their values, numbered as they are added. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[] = [];

  /** Adds `text` with `?` standing for the value, unless the value is absent. */
  add(text: string, value: unknown): this {
    if (value === undefined || value === null) return this;
    this.values.push(value);
    this.parts.push(text.replace('?', `$${this.values.length}`));
    return this;
  }

  /** Adds what a filter states: values that a column may have, and bounds of it. */
  addStated(columns: FilterColumns, filter: GivenValues): this {
    for (const [name, column] of Object.entries(columns)) {
      const stated = (filter[name] ?? {}) as ValueFilter<unknown> & BoundsFilter;
      this.add(`${column} = ANY(?)`, acceptedValues(stated));
      const bounds: Readonly<Record<string, unknown>> = { ...boundsWhere(stated) };
      for (const [bound, sign] of Object.entries(BOUNDS)) {
        this.add(`${column} ${sign} ?`, bounds[bound]);
      }
    }
    return this;
  }

  /** The conditions joined by AND. */
  get text(): string {
    return this.parts.join(' AND ');
  }
}
