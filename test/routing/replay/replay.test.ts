import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import {
  ABROAD,
  BASIC,
  GOOD,
  HIGH,
  type ManyModelsApp,
  startManyModels,
} from '../../support/many-models.js';

let app: ManyModelsApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startManyModels();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app.stop());

type Row = Record<string, unknown>;

async function chat(who: Customer, model = 'gw:auto'): Promise<string> {
  const answer = await rest<{ gw_routing: Row }>(app, 'POST', '/v1/chat/completions', {
    credential: who.key,
    body: {
      model,
      max_tokens: 50,
      metadata: { feature: 'support' },
      messages: [{ role: 'user', content: 'Hello' }],
    },
  });
  expect(answer.status).toBe(200);
  return String(answer.body.gw_routing.request_id);
}

async function ask<T>(who: Customer, query: string, variables: Row): Promise<T> {
  const { data, errors } = await graphql<T>(app, query, variables, who.token);
  expect(errors).toBeUndefined();
  return data as T;
}

const EXPLAIN = `query ($id: String!) {
  routingExplanation(requestId: $id) {
    requestId answeredBy situationIntact identical useCase incumbent
    features { operation textTokens dataClass jurisdictionsAllowed }
    terms { origin contractKey contractVersion mode }
    killSwitch { state }
    models { model qualityBasisPoints deployments { provider isHealthy inputRubPerMillion } }
    decision { verdict model complexity stages { stage leader }
      candidates { model chosen rejection reason } }
  }
}`;

const REPLAY = `query ($input: RoutingReplayInput!) {
  routingReplay(input: $input) {
    verdict decisions identical truncated damagedSituations
    differing { requestId recordedModel recomputedModel reason }
  }
}`;

const WHAT_IF = `query ($input: RoutingWhatIfInput!) {
  routingWhatIf(input: $input) {
    verdict decisions unchanged changed refused recordedCostRub sameTokensCostRub
    cost { lowRub expectedRub highRub needed }
    quality { lowBasisPoints expectedBasisPoints highBasisPoints needed }
    moves { fromModel toModel decisions }
    changedScorecards { useCase model sourceBefore sourceNow
      qualityBasisPointsBefore qualityBasisPointsNow }
  }
}`;

const DEARER = {
  mode: 'COST_CONTROLLED',
  modelsAllowed: [GOOD],
  providersAllowed: [],
  whenNonePasses: 'NEXT_BEST',
  explorationBasisPoints: 0,
  explorationLossBasisPointsMax: 0,
  hysteresisBasisPoints: 0,
};

describe('a decision of the router', () => {
  it('is explained later by the id of its request, to its organization alone', async () => {
    const id = await chat(customer);
    const { routingExplanation: told } = await ask<{ routingExplanation: Row }>(customer, EXPLAIN, {
      id,
    });
    expect(told).toMatchObject({
      requestId: id,
      answeredBy: ABROAD,
      situationIntact: true,
      identical: true,
      useCase: 'support',
      incumbent: null,
      features: {
        operation: 'chat',
        dataClass: 'C0',
        jurisdictionsAllowed: ['rf', 'outside'],
      },
      terms: { origin: 'DEFAULT', contractKey: 'default', contractVersion: 0 },
      killSwitch: { state: 'ACTIVE' },
      decision: { verdict: 'ROUTED', model: ABROAD, complexity: 'SIMPLE' },
    });
    expect(told.models).toHaveLength(4);
    for (const [who, requestId] of [
      [other, id],
      [customer, randomUUID()],
      [customer, 'no uuid'],
    ] as const) {
      const { errors } = await graphql(app, EXPLAIN, { id: requestId }, who.token);
      expect(errors?.[0]?.extensions?.code).toBe('not_found');
    }
  });

  it('is not there for a request that named its model', async () => {
    const id = await chat(customer, GOOD);
    const { errors } = await graphql(app, EXPLAIN, { id }, customer.token);
    expect(errors?.[0]?.extensions?.code).toBe('not_found');
  });
});

