import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { newCustomer, startApp, type TestApp } from '../support/app.js';
import { comparable, graphqlVoice, type Json, restVoice, Story, type Voice } from './voices.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DEAL = { deal_ref: 'D-1' };

/** What a deal would pay is stated; whatever else happens, only a later top-up validates it. */
async function tell(voice: Voice): Promise<Json> {
  const customer = await newCustomer(app);
  const neighbour = await newCustomer(app);
  const { token, accountId, userId } = customer;
  const story = new Story(voice);
  const judged = async (step: string) => {
    const { status } = await story.step(step, 'ValidateWtp', DEAL, token);
    return `${step}: ${status}`;
  };
  await story.step('top-up before', 'TopUpManually', { amount_rub: '500' }, token);
  const stated = { ...DEAL, wtp_rub: '100', window_days: 30 };
  await story.step('hypothesis', 'RecordWtpHypothesis', stated, token);
  const statuses = [await judged('funds of before')];
  const { ledger } = app.server.services;
  const gift = { accountId, amountMicro: 500_000_000n, description: 'a gift', actorId: userId };
  await ledger.credit({ ...gift, requestId: newId('Request') });
  await ledger.adjust({ ...gift, requestId: newId('Request') });
  statuses.push(await judged('a credit and a correction'));
  const won = { ...DEAL, outcome: 'win', reason: 'value_proven' };
  await story.step('outcome', 'RecordDealOutcome', won, token);
  statuses.push(await judged('a deal that was won'));
  const claimed = { wtp_rub: '100', paid_rub: '1000' };
  const projected = await story.step('projection', 'ProjectWtp', claimed, token);
  statuses.push(`a claim: ${projected.status}`, await judged('after the claim'));
  await story.step('foreign top-up', 'TopUpManually', { amount_rub: '500' }, neighbour.token);
  statuses.push(await judged('what another organization pays'));
  await story.refused('foreign deal', 'ValidateWtp', DEAL, neighbour.token);
  await story.step('a part', 'TopUpManually', { amount_rub: '99.999999' }, token);
  statuses.push(await judged('a micro-ruble too little'));
  await story.step('the rest', 'TopUpManually', { amount_rub: '0.000001' }, token);
  statuses.push(await judged('a later top-up'));
  return { ...story.told, statuses };
}

describe('a hypothesis of willingness to pay', () => {
  it('is validated by a later top-up and by nothing else, in REST and GraphQL', async () => {
    const told = comparable(await tell(restVoice(app))) as Json;
    const asGraphql = comparable(await tell(graphqlVoice(app))) as Json;
    expect(told.statuses).toEqual([
      'funds of before: DECLARED',
      'a credit and a correction: DECLARED',
      'a deal that was won: DECLARED',
      'a claim: DECLARED',
      'after the claim: DECLARED',
      'what another organization pays: DECLARED',
      'a micro-ruble too little: DECLARED',
      'a later top-up: VALIDATED',
    ]);
    expect(told['foreign deal']).toBe('not_found');
    expect(asGraphql.statuses).toEqual(told.statuses);
    expect(asGraphql['foreign deal']).toBe('not_found');
    expect(Object.keys(asGraphql)).toEqual(Object.keys(told));
    expect(told['a later top-up']).toMatchObject({ paid_rub: 100, top_ups: 2, missing_rub: 0 });
  });
});
