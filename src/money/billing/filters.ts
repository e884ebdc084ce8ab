import {
  type AmountFilter,
  acceptedValues,
  type TimeFilter,
  type ValueFilter,
} from '../../graph/filters.js';

/** What a list of money rows may be narrowed by; the same for REST and GraphQL. */
export interface TrafficFilter {
  readonly createdAt?: TimeFilter | null;
  readonly amountRub?: AmountFilter | null;
  readonly requestId?: ValueFilter | null;
  readonly keyId?: ValueFilter | null;
  readonly model?: ValueFilter | null;
  readonly feature?: ValueFilter | null;
  readonly clientId?: ValueFilter | null;
}

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

  /** Adds the values that a column may have. */
  among<T>(column: string, filter: ValueFilter<T> | null | undefined): this {
    return this.add(`${column} = ANY(?)`, acceptedValues(filter));
  }

  /** Adds the bounds of a column. */
  within(column: string, filter: TimeFilter | AmountFilter | null | undefined): this {
    for (const [bound, value] of Object.entries(filter ?? {})) {
      this.add(`${column} ${BOUNDS[bound as keyof typeof BOUNDS]} ?`, value);
    }
    return this;
  }

  /** The conditions joined by AND. */
  get text(): string {
    return this.parts.join(' AND ');
  }
}

/** Adds what only usage rows know, on the alias `u`. */
export function addTraffic(where: Conditions, filter: TrafficFilter): Conditions {
  return where
    .among('u.key_id', filter.keyId)
    .among('u.model', filter.model)
    .among('u.feature', filter.feature)
    .among('u.client_id', filter.clientId);
}
