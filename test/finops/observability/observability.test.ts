import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { namingFaults } from '../../support/metric-names.js';
import { type PlantedRow, plantUsage } from '../reports/usage-rows.js';
import { parseExposition } from './exposition-parser.js';

let app: TestApp;
let own: Customer;
let other: Customer;

const DAY_MS = 86_400_000;

beforeAll(async () => {
  app = await startApp();
  [own, other] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
});

afterAll(() => app.stop());

const get = (path: string, customer: Customer = own) =>
  rest(app, 'GET', path, { credential: customer.key });

const many = (count: number, make: (index: number) => Omit<PlantedRow, 'tenantId'>) =>
  Array.from({ length: count }, (_each, index) => ({ tenantId: own.tenantId, ...make(index) }));

const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

describe('without enough requests', () => {
  it('nothing is scored, compared or recommended, and it says what is needed', async () => {
    const summary = await get('/v1/gw/observability/summary', other);
    expect(summary.body).toMatchObject({
      verdict: 'cannot_score',
      score: null,
      needed: ['20 requests of clients in the window'],
      requests: 0,
    });
    const drift = await get('/v1/gw/observability/drift', other);
    expect(drift.body.verdict).toBe('cannot_compare');
    const cache = await get('/v1/gw/observability/cacheability', other);
    expect(cache.body).toMatchObject({ features: [], provenance: 'live_measured' });
    const metrics = await rest<string>(app, 'GET', '/v1/gw/observability/metrics', {
      credential: other.key,
    });
    expect(parseExposition(metrics.body).flatMap(({ samples }) => samples)).toEqual([]);
  });
});

describe('with a fortnight of requests', () => {
  beforeAll(async () => {
    const feature = 'search "quoted" \\ back\nslash';
    const model = 'mo"del\\one';
    await plantUsage(app.owner.pool, [
      ...many(600, (index) => ({
        createdAt: ago(12 + index / 1_000),
        model,
        feature,
        latencyMs: 500 + index,
        inputUncached: 100 + index,
        outputText: 50,
        amountMicro: 1_000n,
        vatMicro: 180n,
      })),
      ...many(600, (index) => ({
        createdAt: ago(1 + index / 1_000),
        model: index % 2 ? model : 'two',
        feature,
        latencyMs: 5_000 + index,
        inputUncached: 100 + index,
        outputText: 50,
        amountMicro: 2_000n,
        vatMicro: 361n,
        status: index % 10 === 0 ? ('failed' as const) : ('complete' as const),
        ...(index % 10 === 0 && { amountMicro: 0n, costMicro: 0n, vatMicro: 0n }),
        metadata: { gw_fingerprint: `prompt${index % 60}` },
      })),
      ...many(30, () => ({ createdAt: ago(1), metadata: { gw_origin: 'cockpit' } })),
    ]);
  });

  it('the health score shows its terms, over requests of clients alone', async () => {
    const { body } = await get('/v1/gw/observability/summary');
    expect(body).toMatchObject({
      verdict: 'unhealthy',
      requests: 1_200,
      failed: 60,
      own_requests: 30,
      is_simulated: false,
      reason: null,
    });
    const terms = body.terms as { term: string; value: number; points: number; weight: number }[];
    expect(terms.find(({ term }) => term === 'error_rate')).toMatchObject({
      value: 0.05,
      best: 0,
      worst: 0.05,
      weight: 40,
      points: 0,
    });
    const measured = terms.filter(({ points }) => points !== null);
    const sum = (key: 'points' | 'weight') =>
      measured.reduce((total, term) => total + term[key], 0);
    expect(body.score).toBe(Math.round((sum('points') / sum('weight')) * 1_000) / 10);
  });

  it('drift names the rules that changed, each by its statistic', async () => {
    const { body } = await get('/v1/gw/observability/drift');
    const rules = body.rules as { rule: string; statistic: string; verdict: string }[];
    expect(rules.map(({ rule, statistic, verdict }) => [rule, statistic, verdict])).toEqual([
      ['model_mix', 'psi', 'drift'],
      ['latency', 'psi', 'drift'],
      ['input_tokens', 'psi', 'stable'],
      ['output_tokens', 'psi', 'stable'],
      ['error_rate', 'two_proportion_z', 'drift'],
      ['refusal_rate', 'two_proportion_z', 'stable'],
    ]);
    expect(body.verdict).toBe('drift');
  });

  it('drift takes a baseline of its own, and names what is wrong with it', async () => {
    const { status, body } = await get('/v1/gw/observability/drift?baseline_from=soon');
    const { error } = body as { error: { param: string } };
    expect([status, error.param]).toEqual([400, 'baseline_from']);
    const same = 'from=2026-10-01&to=2026-10-02&baseline_from=2026-10-01&baseline_to=2026-10-02';
    const { body: answer } = await get(`/v1/gw/observability/drift?${same}`);
    expect(answer).toMatchObject({
      baseline_from: '2026-09-30T21:00:00.000Z',
      baseline_to: '2026-10-02T21:00:00.000Z',
    });
  });

  it('metrics are valid exposition, escaped, and equal the usage rows', async () => {
    const path = '/v1/gw/observability/metrics';
    const { body, headers } = await rest<string>(app, 'GET', path, { credential: own.key });
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const metrics = parseExposition(body);
    const total = (name: string) =>
      metrics
        .find((metric) => metric.name === name)
        ?.samples.reduce((sum, { value }) => sum + value, 0);
    expect(total('gw_requests_total')).toBe(1_230);
    expect(total('gw_errors_total')).toBe(60);
    expect(total('gw_cost_rubles_total')).toBeCloseTo(0.6 + 1.08, 9);
    expect(body).toContain('model="mo\\"del\\\\one"');
    expect(namingFaults(body)).toEqual([]);
    await app.server.services.usageRollup.bringForward();
    const again = await rest<string>(app, 'GET', path, { credential: own.key });
    expect(parseExposition(again.body)).toEqual(metrics);
  });

  it('cacheability recommends by fingerprints, and holds no prompt', async () => {
    const { body } = await get('/v1/gw/observability/cacheability');
    const [found] = body.features as Record<string, unknown>[];
    expect(found).toMatchObject({
      requests: 540,
      hits: 0,
      hit_rate: 0,
      fingerprinted: 540,
      distinct_prompts: 54,
      advice: 'enable_exact_cache',
    });
  });
});

describe('fingerprints', () => {
  const ask = (customer: Customer, content: string) =>
    rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'sandbox/gw-mini', messages: [{ role: 'user', content }] },
    });

  it('are the same for equal prompts of an organization alone, and are no prompt', async () => {
    const secret = 'паспорт 4509 123456';
    await ask(own, secret);
    await ask(own, secret);
    await ask(own, 'another');
    await ask(other, secret);
    const { rows } = await app.owner.pool.query<{ tenant: string; mark: string; text: string }>(
      `SELECT tenant_id AS tenant, metadata ->> 'gw_fingerprint' AS mark, metadata::text AS text
       FROM usage_event WHERE provider = 'sandbox' AND simulated ORDER BY seq`,
    );
    const marks = rows.map(({ mark }) => mark);
    expect(marks).toHaveLength(4);
    expect(marks[0]).toBe(marks[1]);
    expect(new Set(marks).size).toBe(3);
    for (const { mark, text } of rows) {
      expect(mark).toMatch(/^[\w-]{16}$/);
      expect(text).not.toContain('4509');
    }
  });
});
