/** A metric as a scraper reads it. */
export interface ParsedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: { readonly name: string; readonly labels: object; readonly value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"';
const VALUE = '[+-]?(?:\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|Inf)|NaN';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)?\\})? (${VALUE})$`);

/**
 * Reads the Prometheus text format 0.0.4 by its grammar, and refuses what the format does not
 * allow: a sample before its TYPE, one metric in two places, the same series twice, and histograms
 * whose buckets fall or lack `+Inf`.
 * @throws Error that names the line
 */
export function parseExposition(text: string): ParsedMetric[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  const metrics = new Map<string, ParsedMetric>();
  const series = new Set<string>();
  let current: ParsedMetric | undefined;
  const helps = new Map<string, string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) (.*)$`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`).exec(
      line,
    );
    if (help) {
      helps.set(help[1] ?? '', unescaped(help[2] ?? ''));
    } else if (type) {
      const [, name = '', kind = ''] = type;
      if (metrics.has(name)) throw new Error(`${name} stands in two places`);
      current = { name, help: helps.get(name) ?? '', type: kind, samples: [] };
      metrics.set(name, current);
    } else {
      addSample(line, current, series);
    }
  }
  for (const metric of metrics.values()) if (metric.type === 'histogram') checkHistogram(metric);
  return [...metrics.values()];
}

function addSample(line: string, current: ParsedMetric | undefined, series: Set<string>): void {
  const sample = SAMPLE.exec(line);
  if (!sample || !current) throw new Error(`no sample: ${line}`);
  const name = sample[1] ?? '';
  const rest = name.startsWith(current.name) ? name.slice(current.name.length) : 'another';
  const suffixes = current.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (!suffixes.includes(rest)) throw new Error(`${name} stands below ${current.name}`);
  const pairs = [...(sample[2] ?? '').matchAll(new RegExp(LABEL, 'g'))];
  const labels = Object.fromEntries(
    pairs.map(([, key = '', value = '']) => [key, unescaped(value)]),
  );
  if (Object.keys(labels).length !== pairs.length) throw new Error(`a label twice: ${line}`);
  const key = `${name}${JSON.stringify(Object.entries(labels).sort())}`;
  if (series.has(key)) throw new Error(`a series twice: ${line}`);
  series.add(key);
  current.samples.push({ name, labels, value: Number(line.slice(line.lastIndexOf(' ') + 1)) });
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each));
}

function checkHistogram({ name, samples }: ParsedMetric): void {
  const last = new Map<string, { le: number; value: number }>();
  for (const { name: full, labels, value } of samples) {
    const { le, ...others } = labels as Record<string, string>;
    const key = JSON.stringify(others);
    const before = last.get(key);
    if (full === `${name}_bucket`) {
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
      if (before && (bound <= before.le || value < before.value)) throw new Error(`${name} falls`);
      last.set(key, { le: bound, value });
    }
    if (
      full === `${name}_count` &&
      (before?.le !== Number.POSITIVE_INFINITY || before.value !== value)
    ) {
      throw new Error(`the count of ${name} is not its last bucket`);
    }
  }
}
