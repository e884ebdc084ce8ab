import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, errorCodeOf } from '../../faults/client.js';
import { booksOf, startWorld, usageOf, type World } from '../../rest-compat/clients/world.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

const messages = [{ role: 'user', content: 'Здравствуйте' }];
const CUT = 'data: {"choices":[{"delta":{"content":"a"}\n\n';

function ask({ key }: Customer, model: string, stream: boolean) {
  return chat(world.app.url, { credential: key, body: { model, messages, stream } });
}

describe('an event that is no JSON', () => {
  it.each([
    ['in the read of good content', { oneWrite: true }],
    ['in a read of its own', { gapMs: 5 }],
  ])('%s ends the stream, charges what was produced and leaves nothing held', async (_, reads) => {
    const customer = await newCustomer(world.app, 10);
    await world.script('odd', { ...reads, insertAfter: 4, insert: CUT });
    const seen = await ask(customer, 'odd/chat', true);
    expect([seen.status, seen.complete]).toEqual([200, false]);
    expect(seen.text).toContain('"code":"stream_cut"');
    await expect
      .poll(async () => (await usageOf(world, customer)).map(({ status }) => status))
      .toEqual(['partial']);
    const { held, charges } = await booksOf(world, customer);
    expect([held, charges.length]).toEqual([0, 1]);
  });

  it('before any content lets the fallback answer', async () => {
    const customer = await newCustomer(world.app, 10);
    await world.script('main', {});
    await world.script('spare', { insertAfter: 1, insert: CUT, oneWrite: true });
    const seen = await ask(customer, 'spare/chat', true);
    expect([seen.status, seen.complete, seen.headers['x-gw-model']]).toEqual([
      200,
      true,
      'main/chat',
    ]);
    expect((await booksOf(world, customer)).held).toBe(0);
  });
});

describe('an answer without choices', () => {
  const empty = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 900 } };
  const stream = `data: ${JSON.stringify(empty)}\n\ndata: [DONE]\n\n`;
  it.each([
    ['whole', false, JSON.stringify(empty)],
    ['streamed', true, stream],
  ])('is tried elsewhere, and free where there is no elsewhere: %s', async (_, streamed, raw) => {
    const customer = await newCustomer(world.app, 10);
    await world.script('main', {});
    await world.script('spare', { raw });
    const elsewhere = await ask(customer, 'spare/chat', streamed);
    expect([elsewhere.status, elsewhere.complete]).toEqual([200, true]);
    const alone = await newCustomer(world.app, 10);
    await world.script('odd', { raw });
    const seen = await ask(alone, 'odd/chat', streamed);
    expect([seen.status, errorCodeOf(seen)]).toEqual([502, 'upstream_failed']);
    expect(await booksOf(world, alone)).toEqual({ balance: 10, held: 0, charges: [] });
  });
});

describe('a rate limit of the provider', () => {
  it.each([true, false])('reaches the client as 429 with its time, stream %s', async (stream) => {
    const customer = await newCustomer(world.app, 10);
    await world.script('busy', { status: 429, headers: { 'retry-after': '7' } });
    const answer = await rest(world.app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'busy/chat', messages, stream },
    });
    expect(answer.status).toBe(429);
    expect(answer.body.error).toMatchObject({ code: 'upstream_rate_limited' });
    // The second of both is told what is left of the time: the provider is not asked again in it.
    const waitMs = Number(answer.headers.get('retry-after-ms'));
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(7_000);
    expect(answer.headers.get('retry-after')).toBe(String(Math.ceil(waitMs / 1_000)));
    expect((await world.received('busy')).length).toBe(stream ? 1 : 0);
    expect(await booksOf(world, customer)).toEqual({ balance: 10, held: 0, charges: [] });
  });

  it('is what the client is told also when the fallback fails otherwise', async () => {
    const customer = await newCustomer(world.app, 10);
    await world.script('spare', { status: 429, headers: { 'retry-after-ms': '4500' } });
    await world.script('main', { status: 401 });
    const answer = await rest(world.app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'spare/chat', messages },
    });
    await world.script('main', {});
    expect([answer.status, answer.headers.get('retry-after-ms')]).toEqual([429, '4500']);
    expect(answer.headers.get('retry-after')).toBe('5');
  });
});
