import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkInvariants } from '../../src/money/ledger/invariants.js';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { BASIC, HIGH, type ManyModelsApp, startManyModels } from '../support/many-models.js';
import { graphqlVoice, type Json, restVoice, type Voice } from './voices.js';

let app: ManyModelsApp;
beforeAll(async () => {
  app = await startManyModels();
});
afterAll(() => app.stop());

/** How a question is asked; gives the model that answered. */
type Ask = (who: Customer) => Promise<string>;

const askRest: Ask = async ({ key }) => {
  const { body } = await rest<{ gw_routing: { model: string } }>(
    app,
    'POST',
    '/v1/chat/completions',
    {
      credential: key,
      body: {
        model: 'gw:auto',
        max_tokens: 50,
        metadata: { feature: 'support' },
        messages: [{ role: 'user', content: 'Hello' }],
      },
    },
  );
  return body.gw_routing.model;
};

const askGraphql: Ask = async ({ key }) => {
  const { data } = await graphql<{ chatComplete: { gwRouting: { model: string } } }>(
    app,
    `mutation ($input: ChatInput!) { chatComplete(input: $input) { gwRouting { model } } }`,
    {
      input: {
        model: 'gw:auto',
        maxTokens: 50,
        metadata: { feature: 'support' },
        messages: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      },
    },
    key,
  );
  return data.chatComplete.gwRouting.model;
};

/** What the ledger has charged, in rubles. */
async function charged({ tenantId }: Customer): Promise<number> {
  const { rows } = await app.owner.pool.query<{ rub: number }>(
    `SELECT coalesce(-sum(posted_delta), 0)::float8 / 1e6 AS rub FROM ledger_entry
     WHERE tenant_id = $1 AND type = 'finalize'`,
    [tenantId],
  );
  return rows[0]?.rub ?? 0;
}

/** A contract that lowers the cost, and a kill switch that takes it back and lets it go on. */
async function journey(voice: Voice, ask: Ask): Promise<Json> {
  const who = await newCustomer(app, 1_000);
  const stranger = await newCustomer(app, 1_000);
  const call = async (operation: string, variables: Json = {}, by = who): Promise<Json> => {
    const { answer, failure } = await voice(operation, variables, by.token);
    expect(failure).toBeUndefined();
    return answer;
  };
  const spent: number[] = [];
  const models: string[] = [];
  const five = async () => {
    const before = await charged(who);
    for (let index = 0; index < 5; index += 1) models.push(await ask(who));
    spent.push((await charged(who)) - before);
  };
  const publish = (mode: string) =>
    call('PublishRoutingContract', {
      contract_key: 'support',
      mode,
      models_allowed: [BASIC, HIGH],
    });
  const turn = (state: string) =>
    call('SetRouterKillSwitch', { scope_key: 'support', state, reason: 'A journey.' });

  await publish('QUALITY_FIRST');
  await five();
  await publish('COST_CONTROLLED');
  await five();
  await turn('ROLLED_BACK');
  await five();
  await turn('ACTIVE');
  await five();

  const portfolio = await call('GetRoutingPortfolio');
  expect(Number(portfolio.spent_rub ?? portfolio.spentRub)).toBeCloseTo(await charged(who), 9);
  const foreign = await call('GetRoutingPortfolio', {}, stranger);
  const [first, second, third, fourth] = spent as [number, number, number, number];
  return {
    models: models.filter((_, index) => index % 5 === 0),
    isCheaper: second < first / 10,
    isTakenBack: Math.abs(third - first) < 1e-9,
    goesOn: Math.abs(fourth - second) < 1e-9,
    requests: portfolio.requests,
    saved: Number(portfolio.cost_saved_rub ?? portfolio.costSavedRub) > 0,
    verdicts: [portfolio.verdict, foreign.verdict],
  };
}

const SEEN = {
  models: [HIGH, BASIC, HIGH, BASIC],
  isCheaper: true,
  isTakenBack: true,
  goesOn: true,
  requests: 20,
  saved: true,
  verdicts: ['measured', 'cannot_certify'],
};

it('a contract lowers the cost, and its kill switch takes that back, over REST', async () => {
  expect(await journey(restVoice(app), askRest)).toEqual(SEEN);
});

it('a contract lowers the cost, and its kill switch takes that back, over GraphQL', async () => {
  expect(await journey(graphqlVoice(app), askGraphql)).toEqual(SEEN);
});

it('and after all that the books hold', async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
});
