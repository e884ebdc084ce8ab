import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendEntry } from '../../../src/records/journals.js';
import { ROUTING_OUTCOMES } from '../../../src/routing/adaptive/outcomes-journal.js';
import { explainRoute } from '../../../src/routing/decision/explain.rules.js';
import { compareMigration, newScanned } from '../../delivery/migration/steps.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { charge } from './fleet.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  app.double.script('live', { text: 'The number' });
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

const CARDS = '/v1/gw/routing/model-scorecards';
type Body = Record<string, unknown>;
interface Answered extends Body {
  readonly error: {
    code: string;
    param: string;
    message: string;
    faults: { path: string; message: string }[];
    needed: string[];
  };
}

const publish = (body: Body, who = customer) =>
  rest<Answered>(app, 'POST', CARDS, { body, credential: who.key });
const list = async (query: string, who = customer) => {
  const { body } = await rest<{ data: Body[] }>(app, 'GET', `${CARDS}?${query}`, {
    credential: who.key,
  });
  return body.data;
};
const DECLARED = {
  use_case: 'stated',
  model: LIVE,
  source: 'DECLARED',
  quality_basis_points: 8_000,
};

async function answers(count: number, feature: string, changes: object = {}, who = customer) {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push(await charge(app, who, 1_000n, { model: LIVE, feature, ...changes }));
  }
  return ids;
}

describe('a declared scorecard', () => {
  it('versions_only_grow: what is stated, with the widest interval unless stated', async () => {
    const first = await publish(DECLARED);
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({
        ...DECLARED,
        version: 1,
        scorecard_key: `stated/${LIVE}`,
        quality_low_basis_points: 0,
        quality_high_basis_points: 10_000,
        samples: 0,
        latency_ms: null,
        cost_rub: null,
        evidence: null,
        measured_to: null,
      }),
    ]);
    const more = { quality_low_basis_points: 7_000, latency_ms: 700, cost_rub: 0.5 };
    expect((await publish({ ...DECLARED, ...more })).body).toMatchObject({ version: 2, ...more });
    const mini = { ...DECLARED, model: 'sandbox/gw-mini' };
    await publish(mini);
    const inForce = await list('use_case=stated');
    expect(inForce.map(({ model, version }) => [model, version])).toEqual([
      ['sandbox/gw-mini', 1],
      [LIVE, 2],
    ]);
    const all = await list('use_case=stated&versions=all');
    expect(all.map(({ model, version }) => [model, version])).toEqual([
      ['sandbox/gw-mini', 1],
      [LIVE, 2],
      [LIVE, 1],
    ]);
    expect(await list('use_case=stated&model=gw')).toEqual([]);
    expect(await list('use_case=stated', other)).toEqual([]);
    expect(await list('use_case=stated&versions=all', other)).toEqual([]);
  });

  it('holds from the next decision on, for its own use case alone', async () => {
    await publish({ ...DECLARED, use_case: 'weak', quality_basis_points: 1_000 });
    const ask = async (use_case: string, who = customer) => {
      const { body } = await rest<{ verdict: string }>(app, 'POST', '/v1/gw/routing/simulate', {
        body: { use_case, input_tokens: 10 },
        credential: who.key,
      });
      return body.verdict;
    };
    expect(await ask('weak')).toBe('FALLBACK');
    expect([await ask('strong'), await ask('weak', other)]).toEqual(['ROUTED', 'ROUTED']);
  });

  it('names every fault: models that nobody knows, and figures that fit no interval', async () => {
    const wrong = {
      ...DECLARED,
      model: 'live/modle',
      quality_low_basis_points: 9_000,
      quality_high_basis_points: 7_000,
      latency_ms: 0,
      evaluation_receipt_id: customer.tenantId,
    };
    const { status, body } = await publish(wrong);
    expect([status, body.error.faults.map(({ path }) => path)]).toEqual([
      400,
      [
        'latency_ms',
        'quality_low_basis_points',
        'quality_high_basis_points',
        'evaluation_receipt_id',
        'model',
      ],
    ]);
    expect(body.error.faults.at(-1)?.message).toContain(`did you mean ${LIVE}`);
    const nominal = await publish({ ...DECLARED, source: 'NOMINAL' });
    expect([nominal.status, nominal.body.error.param]).toEqual([400, 'source']);
    const { quality_basis_points: _, ...lacking } = DECLARED;
    expect((await publish(lacking)).body.error.param).toBe('quality_basis_points');
  });
});

