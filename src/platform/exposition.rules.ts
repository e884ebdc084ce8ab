/** A sample of a metric: its labels and its value, which may be an exact decimal text. */
export interface Sample {
  /** Follows the name of the metric: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string | number | bigint;
}

/** A metric with all its samples. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/**
 * Metrics in the Prometheus text exposition format 0.0.4. Backslash and line feed are escaped in
 * help texts, and the quotation mark besides in values of labels.
 */
export function exposition(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${escaped(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${shown(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function shown(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
