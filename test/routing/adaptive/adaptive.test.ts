import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EXPLORATION_BARS,
  KILL_SWITCH_STATES,
  ROUTING_HARD_RULES,
  ROUTING_MODES,
  ROUTING_STAGES,
} from '../../../src/routing/decision/vocabulary.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { ADAPTIVE } from './samples.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

type Body = Record<string, unknown>;
interface Refused {
  readonly error: {
    readonly code: string;
    readonly faults: readonly { readonly path: string; readonly message: string }[];
  };
}

const post = (path: string, body: Body, credential?: string) =>
  rest<Body & Refused>(app, 'POST', ADAPTIVE + path, { body, credential });
const read = (path: string, credential?: string) =>
  rest<Body & { data: Body[] }>(app, 'GET', ADAPTIVE + path, { credential });
const faultsOf = (body: Body & Refused) => body.error.faults.map(({ message }) => message).sort();

describe('the reference', () => {
  it('publishes to all what the router reads', async () => {
    const { status, body } = await read('/reference');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      modes: ROUTING_MODES.rows,
      stages: ROUTING_STAGES.rows,
      exploration_forbidden: EXPLORATION_BARS.rows,
      kill_switch_states: KILL_SWITCH_STATES.rows,
      hard_rules: ROUTING_HARD_RULES.rows,
      exploration_basis_points_max: 1_000,
    });
    const gates = body.hard_gates as { code: string; is_limit: boolean }[];
    expect(gates.filter((gate) => gate.is_limit).map(({ code }) => code)).toEqual([
      'not_measured',
      'quality_below_floor',
      'latency_above_limit',
      'cost_above_limit',
    ]);
    expect(gates.map(({ code }) => code)).not.toContain('margin_below_floor');
  });
});

const LARGE = {
  model: 'large',
  quality_basis_points: 9_200,
  input_rub_per_million: 300,
  output_rub_per_million: 900,
};
const SMALL = {
  model: 'small',
  quality_basis_points: 7_800,
  input_rub_per_million: 20,
  output_rub_per_million: 60,
};

describe('a simulation', () => {
  it('is public, declared and whole, without commercial influence', async () => {
    const { status, body } = await post('/simulate', {
      candidates: [LARGE, SMALL],
      terms: { mode: 'QUALITY_FIRST', revenue_rub: 1.5, margin_basis_points_min: 3_000 },
    });
    expect([status, body]).toEqual([
      200,
      {
        verdict: 'ROUTED',
        model: 'small',
        complexity: 'SIMPLE',
        quality_floor_basis_points: 5_500,
        explored: false,
        exploration_bars: ['NOT_ASKED'],
        kept_incumbent: false,
        baseline_model: 'large',
        baseline_cost_rub: 1.2,
        expected_cost_rub: 0.08,
        cost_saved_rub: 1.12,
        stages: [
          stage('HARD_GATES', 2, 'large', '2 of 2 models pass every gate.'),
          stage(
            'UTILITY',
            2,
            'large',
            'Ordered by the weights of QUALITY_FIRST; equal utilities: Russia first, then cost.',
          ),
          stage(
            'MARGIN_FIREWALL',
            1,
            'small',
            'A margin of 30 % is demanded; nothing was reordered.',
          ),
          stage('EXPLORATION', 1, 'small', 'Not allowed: NOT_ASKED.'),
          stage('HYSTERESIS', 1, 'small', 'No model was present before.'),
        ],
        candidates: [
          {
            model: 'large',
            chosen: false,
            rejection: 'margin_below_floor',
            reason: 'it would leave a margin of 20 %, 30 % is demanded',
            quality_basis_points: 9_200,
            quality_rank: 1,
            expected_cost_rub: 1.2,
            latency_ms: 4_000,
            utility_basis_points: 9_200,
          },
          {
            model: 'small',
            chosen: true,
            rejection: null,
            reason: null,
            quality_basis_points: 7_800,
            quality_rank: 2,
            expected_cost_rub: 0.08,
            latency_ms: 4_000,
            utility_basis_points: 7_800,
          },
        ],
        commercial_influence: 'none',
        authoritative: false,
        provenance: 'declared',
      },
    ]);
  });

  it('says the same in GraphQL, and keeps nothing', async () => {
    const { data } = await graphql(
      app,
      `{ adaptiveRouteSimulate(input: { candidates: [{ model: "a", qualityBasisPoints: 8000,
        inputRubPerMillion: 1, outputRubPerMillion: 1 }], killSwitch: { state: PINNED,
        pinnedModel: "a" } }) { model verdict commercialInfluence authoritative } }`,
    );
    expect(data).toEqual({
      adaptiveRouteSimulate: {
        model: 'a',
        verdict: 'ROUTED',
        commercialInfluence: 'none',
        authoritative: false,
      },
    });
  });

  it('keeps personal data inside, whatever is stated', async () => {
    const outside = { ...SMALL, jurisdiction: 'outside' };
    const { body } = await post('/simulate', { candidates: [outside], data_class: 'C4' });
    expect(body).toMatchObject({
      verdict: 'CANNOT_ROUTE',
      model: null,
      candidates: [{ rejection: 'data_route_forbidden' }],
    });
  });

  it('names every fault at once', async () => {
    const { status, body } = await post('/simulate', {
      candidates: [SMALL, { ...SMALL, quality_low_basis_points: 9_000 }],
      terms: { mode: 'FIXED', fallback_model: 'smal', revenue_rub: 1 },
      kill_switch: { state: 'PINNED' },
      incumbent: 'tiny',
    });
    expect([status, faultsOf(body)]).toEqual([
      400,
      [
        'candidates.1.model must be unique.',
        'candidates.1.quality_low_basis_points lies above the quality.',
        'incumbent is no model that can be called.',
        'kill_switch.pinned_model is needed in the state PINNED.',
        'terms.fallback_model holds nothing in the mode FIXED.',
        'terms.fallback_model is no model that can be called; did you mean small?',
        'terms.pinned_model is needed in the mode FIXED.',
        'terms.revenue_rub holds nothing without margin_basis_points_min.',
      ],
    ]);
    expect((await post('/simulate', { candidates: [] })).status).toBe(400);
    const many = Array.from({ length: 51 }, (_, at) => ({ ...SMALL, model: `m${at}` }));
    expect((await post('/simulate', { candidates: many })).status).toBe(400);
  });
});

