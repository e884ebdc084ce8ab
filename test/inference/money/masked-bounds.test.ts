import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { newCustomer, rest } from '../../support/app.js';
import { latest, type MoneyWorld, routingOf, SHORT, startMoneyWorld, VOICES } from './world.js';

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld();
});
afterAll(() => world.stop());

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Two hundred addresses of three tokens each, whose placeholders have ten. */
const MENTIONS = Array.from({ length: 200 }, (_, at) => {
  const name = `ab${LETTERS[at % 26]}${LETTERS[Math.floor(at / 26)]}`;
  return `tg @${name}`;
}).join(' ');

const ASKED = { ...SHORT, messages: [{ role: 'user', content: MENTIONS }] };

/** What an honest provider counts of the prompt that it was sent. */
async function honestCount(): Promise<number> {
  const { count } = await loadTokenizer();
  const [asked] = (await world.double.received('own')).slice(-1);
  const { messages } = JSON.parse(String(asked?.body)) as { readonly messages: unknown };
  return count(JSON.stringify(messages));
}

describe.each(VOICES)('a prompt with placeholders longer than its values (%s)', (_name, ask) => {
  it('is held and judged by what was sent, so that its provider stays', async () => {
    const customer = await newCustomer(world, 1_000);
    const other = await newCustomer(world, 1_000);
    await rest(world, 'POST', '/v1/gw/policies', {
      credential: customer.token,
      body: { name: 'masked', firewall: { messenger_handle: 'mask' } },
    });
    await world.double.script('own', {});
    await ask(world, customer.key, ASKED);
    const prompt = await honestCount();
    expect(prompt).toBeGreaterThan(MENTIONS.length);
    const usage = { prompt_tokens: prompt, completion_tokens: 3 };
    await world.double.script('own', { usage });
    for (let count = 0; count < 6; count += 1) {
      const told = routingOf(await ask(world, customer.key, ASKED));
      expect(told).toMatchObject({ usage_source: 'upstream', usage: { input_uncached: prompt } });
    }
    expect((await latest(world, customer)).rawUsage).toEqual(usage);
    const { rows } = await world.owner.pool.query('SELECT 1 FROM ledger_overrun');
    expect(rows).toEqual([]);
    await world.double.script('own', {});
    expect(routingOf(await ask(world, other.key, SHORT))).toMatchObject({
      usage_source: 'upstream',
    });
  });
});
