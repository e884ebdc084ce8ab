/** What Prometheus asks of names in an exposition; a fault is told as `promtool` tells it. */
export function namingFaults(text: string): readonly string[] {
  return declarations(text).flatMap(({ name, type, help }) =>
    RULES.filter(({ isBroken }) => isBroken({ name, type, help })).map(
      ({ fault }) => `${name} ${fault}`,
    ),
  );
}

interface Declaration {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** https://prometheus.io/docs/practices/naming/ and the linter of `promtool check metrics`. */
const RULES: readonly {
  readonly fault: string;
  readonly isBroken: (one: Declaration) => boolean;
}[] = [
  { fault: 'has no help text', isBroken: ({ help }) => help === '' },
  {
    fault: 'is a counter without the ending "_total"',
    isBroken: ({ name, type }) => type === 'counter' && !name.endsWith('_total'),
  },
  {
    fault: 'is no counter and ends with "_total"',
    isBroken: ({ name, type }) => type !== 'counter' && name.endsWith('_total'),
  },
  {
    fault: 'ends with a part of a histogram or summary',
    isBroken: ({ name }) => /_(count|sum|bucket)$/.test(name),
  },
  {
    fault: 'is not in a base unit',
    isBroken: ({ name }) =>
      /(^|_)((milli|micro|nano)seconds?|second|minutes?|hours?|days?)(_|$)/.test(name) ||
      /(^|_)((kilo|mega|giga)bytes?|byte|bits?)(_|$)/.test(name),
  },
  { fault: 'is in camelCase', isBroken: ({ name }) => /[a-z][A-Z]/.test(name) },
  { fault: 'holds a colon', isBroken: ({ name }) => name.includes(':') },
  {
    fault: 'holds the type of the metric',
    isBroken: ({ name, type }) => name.split('_').includes(type),
  },
];

function declarations(text: string): readonly Declaration[] {
  const helps = new Map(
    [...text.matchAll(/^# HELP (\S+) ?(.*)$/gm)].map(([, name = '', help = '']) => [name, help]),
  );
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
    help: helps.get(name) ?? '',
  }));
}
