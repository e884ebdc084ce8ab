import { expect, it } from 'vitest';
import { exposition } from '../../src/platform/exposition.rules.js';
import { joinedExposition } from '../../src/platform/joined-exposition.rules.js';

const text = (value: number, more: readonly string[] = []) =>
  exposition([
    { name: 'a_total', help: 'Of {all} kinds.', type: 'counter', samples: [{ labels: {}, value }] },
    {
      name: 'b_seconds',
      help: 'How long.',
      type: 'histogram',
      samples: [
        { suffix: '_bucket', labels: { le: '+Inf', what: 'a "b" {c}' }, value },
        { suffix: '_count', labels: {}, value },
      ],
    },
    ...more.map((name) => ({ name, help: 'One.', type: 'gauge' as const, samples: [] })),
  ]);

it('expositions of several processes are one, each sample under the name of its process', () => {
  const parts = [
    { worker: 'primary', text: text(1) },
    { worker: '2', text: `${text(2, ['c'])}\n# HELP d\n# TYPE d gauge\nd NaN\n` },
  ];
  expect(joinedExposition(parts)).toBe(`# HELP a_total Of {all} kinds.
# TYPE a_total counter
a_total{worker="primary"} 1
a_total{worker="2"} 2
# HELP b_seconds How long.
# TYPE b_seconds histogram
b_seconds_bucket{worker="primary",le="+Inf",what="a \\"b\\" {c}"} 1
b_seconds_count{worker="primary"} 1
b_seconds_bucket{worker="2",le="+Inf",what="a \\"b\\" {c}"} 2
b_seconds_count{worker="2"} 2
# HELP c One.
# TYPE c gauge
# HELP d
# TYPE d gauge
d{worker="2"} NaN
`);
});
