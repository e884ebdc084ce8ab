/** A camelCase name as the wire and sealed contents spell it: `p95LatencyMs` → `p95_latency_ms`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** The name of a field in GraphQL, where money is told in rubles: `costMicroMax` → `costRubMax`. */
export function shownName(name: string): string {
  return name.replace('Micro', 'Rub');
}

/** The name of a field on the wire and in sealed contents: `costMicroMax` → `cost_rub_max`. */
export function wireName(name: string): string {
  return snakeCase(shownName(name));
}