describe('recorded decisions', () => {
  it('cannot be certified where there are none', async () => {
    expect(await ask(other, REPLAY, { input: {} })).toEqual({
      routingReplay: {
        verdict: 'cannot_certify',
        decisions: 0,
        identical: 0,
        truncated: false,
        damagedSituations: [],
        differing: [],
      },
    });
  });

  it('come out as they were, and what was damaged is named', async () => {
    const who = await newCustomer(app, 1_000);
    const ids = [await chat(who), await chat(who)];
    expect(await ask(who, REPLAY, { input: {} })).toMatchObject({
      routingReplay: { verdict: 'IDENTICAL', decisions: 2, identical: 2, differing: [] },
    });
    await damage(who);
    const { routingReplay: found } = await ask<{ routingReplay: Row }>(who, REPLAY, { input: {} });
    expect(found).toMatchObject({ verdict: 'DIFFERENT', decisions: 2, identical: 0 });
    const named = (found.differing as Row[]).map(({ requestId }) => requestId);
    expect([...named].sort()).toEqual([...ids].sort());
    expect(found.damagedSituations).toHaveLength(1);
  });
});

/** Changes a quality in the stored situations, as nobody but the owner of the database can. */
async function damage(who: Customer): Promise<void> {
  await app.owner.pool.query(`
    ALTER TABLE routing_situation DISABLE TRIGGER append_only_row;
    ALTER TABLE routing_situation DROP CONSTRAINT routing_situation_check;
    UPDATE routing_situation SET content = replace(content, '9000', '9001')
    WHERE tenant_id = '${who.tenantId}';
    ALTER TABLE routing_situation ENABLE ALWAYS TRIGGER append_only_row;`);
}

describe('ten thousand recorded decisions', () => {
  it('come out as they were, each of them', async () => {
    const who = await newCustomer(app, 1_000);
    await chat(who);
    await plantDecisions(who, 9_999);
    expect(await ask(who, REPLAY, { input: {} })).toMatchObject({
      routingReplay: { verdict: 'IDENTICAL', decisions: 10_000, identical: 10_000 },
    });
    const { routingWhatIf: told } = await ask<{ routingWhatIf: Row }>(who, WHAT_IF, {
      input: { newTerms: DEARER },
    });
    expect(told).toMatchObject({ decisions: 10_000, changed: 10_000, unchanged: 0 });
  });
});

