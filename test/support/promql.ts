/** What an expression of PromQL asks of one metric. */
export interface Selector {
  readonly metric: string;
  /** Labels that it is chosen by, each with its operator and value. */
  readonly matchers: readonly (readonly [label: string, operator: string, value: string])[];
}

const KEYWORDS = /^(and|or|unless|by|on|without|ignoring|bool|offset|group_left|group_right)$/;
const GROUPING = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;

/** The metrics that an expression reads, as it writes them. */
export function selectorsOf(expression: string): readonly Selector[] {
  const plain = expression.replace(GROUPING, '').replace(/\[[^\]]*\]/g, '');
  const found = plain.matchAll(/\b([a-z_]\w*)\b(\s*\(|\s*\{([^}]*)\})?/gi);
  return [...found].flatMap(([, metric = '', after = '', matchers = '']) => {
    if (after.trim() === '(' || KEYWORDS.test(metric)) return [];
    const each = matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g);
    return [
      { metric, matchers: [...each].map(([, a = '', b = '', c = '']) => [a, b, c] as const) },
    ];
  });
}

/** The labels that an expression groups or joins by. */
export function groupedLabels(expression: string): readonly string[] {
  return [...expression.matchAll(GROUPING)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
}
