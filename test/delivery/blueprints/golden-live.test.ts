import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blueprintById, builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import { inputOf } from '../../../src/delivery/blueprints/golden.rules.js';
import type { GoldenCase, Manifest } from '../../../src/delivery/blueprints/manifest.js';
import { newPolicy, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { run } from './wire.js';

const MASKS = ['phone', 'email', 'secret', 'passport', 'snils', 'inn', 'card', 'bank_account'];
const POLICY = {
  name: 'blueprints',
  hybrid: 'rf_only',
  firewall: Object.fromEntries(MASKS.map((each) => [each, 'mask'])),
};

let app: LiveApp;
let owner: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  owner = await newCustomer(app, 5_000);
  await newPolicy(app, owner.token, POLICY);
});
afterAll(() => app?.stop());

type Answers = Readonly<Record<string, unknown>>;

/** Lets the live model give these answers, step by step. */
function speak({ steps }: Manifest, answers: Answers): void {
  const texts = steps.flatMap(({ id }) => (id in answers ? [JSON.stringify(answers[id])] : []));
  app.double.script('live', ...texts.map((text) => ({ text })), { text: '{}' });
}

async function told(manifest: Manifest, input: unknown, answers: Answers) {
  speak(manifest, answers);
  const { status, body } = await run(app, owner, manifest.id, { input, model: LIVE });
  expect([status, body.status]).toEqual([200, 'completed']);
  return body;
}

const NOTHING = { achieved: false, quantity: 0, minutes_saved: 0, cost_per_unit_rub: null };

function caseOf(manifest: Manifest, id: string): GoldenCase {
  const found = manifest.golden_cases?.find((each) => each.id === id);
  if (!found) throw new Error(`${manifest.id} has no case ${id}`);
  return found;
}

describe('an honest live model', () => {
  it.each(builtIns().map((manifest) => [manifest.id, manifest] as const))(
    'proves the example of %s, and a published input is no work that was done',
    async (_id, manifest) => {
      const golden = caseOf(manifest, 'example');
      const body = await told(manifest, inputOf(manifest, golden), golden.answers);
      expect(body).toMatchObject({ simulated: false, input_source: 'published' });
      expect(body.business_result).toMatchObject({
        ...NOTHING,
        proof: 'proved',
        simulated: false,
        not_achieved_because: expect.arrayContaining([
          'the input is published with the blueprint, so no work was done by it',
        ]),
      });
    },
  );

  it('claims a result for an input of the caller, with its minutes and its cost', async () => {
    const manifest = blueprintById('crm-lead-qualification');
    const { answers } = caseOf(manifest, 'example');
    const input = { ...manifest.example_input, source: 'messenger' };
    const body = await told(manifest, input, answers);
    expect(body.business_result).toMatchObject({
      proof: 'proved',
      achieved: true,
      not_achieved_because: [],
      quantity: 1,
      minutes_saved: 12,
      cost_per_unit_rub: body.cost_rub,
      simulated: false,
    });
  });

  it('may say of a lead that it is unclassifiable, and claims nothing', async () => {
    const manifest = blueprintById('crm-lead-qualification');
    for (const golden of manifest.golden_cases ?? []) {
      const body = await told(manifest, inputOf(manifest, golden), golden.answers);
      expect([golden.id, body.business_result.proof]).toEqual([golden.id, golden.expected]);
    }
  });
});