describe('a measured scorecard', () => {
  it('measured_is_never_stated: a figure beside it is refused, nothing is written', async () => {
    const forged = {
      use_case: 'forged',
      model: LIVE,
      quality_basis_points: 10_000,
      quality_low_basis_points: 9_999,
      quality_high_basis_points: 10_000,
      latency_ms: 1,
      cost_rub: 0,
    };
    for (const source of ['OUTCOMES', 'EVALUATION']) {
      const { status, body } = await publish({ ...forged, source });
      expect(status).toBe(400);
      expect(body.error.faults.map(({ path }) => path)).toEqual([
        'quality_basis_points',
        'quality_low_basis_points',
        'quality_high_basis_points',
        'latency_ms',
        'cost_rub',
        ...(source === 'EVALUATION' ? ['evaluation_receipt_id'] : []),
      ]);
    }
    const more = { use_case: 'forged', model: LIVE, source: 'OUTCOMES', samples: 5_000 };
    expect((await publish(more)).body.error.param).toBe('samples');
    expect(await list('use_case=forged&versions=all')).toEqual([]);
  });

  it('simulated_is_no_evidence: no simulated model can be measured', async () => {
    const mini = { use_case: 'support', model: 'sandbox/gw-mini', source: 'OUTCOMES' };
    const { status, body } = await publish(mini);
    expect([status, body.error.param]).toEqual([400, 'model']);
    await answers(30, 'simulated', { simulated: true });
    const live = { use_case: 'simulated', model: LIVE, source: 'OUTCOMES' };
    expect((await publish(live)).body.error.code).toBe('cannot_certify');
  });

  it('too_few_answers_refuse: below thirty nothing is certified and nothing written', async () => {
    const asked = { use_case: 'few', model: LIVE, source: 'OUTCOMES' };
    await answers(29, 'few');
    // None of these is an answer of this model to this use case of this organization.
    await answers(1, 'few', { status: 'partial' });
    await answers(1, 'few', { metadata: { gw_cache: 'hit' } });
    await answers(1, 'few', { metadata: { gw_origin: 'cockpit' } });
    await answers(1, 'few', { model: 'live/embed' });
    await answers(1, 'else');
    await answers(1, 'few', {}, other);
    const { status, body } = await publish(asked);
    expect([status, body.error]).toEqual([
      409,
      expect.objectContaining({
        code: 'cannot_certify',
        message: `The quality of ${LIVE} cannot be certified: 29 of 30 answers are there.`,
        verdict: 'cannot_certify',
        needed: [`answers of ${LIVE}: 1 more`],
      }),
    ]);
    expect(await list('use_case=few')).toEqual([]);
  });

  it('of OUTCOMES counts what was good: at once, by its schema, not corrected', async () => {
    await answers(20, 'letters', { latencyMs: 100 });
    await answers(4, 'letters', { finishReason: 'tool_calls', latencyMs: 100 });
    await answers(1, 'letters', { metadata: { gw_prompt: { schema_valid: true } } });
    await answers(1, 'letters', { finishReason: 'length' });
    await answers(1, 'letters', { attempts: 2 });
    await answers(1, 'letters', { metadata: { gw_prompt: { schema_valid: false } } });
    const [corrected = '', rejected = '', accepted = ''] = await answers(3, 'letters');
    const scope = (who: Customer) => ({ services: app.server.services, who });
    const report = (
      subject: string,
      value: 'accepted' | 'corrected' | 'rejected',
      who = customer,
    ) => appendEntry(scope(who), ROUTING_OUTCOMES, { value, subject, body: {} });
    await report(corrected, 'corrected');
    await report(rejected, 'rejected');
    await report(accepted, 'accepted');
    // Nobody can speak about the requests of another organization.
    await report(accepted, 'rejected', other);
    const { body } = await publish({ use_case: 'letters', model: LIVE, source: 'OUTCOMES' });
    expect(body).toMatchObject({
      source: 'OUTCOMES',
      quality_basis_points: 8_387,
      quality_low_basis_points: 6_736,
      quality_high_basis_points: 9_291,
      samples: 31,
      latency_ms: 190,
      cost_rub: 0.001,
      evidence: 'usage of 30 days',
      measured_to: expect.any(String),
    });
  });

  it('of an EVALUATION counts what this model answered, by the sealed receipt', async () => {
    const item = (index: number) => ({
      input: `Number ${index}`,
      expect: index < 18 ? { contains: 'number' } : { equals: 'something else' },
    });
    const items = Array.from({ length: 20 }, (_, index) => item(index));
    const id = await newScanned(app, customer);
    const compared = await compareMigration(app, customer, id, {
      source_cost_per_1m_rub: 120,
      evaluation_set: items,
      model: LIVE,
    });
    const { id: receiptId } = compared.body.migration_receipt;
    const asked = { use_case: 'numbers', source: 'EVALUATION', evaluation_receipt_id: receiptId };
    const { status, body } = await publish({ ...asked, model: LIVE });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        source: 'EVALUATION',
        quality_basis_points: 9_000,
        quality_low_basis_points: 6_989,
        quality_high_basis_points: 9_722,
        samples: 20,
        latency_ms: expect.any(Number),
        evidence: receiptId,
      }),
    ]);
    const embed = await publish({ ...asked, model: 'live/embed' });
    expect(embed.body.error.message).toContain('0 of 20 answers are there');
    const foreign = await publish({ ...asked, model: LIVE }, other);
    expect([foreign.status, foreign.body.error.param]).toEqual([404, 'evaluation_receipt_id']);
    const unknown = { ...asked, model: LIVE, evaluation_receipt_id: customer.tenantId };
    expect((await publish(unknown)).status).toBe(404);
  });

  it('rests on no receipt but those of evaluations', async () => {
    const { body: decision } = await rest<{ id: string }>(app, 'POST', '/v1/gw/routing/decide', {
      body: { request_id: 'no evaluation', input_tokens: 10 },
      credential: customer.key,
    });
    const asked = { use_case: 'x', model: LIVE, source: 'EVALUATION' };
    const { status, body } = await publish({ ...asked, evaluation_receipt_id: decision.id });
    expect([status, body.error.param]).toEqual([400, 'evaluation_receipt_id']);
    expect(body.error.message).toContain('evaluations are sealed in migration_comparison');
  });

  it('is what ASSURED trusts, by the lower end of its interval, and nothing stated', async () => {
    const rejectionIn = async (useCase: string, qualityFloorBasisPoints: number) => {
      const found = await app.server.services.situations.unstored({
        tenantId: customer.tenantId,
        operation: 'chat',
        useCase,
        policyKey: undefined,
        day: '2026-11-22',
      });
      if (!found) throw new Error('there is a situation');
      const { terms, ...rest } = found.situation;
      const strict = { mode: 'ASSURED', whenNonePasses: 'REFUSE' } as const;
      const { candidates } = explainRoute({
        features: FEATURES,
        situation: { ...rest, terms: { ...terms, ...strict, qualityFloorBasisPoints } },
        incumbent: null,
        seed: '',
      });
      return candidates.find((one) => one.model === LIVE)?.rejection;
    };
    expect(await rejectionIn('numbers', 6_989)).toBeNull();
    expect(await rejectionIn('numbers', 6_990)).toBe('quality_below_floor');
    expect(await rejectionIn('stated', 0)).toBe('not_measured');
  });
});

const FEATURES = {
  operation: 'chat',
  needs: [],
  textTokens: 10,
  windowTokens: null,
  images: 0,
  imagesLow: 0,
  inputs: 1,
  turns: 1,
  outputTokensMax: 10,
  choices: 1,
  dataClass: 'C0',
  jurisdictionsAllowed: ['rf'],
  modelsAllowed: null,
  modelsBarred: null,
  explores: null,
} as const;
