import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { MALFORMED_CHATS, MALFORMED_EMBEDDINGS } from './malformed.js';
import {
  type Ask,
  IMAGE_TOKENS_MAX,
  PRICE,
  startWireWorld,
  WAYS,
  type WireWorld,
} from './world.js';

let app: WireWorld;
let customer: Customer;
beforeAll(async () => {
  app = await startWireWorld();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

const HELLO = { model: 'main/chat', messages: [{ role: 'user', content: 'Привет' }] };

/** What the ledger has of a customer beside the top-up. */
async function booked(of: Customer): Promise<{ type: string; amount_micro: string }[]> {
  const { rows } = await app.owner.pool.query<{ type: string; amount_micro: string }>(
    `SELECT type, amount_micro FROM ledger_entry
     WHERE account_id = $1 AND type <> 'top_up' ORDER BY seq`,
    [of.accountId],
  );
  return rows;
}

/** The bodies that a lane has received since a moment. */
function sent(lane: string, since = 0): Record<string, unknown>[] {
  return app.double
    .received(lane)
    .slice(since)
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}

describe.each(Object.entries(WAYS))('%s', (_way, ask) => {
  it('refuses every malformed body by its faults; nothing is called or held', async () => {
    const other = await newCustomer(app, 10);
    const calls = app.double.log.length;
    for (const { name, body, faults } of MALFORMED_CHATS) {
      const { code, faults: told } = await ask(app, other, body);
      expect({ name, code, told }).toEqual({ name, code: 'invalid_request', told: faults });
    }
    expect(app.double.log.length).toBe(calls);
    expect(await booked(other)).toEqual([]);
  });

  it('tells the provider neither metadata nor any member of the gateway’s own', async () => {
    const own = { metadata: { feature: 'secret-feature' }, gw_prompt: null, gw_trace: 'x' };
    const since = app.double.received('main').length;
    const { code } = await ask(app, customer, { ...HELLO, user: 'u-1', vendor_x: 1, ...own });
    expect(code).toBeUndefined();
    const [body] = sent('main', since);
    expect(body).toMatchObject({ model: 'chat-upstream', user: 'u-1', vendor_x: 1 });
    expect(Object.keys(body ?? {}).filter((name) => /^(gw_|metadata)/.test(name))).toEqual([]);
  });

  it('tells metadata to a provider that is configured to be told', async () => {
    const metadata = { feature: 'f', team: 't' };
    const since = app.double.received('told').length;
    await ask(app, customer, { ...HELLO, model: 'told/chat', metadata });
    expect(sent('told', since)).toEqual([expect.objectContaining({ metadata })]);
  });

  it('takes a photo for an image: on a window of 128k, held and counted as one', async () => {
    const other = await newCustomer(app, 100);
    const url = `data:image/jpeg;base64,${Buffer.alloc(500_000, 7).toString('base64')}`;
    const image = { type: 'image_url', image_url: { url } };
    const content = [{ type: 'text', text: 'Что на фото?' }, image];
    const body = { model: 'main/chat', messages: [{ role: 'user', content }], max_tokens: 100 };
    const usage = { prompt_tokens: IMAGE_TOKENS_MAX + 20, completion_tokens: 5 };
    app.double.script('main', { usage });
    const { code } = await ask(app, other, body);
    app.double.script('main', {});
    expect(code).toBeUndefined();
    const entries = await booked(other);
    const hold = Number(entries.find(({ type }) => type === 'hold')?.amount_micro);
    const text = Buffer.byteLength(JSON.stringify(body)) - url.length;
    // A stream by REST says so in its body.
    expect(hold).toBeGreaterThanOrEqual((text + 64 + IMAGE_TOKENS_MAX + 100) * PRICE);
    expect(hold).toBeLessThan((text + 100 + IMAGE_TOKENS_MAX + 100) * PRICE);
    expect(hold).toBeGreaterThanOrEqual((IMAGE_TOKENS_MAX + 25) * PRICE);
  });
});

describe('the field that is called decides about streaming', () => {
  const ask = WAYS['GraphQL, streamed'] as Ask;
  const askWhole = WAYS['GraphQL, plain'] as Ask;

  it.each([undefined, false, null])('a subscription streams where stream is %s', async (stream) => {
    const since = app.double.received('main').length;
    const { code, text } = await ask(app, customer, { ...HELLO, stream });
    expect(code).toBeUndefined();
    expect(text).toContain('gw_routing');
    expect(sent('main', since)).toEqual([
      expect.objectContaining({ stream: true, stream_options: { include_usage: true } }),
    ]);
  });

  it('a mutation that is asked to stream is refused', async () => {
    const calls = app.double.log.length;
    const answer = await askWhole(app, customer, { ...HELLO, stream: true });
    expect(answer).toMatchObject({ code: 'invalid_request', faults: ['stream'] });
    expect(app.double.log.length).toBe(calls);
  });
});

describe('tokens a minute', () => {
  it('take a photo for what an image usually costs', async () => {
    const url = `data:image/jpeg;base64,${Buffer.alloc(500_000, 7).toString('base64')}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const body = {
      model: 'main/chat',
      messages: [{ role: 'user', content }],
      max_tokens: 50,
      n: 2,
    };
    const { headers } = await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body,
    });
    const limit = Number(headers.get('x-ratelimit-limit-tokens'));
    const taken = limit - Number(headers.get('x-ratelimit-remaining-tokens'));
    expect(taken).toBeGreaterThanOrEqual(765 + 100);
    expect(taken).toBeLessThan(2_000);
  });
});

describe('embeddings', () => {
  it('refuse every malformed body by its faults; nothing is called or held', async () => {
    const other = await newCustomer(app, 10);
    const calls = app.double.log.length;
    for (const { name, body, faults } of MALFORMED_EMBEDDINGS) {
      const answer = await rest<{ error: { code: string; faults: { path: string }[] } }>(
        app,
        'POST',
        '/v1/embeddings',
        { credential: other.key, body },
      );
      const told = answer.body.error.faults.map(({ path }) => path);
      expect({ name, status: answer.status, told }).toEqual({ name, status: 400, told: faults });
    }
    expect(app.double.log.length).toBe(calls);
    expect(await booked(other)).toEqual([]);
  });

  it('may be many texts that only together pass the window, and tell no metadata', async () => {
    const since = app.double.received('main').length;
    const input = Array.from({ length: 100 }, () => 'слово '.repeat(100));
    const body = { model: 'main/embed', input, metadata: { feature: 'f' }, gw_x: 1 };
    const answer = await rest(app, 'POST', '/v1/embeddings', { credential: customer.key, body });
    expect(answer.status).toBe(200);
    expect(sent('main', since)).toEqual([{ model: 'embed-upstream', input }]);
  });
});