/** Repeats the latest usage row of a customer under other ids. */
async function plantDecisions(who: Customer, count: number): Promise<void> {
  const { rows } = await app.owner.pool.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns
     FROM information_schema.columns
     WHERE table_name = 'usage_event' AND column_name NOT IN ('id', 'seq', 'txid')`,
  );
  const columns = rows[0]?.columns;
  await app.owner.pool.query(
    `INSERT INTO usage_event (id, ${columns})
     SELECT gen_random_uuid(), ${columns} FROM generate_series(1, ${count}),
       (SELECT ${columns} FROM usage_event WHERE tenant_id = '${who.tenantId}' LIMIT 1) AS one`,
  );
}

describe('the past', () => {
  let who: Customer;
  beforeAll(async () => {
    who = await newCustomer(app, 1_000);
    for (let index = 0; index < 5; index += 1) await chat(who);
  });
  const suppose = async (input: Row) =>
    (await ask<{ routingWhatIf: Row }>(who, WHAT_IF, { input })).routingWhatIf;

  it('asked again as it was is identical, and costs what the ledger has charged', async () => {
    const { rows } = await app.owner.pool.query<{ rub: string }>(
      `SELECT (-sum(posted_delta) / 1e6)::text AS rub FROM ledger_entry
       WHERE tenant_id = $1 AND type = 'finalize'`,
      [who.tenantId],
    );
    const told = await suppose({});
    expect(told).toEqual({
      verdict: 'IDENTICAL',
      decisions: 5,
      unchanged: 5,
      changed: 0,
      refused: 0,
      recordedCostRub: expect.anything(),
      sameTokensCostRub: told.recordedCostRub,
      cost: { lowRub: '0.00', expectedRub: '0.00', highRub: '0.00', needed: [] },
      quality: { lowBasisPoints: 0, expectedBasisPoints: 0, highBasisPoints: 0, needed: [] },
      moves: [],
      changedScorecards: [],
    });
    expect(Number(told.recordedCostRub)).toBeCloseTo(Number(rows[0]?.rub), 9);
  });

  it('under other terms refuses what the data does not carry, and says why', async () => {
    const told = await suppose({ newTerms: DEARER });
    expect(told).toMatchObject({
      verdict: 'CANNOT_CONCLUDE',
      changed: 5,
      cost: { lowRub: null, expectedRub: null, highRub: null },
      moves: [{ fromModel: ABROAD, toModel: GOOD, decisions: 5 }],
    });
    expect(told.cost).toMatchObject({ needed: [`30 recorded answers of ${GOOD} for support`] });
    expect(told.quality).toMatchObject({
      needed: [
        `a measured scorecard of ${ABROAD} for support`,
        `a measured scorecard of ${GOOD} for support`,
      ],
    });
    // Ten times the list price for the same tokens.
    expect(Number(told.sameTokensCostRub)).toBeCloseTo(Number(told.recordedCostRub) * 10, 9);
  });

  it('under other prices costs what they say, exactly', async () => {
    const prices = [{ model: ABROAD, inputRubPerMillion: '15', outputRubPerMillion: '15' }];
    const told = await suppose({ prices });
    const more = Number(told.recordedCostRub) * 0.5;
    expect(told).toMatchObject({ verdict: 'DIFFERENT', changed: 5, moves: [expect.anything()] });
    expect(Number((told.cost as Row).expectedRub)).toBeCloseTo(more, 9);
    expect((told.cost as Row).lowRub).toBe((told.cost as Row).highRub);
  });

  it('names a scorecard that is another one today', async () => {
    await app.owner.pool.query(`SELECT append_contract_version($1, $2, $3, $4, $5, $6)`, [
      randomUUID(),
      who.tenantId,
      'model_scorecard',
      `support/${ABROAD}`,
      {
        scorecard_key: `support/${ABROAD}`,
        use_case: 'support',
        model: ABROAD,
        source: 'DECLARED',
        quality_basis_points: 1_000,
        quality_low_basis_points: 0,
        quality_high_basis_points: 10_000,
        samples: 0,
        latency_ms: null,
        cost_rub: null,
        evidence: null,
        measured_to: null,
      },
      randomUUID(),
    ]);
    app.server.services.routing.forget(who.tenantId);
    expect(await suppose({ scorecards: 'CURRENT' })).toMatchObject({
      verdict: 'CANNOT_CONCLUDE',
      changed: 5,
      moves: [{ fromModel: ABROAD, toModel: BASIC, decisions: 5 }],
      changedScorecards: [
        {
          useCase: 'support',
          model: ABROAD,
          sourceBefore: 'NOMINAL',
          sourceNow: 'DECLARED',
          qualityBasisPointsBefore: 9_000,
          qualityBasisPointsNow: 1_000,
        },
      ],
    });
    expect(await suppose({})).toMatchObject({ verdict: 'IDENTICAL', changed: 0 });
  });

  it('refuses a supposition that contradicts itself, with every fault', async () => {
    const input = { newTerms: DEARER, newContractKey: 'x', newContractVersion: 1 };
    const { errors } = await graphql(app, WHAT_IF, { input }, who.token);
    expect(errors?.[0]?.extensions?.code).toBe('invalid_request');
    const prices = [{ model: 'basic/modle', inputRubPerMillion: '1', outputRubPerMillion: '1' }];
    const misspelt = await graphql(app, WHAT_IF, { input: { prices } }, who.token);
    expect(misspelt.errors?.[0]?.extensions?.faults).toEqual([
      {
        path: 'input.prices.0.model',
        code: 'unknown_value',
        message: expect.stringContaining('did you mean'),
      },
    ]);
    const missing = await graphql(app, WHAT_IF, { input: { newContractKey: HIGH } }, who.token);
    expect(missing.errors?.[0]?.extensions?.code).toBe('not_found');
  });
});
