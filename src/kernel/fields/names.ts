/** A camelCase name as the wire and sealed contents spell it: `p95LatencyMs` → `p95_latency_ms`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** The name of money in the code: `costMicro`, or `microPerMillion` for a price of so many. */
export const MONEY_NAME = /Micro|^micro(?=[A-Z])/;

/** The name of a field in GraphQL, where money is told in rubles: `costMicroMax` → `costRubMax`. */
export function shownName(name: string): string {
  return name.replace(MONEY_NAME, (unit) => (unit === 'Micro' ? 'Rub' : 'rub'));
}

/** The name of a field on the wire and in sealed contents: `costMicroMax` → `cost_rub_max`. */
export function wireName(name: string): string {
  return snakeCase(shownName(name));
}

/** What is spelt as on the wire, under the names of the code. */
export type CamelCased<T> = {
  readonly [name in keyof T as name extends string ? CamelCase<name> : never]: T[name];
};
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The same values under camelCase names: `base_url` → `baseUrl`. */
export function camelCased<T extends object>(values: T): CamelCased<T> {
  const entries = Object.entries(values).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries) as CamelCased<T>;
}