function stage(name: string, left: number, leader: string | null, note: string) {
  return { stage: name, candidates_left: left, leader, note };
}

describe('a routing contract', () => {
  const TERMS = { contract_key: 'versions', mode: 'BALANCED' };

  it('grows in versions without a gap when twenty publish at once', async () => {
    const racers = Array.from({ length: 20 }, (_, at) =>
      post('/contracts', { ...TERMS, hysteresis_basis_points: at }, customer.key),
    );
    const published = await Promise.all(racers);
    expect(published.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const versions = published.map(({ body }) => body.version as number);
    expect([...versions].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    const listed = await read('/contracts?contract_key=versions&limit=50', customer.token);
    expect(listed.body.data.map(({ version }) => version)).toEqual(
      Array.from({ length: 20 }, (_, n) => 20 - n),
    );
    const told = new Map(published.map(({ body }) => [body.version, body.hysteresis_basis_points]));
    for (const row of listed.body.data) {
      expect(row.hysteresis_basis_points).toBe(told.get(row.version));
    }
    expect((await read('/contracts?contract_key=versions', other.token)).body.data).toEqual([]);
    const { pool } = app.owner;
    const change = `UPDATE contract_version SET body = '{}' WHERE kind = 'routing_contract'`;
    await expect(pool.query(change)).rejects.toThrow(/append-only/);
  });

  it('is refused with every fault, and with what was meant', async () => {
    const refused = async (terms: Body) => {
      const answer = await post('/contracts', { contract_key: 'faulty', ...terms }, customer.token);
      expect(answer.status).toBe(400);
      return faultsOf(answer.body);
    };
    expect(
      await refused({
        mode: 'ASSURED',
        exploration_basis_points: 10,
        models_allowed: ['live/model', 'live/modle'],
        providers_allowed: ['liv'],
        fallback_model: 'sandbox/gw-mini',
        when_none_passes: 'REFUSE',
        margin_basis_points_min: 1_000,
        pinned_model: LIVE,
      }),
    ).toEqual([
      'exploration_basis_points must be 0 in the mode ASSURED.',
      'fallback_model is not on models_allowed.',
      'fallback_model is served by none of providers_allowed.',
      'fallback_model never answers where when_none_passes is REFUSE.',
      'models_allowed.1 is no model that can be called; did you mean live/model?',
      'pinned_model is for the mode FIXED alone.',
      'pinned_model is served by none of providers_allowed.',
      'providers_allowed.0 is no provider that can be called; did you mean live?',
    ]);
    expect(await refused({ mode: 'BATCH', latency_ms_max: 5 })).toEqual([
      'latency_ms_max holds nothing in the mode BATCH.',
    ]);
    expect(await refused({ mode: 'BALANCED', exploration_basis_points: 1_001 })).toEqual([
      'exploration_basis_points must be from 0 to 1000.',
    ]);
    expect(await refused({ mode: 'BALANCED', contract_key: '*' })).toEqual([
      'contract_key must not be *, which stands for every contract.',
    ]);
    expect((await read('/contracts?contract_key=faulty', customer.token)).body.data).toEqual([]);
  });
});
