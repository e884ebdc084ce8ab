/**
 * What a server was answered, for documents: every value that differs from run to run, or is a
 * secret, becomes a sample of its kind. Within one answer the same value has the same sample, and
 * times keep their order.
 */
export function withSamples(body: unknown, address: string): unknown {
  const samples = new Samples(address, textsOf(body));
  return samples.of(body);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const DAY = /\b20\d\d-\d\d-\d\d\b/g;
const HASH = /\b[0-9a-f]{64}\b/g;
const SECRET = /\b(gw_(?:sk|ag|sv|et|inv|rt)\w*?_|whsec_)[\w+/=-]{12,}/g;
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

const FIRST_TIME_MS = Date.UTC(2026, 0, 15, 9);
const MINUTE_MS = 60_000;
const ITEMS_MAX = 2;
const TEXT_LENGTH_MAX = 600;

class Samples {
  private readonly times: ReadonlyMap<string, string>;
  private readonly counts = new Map<string, Map<string, number>>();

  constructor(
    private readonly address: string,
    texts: readonly string[],
  ) {
    const times = [...new Set(texts.flatMap((text) => text.match(TIME) ?? []))].sort();
    this.times = new Map(
      times.map((time, index) => [time, new Date(FIRST_TIME_MS + index * MINUTE_MS).toISOString()]),
    );
  }

  of(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value).slice(0, TEXT_LENGTH_MAX);
    if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => this.of(item));
    if (typeof value !== 'object' || value === null) return value;
    // Inside of an example tools take a reference for one of the description.
    const members = Object.entries(value).filter(([key]) => key !== '$ref');
    return Object.fromEntries(members.map(([key, member]) => [this.text(key), this.of(member)]));
  }

  private text(text: string): string {
    return text
      .replaceAll(this.address, '{gw_address}')
      .replace(TIME, (time) => this.times.get(time) ?? time)
      .replace(UUID, (id) => `01977c2a-5b1e-7010-8000-${this.number('id', id)}`)
      .replace(HASH, (hash) => this.number('hash', hash).padStart(64, '5f'))
      .replace(JWT, 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJzYW1wbGUifQ.c2FtcGxl')
      .replace(SECRET, (_, start: string) => `${start}sample`)
      .replace(DAY, (day) => (day.startsWith('2026-01-15') ? day : '2026-01-15'));
  }

  /** Twelve hexadecimal digits that number the values of a kind in the order of their coming. */
  private number(kind: string, value: string): string {
    const known = this.counts.get(kind) ?? new Map<string, number>();
    this.counts.set(kind, known);
    const number = known.get(value) ?? known.size + 1;
    known.set(value, number);
    return number.toString(16).padStart(12, '0');
  }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/**
 * Whether two values are built alike: the same members with values of the same kinds. Null and an
 * empty list are alike to all, since what is not there yet depends on the run, and so are payloads
 * of events, since it does which of them comes first.
 */
export function isBuiltAlike(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === 0 || other.length === 0 || isBuiltAlike(one[0], other[0]);
  }
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const members = Object.entries(one as Record<string, unknown>);
  const others = other as Record<string, unknown>;
  return (
    members.length === Object.keys(others).length &&
    members.every(
      ([key, value]) => key in others && (key === 'payload' || isBuiltAlike(value, others[key])),
    )
  );
}
