import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { customerUnder } from '../../journeys/people.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { ask, type Body, lastSent, prose, startWindowWorld, type WindowWorld } from './world.js';

let app: WindowWorld;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startWindowWorld();
  customer = await newCustomer(app, 10_000);
  other = await newCustomer(app, 10_000);
});
afterAll(() => app?.stop());
beforeEach(() => app.double.script('narrow', {}));

describe('the firewall', () => {
  const PASSPORT = 'Паспорт 4509 123456, выдан ОВД';

  it('judges what is sent of the blocks, and masks it', async () => {
    const masking = await customerUnder(app, { firewall: { passport: 'mask' } });
    const blocks = [{ id: 'a', text: PASSPORT, priority: 'MUST' }];
    const { body } = await ask(app, masking, { blocks });
    expect(body.gw_firewall).toMatchObject({ verdict: 'masked', data_class: 'C3' });
    expect(JSON.stringify(await lastSent(app))).not.toContain('123456');
  });

  it.each([
    ['a card', 'Карта 4276 3801 ', '2345 6787 до мая', 'Карта * \n\n* до мая'],
    ['a SNILS', 'СНИЛС 112-233', '-445 95 в деле', 'СНИЛС *\n\n* в деле'],
    ['a passport', 'паспорт 4509 1', '23456 выдан', 'паспорт *\n\n* выдан'],
    ['a name', 'Клиент: Иванов Пётр', ' Сергеевич, вот', 'Клиент: *\n\n *, вот'],
  ])('masks %s that is cut between two blocks, for who masks it', async (_, a, b, expected) => {
    const firewall = { card: 'mask', snils: 'mask', passport: 'mask', person_name: 'mask' };
    const masking = await customerUnder(app, { firewall });
    const blocks = [a, b].map((text, at) => ({ id: `${at}`, text, priority: 'MUST' }));
    const sentFor = async (asking: Customer) => {
      await ask(app, asking, { blocks });
      const { messages } = await lastSent(app);
      const texts = messages.map(({ content }) => content);
      return texts.find((content) => content.includes('\n\n'));
    };
    const sent = await sentFor(masking);
    expect(sent?.replaceAll(/\[\[GW_[A-Z_]+\d\]\]/g, '*')).toBe(expected);
    expect(await sentFor(other)).toBe(`${a}\n\n${b}`);
  });

  it('does not judge what was dropped, which goes nowhere', async () => {
    const secret = `${PASSPORT} ${prose(9_000)}`;
    const blocks = [{ id: 'dropped', text: secret, priority: 'COULD' }];
    const { body } = await ask(app, customer, { blocks });
    expect(body.gw_context.kept).toEqual([]);
    expect(body.gw_firewall).toMatchObject({ verdict: 'pass', data_class: 'C0' });
    expect(JSON.stringify(await lastSent(app))).not.toContain('4509');
    const { rows } = await app.owner.pool.query(
      'SELECT metadata::text FROM usage_event WHERE tenant_id = $1',
      [customer.tenantId],
    );
    expect(JSON.stringify(rows)).not.toContain('4509');
  });

  it('of a policy that blocks refuses a kept block and lets a dropped one be', async () => {
    const strict = await customerUnder(app, { firewall: { passport: 'block' } });
    const kept = [{ id: 'a', text: PASSPORT, priority: 'MUST' }];
    const { body } = await ask(app, strict, { blocks: kept });
    expect(body.error.code).toBe('firewall_blocked');
    const dropped = [{ id: 'a', text: `${PASSPORT} ${prose(9_000)}`, priority: 'COULD' }];
    expect((await ask(app, strict, { blocks: dropped })).status).toBe(200);
  });
});

describe('other stages', () => {
  it('a kept answer is that of the sent body: other dropped blocks change nothing', async () => {
    const contract = {
      contract_key: 'default',
      exact_cache_enabled: true,
      exact_cache_seconds: 600,
    };
    const path = '/v1/gw/workloads/contracts';
    await rest(app, 'POST', path, { credential: other.token, body: contract });
    const fact = { id: 'a', text: 'Срок поставки десять дней.', priority: 'MUST' };
    const cut = (text: string) => ({ id: 'b', text: text + prose(9_000), priority: 'COULD' });
    const cacheOf = async (blocks: unknown[]) =>
      (await ask(app, other, { blocks })).body.gw_routing.cache;
    expect(await cacheOf([fact, cut('один')])).toMatchObject({ status: 'miss' });
    expect(await cacheOf([fact, cut('другой')])).toMatchObject({ status: 'hit' });
    const changed = { ...fact, text: 'Срок поставки пять дней.' };
    expect(await cacheOf([changed, cut('один')])).toMatchObject({ status: 'miss' });
  });

  it('the router weighs the texts, and holds windows to all that was planned', async () => {
    const blocks = [{ id: 'a', text: prose(2_900), priority: 'MUST' }];
    const { body } = await ask(app, customer, { blocks }, { model: 'gw:auto', max_tokens: 900 });
    const { prompt_tokens, tokens_after, output_tokens, safety_tokens } = body.gw_context;
    const texts = Number(prompt_tokens) + tokens_after;
    const row = await app.owner.prisma.usageEvent.findFirstOrThrow({
      where: { tenantId: customer.tenantId },
      orderBy: { seq: 'desc' },
    });
    const { features } = (row.metadata as { gw_routing: { features: Body } }).gw_routing;
    expect(features).toMatchObject({
      text_tokens: texts,
      window_tokens: texts + Number(output_tokens) + Number(safety_tokens),
    });
    // The narrow model is cheaper and would hold the texts alone.
    expect(texts).toBeLessThan(4_000);
    expect(body.model).toBe('wide/chat');
  });

  it('a provider that lies about its usage is billed by the sent body at most', async () => {
    const lie = { prompt_tokens: 9_999_999, completion_tokens: 9_999_999, total_tokens: 1 };
    await app.double.script('narrow', { usage: lie });
    const { body, status } = await ask(app, customer, {
      blocks: [{ id: 'cut', text: prose(9_000), priority: 'COULD' }],
    });
    expect(status).toBe(200);
    const { input_uncached: input, output_text: output } = body.gw_routing.usage as Body;
    expect(Number(input)).toBeLessThan(400);
    expect(Number(output)).toBeLessThanOrEqual(200);
    expect(await checkInvariants(app.owner.pool)).toEqual([]);
  });

  it('limits of tokens take what is given and get back what is not sent', async () => {
    const limited = await customerUnder(app, { limits: { tpm: 50_000 } });
    const blocks = [{ id: 'cut', text: prose(20_000), priority: 'COULD' }];
    for (let round = 0; round < 4; round += 1) {
      expect((await ask(app, limited, { blocks })).status).toBe(200);
    }
  });
});
