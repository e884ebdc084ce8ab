import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelMetrics } from '../../src/inference/model-metrics.js';
import { formatRub } from '../../src/kernel/money.js';
import { newWitness } from '../assurance/transparency/witness.js';
import { laneOf } from '../catalog/fleet/world.js';
import { parseExposition } from '../finops/observability/exposition-parser.js';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { alerts, dashboard } from '../support/operator-views.js';
import { groupedLabels, selectorsOf } from '../support/promql.js';
import { type ProvidedApp, startProvided } from '../support/provided-app.js';

const USAGE = { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 };
const MARK = 'marker-of-a-customer';

let app: ProvidedApp;
/** It is never called: no log is published here. */
const WITNESS = newWitness('witness.example/asked');
let customer: Customer;
let poor: Customer;
let text: string;

beforeAll(async () => {
  app = await startProvided(
    (origin) => [
      laneOf('spare', origin, { id: 'spare/chat' }),
      laneOf('main', origin, { id: 'main/chat', fallbacks: ['spare/chat'] }),
    ],
    { GW_SANDBOX: 'off', GW_LOG_WITNESSES: `${WITNESS.key}@https://witness.example/asked` },
  );
  for (const lane of ['main', 'spare']) app.double.script(lane, { usage: USAGE });
  [customer, poor] = [await newCustomer(app, 1_000), await newCustomer(app)];
  const input = { alias: `${MARK}-alias`, target: 'main/chat' };
  await rest(app, 'POST', '/v1/gw/model-aliases', { credential: customer.token, body: input });
  const statuses = [
    await ask(customer, 'main/chat'),
    await ask(customer, 'main/chat', { stream: true }),
    await ask(customer, `${MARK}-alias`),
    await ask(customer, `${MARK}-unknown-1`),
    await ask(customer, `${MARK}-unknown-2`),
    await ask(poor, 'main/chat'),
    await ask(poor, `${MARK}-alias`),
  ];
  app.double.script('main', { status: 400, message: MARK });
  statuses.push(await ask(customer, 'main/chat'));
  app.double.script('main', { status: 401 });
  statuses.push(await ask(customer, 'main/chat'));
  expect(statuses).toEqual([200, 200, 200, 404, 404, 402, 404, 400, 200]);
  await graphql(app, '{ apiKeys(first: 1) { nodes { id } } }');
  text = (await rest<string>(app, 'GET', '/metrics')).body;
});
afterAll(() => app?.stop());

async function ask({ key }: Customer, model: string, more: object = {}): Promise<number> {
  const body = { model, messages: [{ role: 'user', content: MARK }], max_tokens: 20, ...more };
  return (await rest(app, 'POST', '/v1/chat/completions', { credential: key, body })).status;
}

/** The lines of a metric that are not 0, without its name. */
function linesOf(name: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.filter((line) => !line.endsWith(' 0')).map((line) => line.slice(name.length));
}

const main = 'provider="main",model="main/chat"';
const spare = 'provider="spare",model="spare/chat"';

describe('the metrics of models', () => {
  it('count each request once, under the deployment that answered and how it ended', () => {
    expect(linesOf('gw_model_requests_total').sort()).toEqual([
      `{${main},outcome="complete"} 3`,
      `{${main},outcome="failed"} 1`,
      '{provider="none",model="main/chat",outcome="refused"} 1',
      // Names that a customer made up, and those of its aliases where they stand for nothing.
      '{provider="none",model="other",outcome="refused"} 3',
      `{${spare},outcome="complete"} 1`,
    ]);
    expect(linesOf('gw_model_tokens_total').sort()).toEqual([
      `{${main},direction="input"} 21`,
      `{${main},direction="output"} 33`,
      `{${spare},direction="input"} 7`,
      `{${spare},direction="output"} 11`,
    ]);
  });

  it('sum the rubles to the micro-ruble that the ledger has taken', async () => {
    const { rows } = await app.owner.pool.query<{ provider: string; micro: string }>(
      `SELECT provider, sum(amount_micro)::text AS micro FROM usage_event
       WHERE amount_micro > 0 GROUP BY provider ORDER BY provider`,
    );
    expect(rows).toHaveLength(2);
    expect(linesOf('gw_model_charged_rubles_total').sort()).toEqual(
      rows.map(({ provider, micro }) => {
        const labels = provider === 'main' ? main : spare;
        return `{${labels}} ${formatRub(BigInt(micro))}`;
      }),
    );
  });

  it('tell how providers answered, and from whom requests went on to others', () => {
    expect(linesOf('gw_upstream_attempts_total').sort()).toEqual([
      `{${main},error="credentials_refused"} 1`,
      `{${main},error="none"} 3`,
      `{${main},error="rejected"} 1`,
      `{${spare},error="none"} 1`,
    ]);
    expect(linesOf('gw_upstream_fallbacks_total')).toEqual([
      `{${main},error="credentials_refused"} 1`,
    ]);
    expect(linesOf('gw_upstream_breaker_state').sort()).toEqual([
      `{${main},state="closed"} 1`,
      `{${spare},state="closed"} 1`,
    ]);
  });

  it('hold times in histograms, a first token for each stream alone', () => {
    const counts = (name: string) =>
      linesOf(`${name}_count`)
        .map((line) => line.slice(1))
        .sort();
    expect(counts('gw_model_first_token_seconds')).toEqual([`${main}} 1`]);
    expect(counts('gw_model_upstream_seconds')).toEqual([`${main}} 3`, `${spare}} 1`]);
    expect(text).toContain('\ngw_model_overhead_seconds_count 4\n');
  });

  it('count errors by their code, over REST and GraphQL', () => {
    expect(linesOf('gw_http_errors_total').sort()).toEqual([
      '{code="insufficient_balance"} 1',
      '{code="missing_credential"} 1',
      '{code="model_not_found"} 3',
      '{code="upstream_rejected"} 1',
    ]);
    expect(text).toContain('\ngw_http_errors_total{code="overloaded"} 0\n');
  });

  it('never hold a word of a customer', () => {
    const { tenantId, projectId, keyId } = customer;
    for (const word of [MARK, tenantId, projectId, keyId]) expect(text).not.toContain(word);
    expect(() => parsed(text)).not.toThrow();
  });
});

