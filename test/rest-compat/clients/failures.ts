import { expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { booksOf, customerUnder, type Lane, USUAL_TEXT, usageOf, type World } from './world.js';

/** What one client needs to ask one question. */
export interface Question {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  /** Undefined leaves the client at its own default. */
  readonly retries?: number;
  readonly temperature?: number;
  /** Every request of the client goes through it, so that they can be counted. */
  readonly fetch: typeof globalThis.fetch;
}

/** A client library as the tests of failures see it. */
export interface ClientUnderTest {
  /** Asks, and gives the text of the answer. */
  ask(question: Question): Promise<string>;
  /** What the client's own error says. */
  seen(error: unknown): { readonly status: unknown; readonly code: unknown };
}

interface Case {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  /** Who asks. */
  customer(world: World): Promise<Customer>;
  readonly key?: (customer: Customer) => string;
  readonly model?: string;
  readonly temperature?: number;
  readonly lane?: Lane;
  /** Requests of the client with its own retries switched on, and of the gateway upstream. */
  readonly retried: boolean;
  readonly attempts: number;
}

const funded = ({ app }: World) => newCustomer(app, 100);

const CASES: readonly Case[] = [
  {
    name: 'a wrong key is 401',
    status: 401,
    code: 'invalid_api_key',
    customer: funded,
    key: ({ key }) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
    retried: false,
    attempts: 0,
  },
  {
    name: 'an empty balance is 402',
    status: 402,
    code: 'insufficient_balance',
    customer: ({ app }) => newCustomer(app),
    retried: false,
    attempts: 0,
  },
  {
    name: 'a model that the policy forbids is 403',
    status: 403,
    code: 'model_not_allowed',
    customer: (world) => customerUnder(world, { allowed_models: ['spare/chat'] }),
    retried: false,
    attempts: 0,
  },
  {
    name: 'an unknown model is 404',
    status: 404,
    code: 'model_not_found',
    customer: funded,
    model: 'main/chatt',
    retried: false,
    attempts: 0,
  },
  {
    name: 'a parameter out of range is 400',
    status: 400,
    code: 'invalid_request',
    customer: funded,
    temperature: 9,
    retried: false,
    attempts: 0,
  },
  {
    name: 'a provider that refuses the request is 400',
    status: 400,
    code: 'upstream_rejected',
    customer: funded,
    lane: 'slow',
    model: 'slow/chat',
    retried: false,
    attempts: 1,
  },
  {
    name: 'a provider that fails three times is 502',
    status: 502,
    code: 'upstream_failed',
    customer: funded,
    lane: 'down',
    model: 'down/chat',
    retried: true,
    attempts: 3,
  },
];

/** Every class of failure as a client shows it, with the books after it. */
export function itShowsFailures(client: ClientUnderTest, world: () => World): void {
  for (const one of CASES) {
    it(`${one.name}, costs nothing${one.retried ? '' : ' and is not retried'}`, async () => {
      const customer = await one.customer(world());
      const before = await booksOf(world(), customer);
      const lane = one.lane ?? 'main';
      const broken = one.lane === undefined ? {} : { status: one.status === 400 ? 400 : 500 };
      await world().script(lane, broken);
      const counted = countedFetch();
      const question = {
        baseUrl: world().baseUrl,
        key: one.key?.(customer) ?? customer.key,
        model: one.model ?? 'main/chat',
        temperature: one.temperature,
        // What clients repeat is asked once, so that the attempts of the gateway can be counted.
        ...(one.retried ? { retries: 0 } : {}),
        fetch: counted.fetch,
      };
      const error = await client.ask(question).then(
        (text) => expect.fail(`answered ${text}`),
        (thrown: unknown) => thrown,
      );
      expect(client.seen(error)).toEqual({ status: one.status, code: one.code });
      expect(counted.statuses).toEqual([one.status]);
      expect(await world().received(lane)).toHaveLength(one.attempts);
      expect(await booksOf(world(), customer)).toEqual({ ...before, held: 0, charges: [] });
      const usage = await usageOf(world(), customer);
      const recorded = {
        status: 'failed',
        error_code: one.code,
        amount_rub: 0,
        http_status: one.status,
      };
      expect(usage).toMatchObject(one.attempts === 0 ? [] : [recorded]);
    });
  }

  it('a full project is 429 with retry-after, and the client comes again by itself', async () => {
    const customer = await customerUnder(world(), { limits: { concurrency: 1 } });
    await world().script('slow', { delayMs: 700 }, {});
    const asked = { credential: customer.key, body: { model: 'slow/chat', messages: MESSAGES } };
    const first = rest(world().app, 'POST', '/v1/chat/completions', asked);
    await expect.poll(() => world().received('slow')).toHaveLength(1);
    const counted = countedFetch();
    const { baseUrl } = world();
    const question = { baseUrl, key: customer.key, model: 'slow/chat', fetch: counted.fetch };
    const refusal = await client
      .ask({ ...question, retries: 0 })
      .catch((thrown: unknown) => thrown);
    expect(client.seen(refusal)).toEqual({ status: 429, code: 'rate_limit_concurrency' });
    expect(counted.answers[0]?.headers.get('retry-after')).toBe('1');
    expect(counted.answers[0]?.headers.get('retry-after-ms')).toBe('250');
    expect(await client.ask({ ...question, retries: 10 })).toBe(USUAL_TEXT);
    expect(counted.statuses.at(-1)).toBe(200);
    expect((await first).status).toBe(200);
    const { charges, held } = await booksOf(world(), customer);
    expect({ charges: charges.length, held }).toEqual({ charges: 2, held: 0 });
  });
}

const MESSAGES = [{ role: 'user', content: 'Здравствуйте' }];

/** A fetch that keeps what was answered. */
function countedFetch() {
  const answers: Response[] = [];
  const fetch: typeof globalThis.fetch = async (...request) => {
    const answer = await globalThis.fetch(...request);
    answers.push(answer);
    return answer;
  };
  return {
    fetch,
    answers,
    get statuses() {
      return answers.map(({ status }) => status);
    },
  };
}
