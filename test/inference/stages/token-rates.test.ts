import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChatRequest } from '../../../src/inference/chat/request.js';
import { tokensOf } from '../../../src/inference/stages/admit.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { customerUnder } from '../../journeys/people.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { PLAIN, publish, startWorkloadWorld } from '../workload/world.js';

const MESSAGES = [{ role: 'user', content: 'Сколько дней в году?' }];

describe('the tokens of the minute that a chat takes', () => {
  const ask = (
    more: JsonObject,
    limits: { readonly maxOutputTokens?: number; readonly tpm?: number },
    keyTpm?: number,
  ) => {
    const body = { model: 'm', messages: MESSAGES, ...more };
    const request = readChatRequest(body, 100);
    const key = { id: 'k', models: undefined, budgets: [], tpm: keyTpm };
    const keys = keyTpm === undefined ? undefined : [key];
    const { tokens, tokensNeeded } = tokensOf(request, { limits } as never, keys as never);
    return [tokens, tokensNeeded];
  };

  it.each([
    ['what the client states', { max_tokens: 300 }, {}, [320, 320]],
    ['of all choices', { max_tokens: 300, n: 2 }, {}, [620, 620]],
    ['no more than the cap', { max_tokens: 300 }, { maxOutputTokens: 40 }, [60, 60]],
    ['what the client states below it', { max_tokens: 30 }, { maxOutputTokens: 40 }, [50, 50]],
    ['the cap, which need not be there', { n: 2 }, { maxOutputTokens: 40 }, [100, 20]],
    ['of a cap at most a minute', {}, { maxOutputTokens: 4_000, tpm: 900 }, [920, 20]],
    ['nothing for an answer that nothing bounds', {}, { tpm: 900 }, [20, 20]],
  ] as const)('are for its prompt and %s', (_, more, limits, expected) => {
    expect(ask(more, limits)).toEqual(expected);
  });

  it('are of a cap at most what the narrowest key has in a minute', () => {
    expect(ask({}, { maxOutputTokens: 4_000, tpm: 900 }, 500)).toEqual([520, 20]);
  });
});

describe('a limit of tokens beside the cap of a contract', () => {
  let app: ProvidedApp;
  beforeAll(async () => {
    app = await startWorkloadWorld();
  });
  afterAll(() => app?.stop());

  async function left({ key: credential }: Customer, more: JsonObject = {}) {
    const body = { model: PLAIN, messages: MESSAGES, ...more };
    const answer = await rest(app, 'POST', '/v1/chat/completions', { credential, body });
    return [answer.status, Number(answer.headers.get('x-ratelimit-remaining-tokens'))] as const;
  }

  it('is taken by the cap, whether the client states more or nothing', async () => {
    for (const [more, saved] of [
      [{ max_tokens: 900 }, 860],
      [{}, -40],
    ] as const) {
      const bound = await customerUnder(app, { limits: { tpm: 10_000 } });
      const free = await customerUnder(app, { limits: { tpm: 10_000 } });
      await publish(app, bound, { output_tokens_max: 40 });
      const [status, remaining] = await left(bound, more);
      const [, uncapped] = await left(free, more);
      expect([status, remaining - uncapped]).toEqual([200, saved]);
    }
  });

  it('refuses no request in a row for a cap that is larger than itself', async () => {
    const customer = await customerUnder(app, { limits: { tpm: 900 } });
    await publish(app, customer, { output_tokens_max: 1_000 });
    app.double.script('plain', { usage: { prompt_tokens: 20, completion_tokens: 5 } });
    for (let times = 0; times < 5; times += 1) expect((await left(customer))[0]).toBe(200);
    const other = await newCustomer(app, 1_000);
    expect((await left(other))[0]).toBe(200);
  });

  it('refuses beside an answer that may take the whole minute', async () => {
    const customer = await customerUnder(app, { limits: { tpm: 900 } });
    await publish(app, customer, { output_tokens_max: 1_000 });
    app.double.script('plain', { delayMs: 1_500 });
    const before = app.double.received('plain').length;
    const first = left(customer);
    await expect.poll(() => app.double.received('plain').length).toBe(before + 1);
    expect((await left(customer))[0]).toBe(429);
    expect((await first)[0]).toBe(200);
  });
});