it('no more pairs than a thousand have series, whatever a registry goes through', () => {
  const models = new Map();
  const metrics = new ModelMetrics({ models, aliases: new Map() });
  for (let index = 0; index < 3_000; index += 1) {
    models.set(`model-${index}`, {});
    metrics.ended('provider', `model-${index}`, 'failed');
    models.delete(`model-${index}`);
  }
  const [requests] = metrics.metrics();
  const failed = requests?.samples.filter(({ labels }) => labels.outcome === 'failed') ?? [];
  expect(failed).toHaveLength(1_001);
  expect(failed.at(-1)).toEqual({
    labels: { provider: 'other', model: 'other', outcome: 'failed' },
    value: 2_000,
  });
});

/** Labels that Prometheus puts on whatever it scrapes. */
const SCRAPED = ['instance', 'job'];

/** Shown by a primary only: `workers-killed` and `workers-hung` of test/faults see them. */
const OF_PRIMARY = ['gw_workers_ended_total', 'gw_workers_killed_total'];

describe('the dashboard and the alerts of deploy/', () => {
  const drawn = dashboard().drawn.map(({ title, expr }) => [title, expr] as const);
  const alerting = alerts().map(({ alert, expr }) => [alert, expr] as const);

  it.each([...drawn, ...alerting])('%s reads what a gateway with traffic shows', (_title, expr) => {
    const shown = seriesOf(text);
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const labels = selectors.flatMap(({ metric, matchers }) => {
      if (metric === 'up' || OF_PRIMARY.includes(metric)) return SCRAPED;
      const series = shown.get(metric);
      expect(series?.length, metric).toBeGreaterThan(0);
      for (const [label, operator, value] of matchers) {
        if (SCRAPED.includes(label)) continue;
        const values = (series ?? []).map((each) => each[label]);
        expect(
          values.every((each) => each !== undefined),
          `${metric} ${label}`,
        ).toBe(true);
        const asked = operator === '=~' ? value.split('|') : [value];
        const own = asked.filter((each) => !each.startsWith('$'));
        expect(
          own.filter((each) => !values.includes(each)),
          `${metric} ${label}`,
        ).toEqual([]);
      }
      return [...SCRAPED, ...Object.keys(series?.[0] ?? {})];
    });
    expect(groupedLabels(expr).filter((label) => !labels.includes(label))).toEqual([]);
  });

  it('names each series by labels that it has', () => {
    for (const { title, expr, legendFormat } of dashboard().drawn) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      const grouped = groupedLabels(expr);
      const kept = grouped.length > 0 ? grouped : ['instance'];
      expect(
        named.filter((label) => !kept.includes(label ?? '')),
        title,
      ).toEqual([]);
    }
  });

  it('fill their choices from metrics and labels that are there', () => {
    const shown = seriesOf(text);
    const { choices } = dashboard();
    expect(choices.map(({ name }) => name)).toEqual([
      'datasource',
      'instance',
      'provider',
      'model',
    ]);
    for (const { definition = '' } of choices.slice(1)) {
      const [, metric = '', label = ''] =
        /^label_values\((\w+)(?:\{.*\})?, (\w+)\)$/.exec(definition) ?? [];
      expect([...SCRAPED, ...Object.keys(shown.get(metric)?.[0] ?? {})]).toContain(label);
    }
  });
});

/** The labels of every series, by the name of its samples. */
function seriesOf(exposition: string) {
  const found = new Map<string, Record<string, string>[]>();
  for (const { samples } of parsed(exposition)) {
    for (const { name, labels } of samples) {
      found.set(name, [...(found.get(name) ?? []), labels as Record<string, string>]);
    }
  }
  return found;
}

/** As Prometheus reads it, which takes empty lines, and what is not a number in any letters. */
function parsed(exposition: string) {
  return parseExposition(exposition.replaceAll('\n\n', '\n').replaceAll(' Nan\n', ' NaN\n'));
}