describe('a lying live model', () => {
  it.each(builtIns().map((manifest) => [manifest.id, manifest] as const))(
    'claims nothing for gibberish that it takes for the example of %s',
    async (_id, manifest) => {
      const input = inputOf(manifest, caseOf(manifest, 'gibberish'));
      const body = await told(manifest, input, caseOf(manifest, 'example').answers);
      expect(body.business_result).toMatchObject(NOTHING);
      expect(body.business_result.proof).not.toBe('proved');
    },
  );

  it('that grades gibberish hot fails by name', async () => {
    const manifest = blueprintById('crm-lead-qualification');
    const [lie = {}] = caseOf(manifest, 'gibberish').lies ?? [];
    const input = { lead_text: 'абракадабра ываыва', source: 'site', product: 'CRM' };
    const body = await told(manifest, input, lie);
    expect(body.input_source).toBe('given');
    expect(body.business_result).toMatchObject({ ...NOTHING, proof: 'failed' });
    const checks = body.business_result.checks as { code: string; result: string }[];
    const failed = checks.filter(({ result }) => result === 'failed').map(({ code }) => code);
    expect(failed).toEqual([
      'budget_is_a_sum',
      'authority_is_named',
      'need_is_named',
      'timing_is_named',
    ]);
  });

  it('leaves no evidence: no value event names its request, and ROI has no result', async () => {
    const customer = await newCustomer(app, 500);
    await newPolicy(app, customer.token, POLICY);
    const manifest = blueprintById('crm-lead-qualification');
    const [lie = {}] = caseOf(manifest, 'gibberish').lies ?? [];
    const record = async (answers: Answers, input: object) => {
      speak(manifest, answers);
      const { body } = await run(app, customer, manifest.id, { input, model: LIVE });
      const [request] = body.steps.flatMap(({ attempts }) => attempts.map((a) => a.request_id));
      const event = { event_type: 'lead_qualified', request_id: request, value_rub: 500 };
      return rest<{ error: { param: string; message: string } }>(
        app,
        'POST',
        '/v1/gw/value/events',
        { credential: customer.token, body: event },
      );
    };
    const gibberish = { lead_text: 'абракадабра ываыва', source: 'site', product: 'CRM' };
    const refused = await record(lie, gibberish);
    expect(outcome(refused)).toBe('400 invalid_request');
    expect(refused.body.error.param).toBe('request_id');
    const query = '{ valueDashboard { useCases valueRub } }';
    const { data } = await graphql(app, query, {}, customer.token);
    expect(data).toEqual({ valueDashboard: { useCases: 0, valueRub: '0.00' } });
    const own = { ...manifest.example_input, source: 'messenger' };
    const taken = await record(caseOf(manifest, 'example').answers, own);
    expect(taken.status).toBe(200);
    const { request_id } = taken.body as unknown as { request_id: string };
    const claim = async (event: object) => {
      const body = { event_type: 'lead_qualified', request_id, ...event };
      const path = '/v1/gw/value/events';
      return rest<{ error: { param: string } }>(app, 'POST', path, {
        credential: customer.token,
        body,
      });
    };
    const refusals = [
      await claim({}),
      await claim({ use_case: 'another' }),
      await claim({ event_type: 'tender_won' }),
      await claim({ quantity: 2 }),
    ];
    expect(refusals.map((each) => [outcome(each), each.body.error.param])).toEqual([
      ['409 value_event_claimed', 'request_id'],
      ['409 value_event_claimed', 'request_id'],
      ['400 invalid_request', 'event_type'],
      ['400 invalid_request', 'quantity'],
    ]);
  });
});

describe('a run on a named model', () => {
  it('is refused where the policies do not protect what the inputs hold', async () => {
    const open = await newCustomer(app, 500);
    const answer = await run(app, open, 'crm-lead-qualification', { model: LIVE });
    expect(outcome(answer)).toBe('422 blueprint_model_unfit');
    expect(answer.body.error.message).toMatch(/phone mask, email mask.*no wider than rf_only/);
  });

  it('is refused for a model that is not there, and for a fallback without a model', async () => {
    const answers = [
      await run(app, owner, 'contract-review', { model: 'live/nobody' }),
      await run(app, owner, 'contract-review', { fallback_model: LIVE }),
    ];
    expect(answers.map(outcome)).toEqual(['422 blueprint_model_unfit', '400 invalid_request']);
  });

  it('is read by its own organization alone', async () => {
    const manifest = blueprintById('support-ticket-triage');
    const { answers } = caseOf(manifest, 'example');
    const { id } = await told(manifest, manifest.example_input, answers);
    const stranger = await newCustomer(app, 0);
    const path = `/v1/gw/blueprints/runs/${id}`;
    const read = async ({ token }: Customer) =>
      (await rest(app, 'GET', path, { credential: token })).status;
    expect([await read(owner), await read(stranger)]).toEqual([200, 404]);
  });
});

describe('a phone in the text of a caller', () => {
  it('is never shown by its head, wherever a text of the run is cut', async () => {
    const shown: string[] = [];
    for (let before = 20; before <= 90; before += 5) {
      const lead_text = `${'заявка '.repeat(13).slice(0, before)} +7 916 123-45-67 перезвоните`;
      const input = { lead_text, source: 'site', product: 'CRM' };
      const { body } = await run(app, owner, 'crm-lead-qualification', { input });
      const { input: kept, steps, business_result } = body;
      const texts = steps.map(({ output, reason }) => [output, reason]);
      shown.push(JSON.stringify([kept, texts, business_result]));
    }
    expect(shown.filter((text) => /\+7|916|123-/.test(text))).toEqual([]);
    expect(shown.filter((text) => text.includes('[[GW_PHONE_1]]'))).toEqual(shown);
  });
});
