/** What a list of money rows may be narrowed by; the same for REST and GraphQL. */
export interface TrafficFilter {
  /** Included. */
  readonly from?: Date | null;
  /** Not included. */
  readonly to?: Date | null;
  readonly requestId?: string | null;
  readonly keyId?: string | null;
  readonly model?: string | null;
  readonly feature?: string | null;
  readonly clientId?: string | null;
}

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

  /** The conditions joined by AND. */
  get text(): string {
    return this.parts.join(' AND ');
  }
}

/** Adds what only usage rows know, on the alias `u`. */
export function addTraffic(where: Conditions, filter: TrafficFilter): Conditions {
  return where
    .add('u.key_id = ?', filter.keyId)
    .add('u.model = ?', filter.model)
    .add('u.feature = ?', filter.feature)
    .add('u.client_id = ?', filter.clientId);
}
