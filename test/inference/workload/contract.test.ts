import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { customerUnder } from '../../journeys/people.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { type Body, latest, routingOf, textOf, VOICES } from '../money/world.js';
import {
  effectsOf,
  lastSent,
  NEWER,
  OLDER,
  PLAIN,
  publish,
  startWorkloadWorld,
  THINKER,
} from './world.js';

let app: ProvidedApp;
beforeAll(async () => {
  app = await startWorkloadWorld();
});
afterAll(() => app?.stop());
beforeEach(() => {
  app.double.script('plain', {});
  app.double.script('thinker', {});
});

const [[, askPlain]] = VOICES as [(typeof VOICES)[number]];
const QUESTION = { model: PLAIN, messages: [{ role: 'user', content: 'Сколько дней в году?' }] };
const say = (role: string, content: string) => ({ role, content });

describe.each(VOICES)('the output ceiling of a contract (%s)', (_name, ask) => {
  it('lowers what a request asks, sets what it leaves open, and raises nothing', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, { output_tokens_max: 40 });
    const cases = [
      [{ max_tokens: 300 }, { max_tokens: 40 }, '300', '40', 'lowered'],
      [{ max_completion_tokens: 300 }, { max_completion_tokens: 40 }, '300', '40', 'lowered'],
      [{}, { max_tokens: 40 }, null, '40', 'set'],
      [{ max_tokens: 10 }, { max_tokens: 10 }, '10', '10', 'within'],
    ] as const;
    for (const [limit, sent, asked, used, reason] of cases) {
      const told = await ask(app, customer.key, { ...QUESTION, ...limit });
      expect(told.failure).toBeUndefined();
      const { max_tokens, max_completion_tokens } = lastSent(app);
      expect(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens }))).toEqual(sent);
      expect(effectsOf(told)).toEqual({ output_tokens: { stated: '40', asked, used, reason } });
    }
  });

  it('is told under the one name that a model takes, as is what the client states', async () => {
    const [customer, other] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
    await publish(app, customer, { output_tokens_max: 40 });
    const stated = [{}, { max_tokens: 10 }, { max_completion_tokens: 10 }, { max_tokens: 300 }];
    const both = { max_tokens: 10, max_completion_tokens: 12 };
    const sentOf = async (who: Customer, model: string, limit: object) => {
      const told = await ask(app, who.key, { ...QUESTION, model, ...limit });
      expect(told.failure).toBeUndefined();
      const sent = lastSent(app, model.slice(0, model.indexOf('/')));
      return [sent.max_tokens, sent.max_completion_tokens];
    };
    for (const [at, limit] of [...stated, both].entries()) {
      const [capped, free] = [[40, 10, 10, 40, 12][at], [undefined, 10, 10, 300, 12][at]];
      expect([limit, await sentOf(customer, NEWER, limit)]).toEqual([limit, [undefined, capped]]);
      expect([limit, await sentOf(other, NEWER, limit)]).toEqual([limit, [undefined, free]]);
      if (limit === both) continue;
      expect([limit, await sentOf(customer, OLDER, limit)]).toEqual([limit, [capped, undefined]]);
      expect([limit, await sentOf(other, OLDER, limit)]).toEqual([limit, [free, undefined]]);
    }
    expect(await sentOf(other, PLAIN, both)).toEqual([10, 12]);
  });

  it('bounds the hold and the charge of an upstream that answers more', async () => {
    const [customer, other] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
    await publish(app, customer, { output_tokens_max: 40 });
    app.double.script('plain', { usage: { prompt_tokens: 11, completion_tokens: 900 } });
    for (const who of [customer, other]) {
      expect((await ask(app, who.key, QUESTION)).failure).toBeUndefined();
    }
    const [bound, free] = [await latest(app, customer), await latest(app, other)];
    expect(bound.output).toBeLessThanOrEqual(40);
    expect(bound.chargedMicro).toBeLessThanOrEqual(bound.heldMicro);
    expect(bound.beyondMicro).toBeGreaterThan(bound.heldMicro);
    // 960 tokens less at 1,000 rubles a million.
    expect(free.heldMicro - bound.heldMicro).toBe(960_000n);
    expect(free.beyondMicro).toBeNull();
  });
});

describe('the ceiling beside other limits', () => {
  it('cuts a stream that passes it, with the finish reason length', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, { output_tokens_max: 40 });
    app.double.script('plain', { text: 'слово', repeat: 900, usage: null });
    const ask = VOICES[1]?.[1] ?? askPlain;
    const told = await ask(app, customer.key, QUESTION);
    expect(textOf(told).length).toBeLessThan(900 * 'слово'.length);
    expect((await latest(app, customer)).finishReason).toBe('length');
  });

  it('gives way to a lower one of a policy, and says so', async () => {
    const strict = await customerUnder(app, { limits: { max_output_tokens: 20 } });
    await publish(app, strict, { output_tokens_max: 40 });
    const told = await askPlain(app, strict.key, { ...QUESTION, max_tokens: 300 });
    expect(lastSent(app).max_tokens).toBe(20);
    expect(effectsOf(told)?.output_tokens).toEqual({
      stated: '40',
      asked: '300',
      used: '20',
      reason: 'bounded_elsewhere',
    });
  });

  it('holds from the next request on, by its version, for its own workload alone', async () => {
    const [customer, other] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
    const sentUnder = async (who = customer, metadata = {}) => {
      const told = await askPlain(app, who.key, { ...QUESTION, metadata });
      const { workload } = routingOf(told) as { workload?: Body };
      return [lastSent(app).max_tokens, workload?.contract, workload?.contract_version];
    };
    expect(await sentUnder()).toEqual([undefined, undefined, undefined]);
    for (const [version, output_tokens_max] of [40, 30, 50].entries()) {
      await publish(app, customer, { output_tokens_max });
      expect(await sentUnder()).toEqual([output_tokens_max, 'default', version + 1]);
    }
    await publish(app, customer, { contract_key: 'letters', output_tokens_max: 5 });
    expect(await sentUnder(customer, { workload: 'letters' })).toEqual([5, 'letters', 1]);
    expect(await sentUnder(customer, { workload: 'unknown' })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await sentUnder(other, { workload: 'letters' })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the history under a contract', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
  const HISTORY = [
    say('system', 'Отвечай коротко.'),
    say('user', 'Первый вопрос'),
    say('assistant', 'Первый ответ'),
    say('user', 'Какая погода?'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'Ясно' },
    say('assistant', 'Ясно'),
    say('user', 'А завтра?'),
  ];

  it.each(VOICES)(
    'keeps whole turns, the system and the last question (%s)',
    async (_name, ask) => {
      const customer = await newCustomer(app, 1_000);
      await publish(app, customer, { history_messages_max: 5 });
      const told = await ask(app, customer.key, { ...QUESTION, messages: HISTORY });
      expect(told.failure).toBeUndefined();
      expect(lastSent(app).messages).toEqual([HISTORY[0], ...HISTORY.slice(3)]);
      expect(effectsOf(told)).toEqual({
        history_messages: { stated: '5', asked: '6', used: '4', reason: 'pruned' },
      });
      await publish(app, customer, { history_messages_max: 3 });
      await ask(app, customer.key, { ...QUESTION, messages: HISTORY });
      expect(lastSent(app).messages).toEqual([HISTORY[0], HISTORY[7]]);
      await publish(app, customer, { history_messages_max: 6 });
      await ask(app, customer.key, { ...QUESTION, messages: HISTORY });
      expect(lastSent(app).messages).toEqual(HISTORY);
    },
  );

  it('is bounded by tokens too, and its hold is that of what is sent', async () => {
    const [customer, other] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
    await publish(app, customer, { history_tokens_max: 120 });
    const long = [say('user', 'слово '.repeat(400)), say('assistant', 'Да'), ...HISTORY.slice(1)];
    const body = { ...QUESTION, messages: long, max_tokens: 10 };
    const told = await askPlain(app, customer.key, body);
    expect(lastSent(app).messages).toEqual(HISTORY.slice(1));
    const { history_tokens: effect } = effectsOf(told) ?? {};
    expect(effect).toEqual({
      stated: '120',
      asked: null,
      used: expect.stringMatching(/^[0-9]+$/),
      reason: 'pruned',
    });
    expect(Number(effect?.used)).toBeLessThanOrEqual(120);
    await askPlain(app, other.key, body);
    expect(lastSent(app).messages).toEqual(long);
    const [bound, free] = [await latest(app, customer), await latest(app, other)];
    expect(bound.heldMicro).toBeLessThan(free.heldMicro);
  });

  it('is not judged where it is dropped, and its pictures need no model that sees', async () => {
    const customer = await customerUnder(app, { firewall: { passport: 'block' } });
    const secret = say('user', 'Паспорт 4509 123456, выдан ОВД');
    const body = { ...QUESTION, messages: [secret, say('assistant', 'Да'), ...QUESTION.messages] };
    expect((await askPlain(app, customer.key, body)).failure).toBe('firewall_blocked');
    await publish(app, customer, { history_messages_max: 0 });
    expect((await askPlain(app, customer.key, body)).failure).toBeUndefined();
    expect(lastSent(app).messages).toEqual(QUESTION.messages);
  });
});

describe('the reasoning of a contract', () => {
  it('is told to a model that reasons, and lowers what any request states', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, { reasoning_effort_max: 'low' });
    const cases = [
      [THINKER, {}, 'low', null, 'set'],
      [THINKER, { reasoning_effort: null }, 'low', null, 'set'],
      [THINKER, { reasoning_effort: 'high' }, 'low', 'high', 'lowered'],
      [THINKER, { reasoning_effort: 'minimal' }, 'minimal', 'minimal', 'within'],
      [THINKER, { reasoning_effort: 'turbo' }, 'turbo', 'turbo', 'effort_unknown'],
      [THINKER, { reasoning: { effort: 'high' } }, undefined, null, 'provider_member'],
      [PLAIN, {}, undefined, null, 'model_does_not_reason'],
      [PLAIN, { reasoning_effort: 'high' }, 'low', 'high', 'lowered'],
    ] as const;
    for (const [model, more, sent, asked, reason] of cases) {
      const told = await askPlain(app, customer.key, { ...QUESTION, model, ...more });
      const lane = model === PLAIN ? 'plain' : 'thinker';
      expect([more, lastSent(app, lane).reasoning_effort]).toEqual([more, sent]);
      expect(effectsOf(told)).toEqual({
        reasoning_effort: { stated: 'low', asked, used: sent ?? null, reason },
      });
    }
  });

  it('has no place for tokens, which are refused by name', async () => {
    const customer = await newCustomer(app);
    const { status, body } = await rest<{ error: { param: string; message: string } }>(
      app,
      'POST',
      '/v1/gw/workloads/contracts',
      {
        credential: customer.token,
        body: { contract_key: 'a', exact_cache_enabled: false, reasoning_tokens_max: 100 },
      },
    );
    expect([status, body.error.param]).toEqual([400, 'reasoning_tokens_max']);
    expect(body.error.message).toContain('state reasoning_effort_max and output_tokens_max');
  });
});

describe('the retrieval budget of a contract', () => {
  const blocks = ['a', 'b', 'c'].map((id, at) => ({
    id,
    text: `Пункт ${id} договора. `.repeat(20),
    priority: 'SHOULD',
    value: 9 - at,
  }));

  it('keeps the blocks of the highest value within it, and refuses a MUST beyond it', async () => {
    const [customer, other] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
    await publish(app, customer, { retrieval_tokens_max: 300 });
    const body = { ...QUESTION, gw_context: { blocks, tokens_max: 4_000 } };
    const told = await askPlain(app, customer.key, body);
    const { gw_context: used } = told.chunks[0] as { gw_context: Body };
    expect(used.kept).toEqual(['a', 'b']);
    expect(effectsOf(told)).toEqual({
      retrieval_tokens: {
        stated: '300',
        asked: '4000',
        used: String(used.tokens_after),
        reason: 'lowered',
      },
    });
    const free = await askPlain(app, other.key, body);
    expect(free.chunks).toMatchObject([{ gw_context: { kept: ['a', 'b', 'c'] } }]);
    expect(effectsOf(await askPlain(app, customer.key, QUESTION))).toEqual({
      retrieval_tokens: { stated: '300', asked: null, used: null, reason: 'no_blocks' },
    });
    const must = blocks.map((each) => ({ ...each, priority: 'MUST' }));
    const refused = await askPlain(app, customer.key, {
      ...QUESTION,
      gw_context: { blocks: must },
    });
    expect(refused.failure).toBe('context_cannot_compile');
  });
});

describe('the advice of a contract', () => {
  it('recommends asynchronous work to patient requests that nobody reads along', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, { async_from: 'DEFERRABLE' });
    const adviceOn = async (named: string | undefined, at = 0) => {
      const ask = VOICES[at]?.[1] ?? askPlain;
      const metadata = named === undefined ? {} : { interaction_class: named };
      return effectsOf(await ask(app, customer.key, { ...QUESTION, metadata }))?.async;
    };
    const advice = { stated: 'DEFERRABLE', used: null };
    expect(await adviceOn('BATCH')).toEqual({
      ...advice,
      asked: 'BATCH',
      used: 'recommended',
      reason: 'patient',
    });
    expect(await adviceOn('NEAR_REALTIME')).toEqual({
      ...advice,
      asked: 'NEAR_REALTIME',
      reason: 'urgent',
    });
    expect(await adviceOn(undefined)).toEqual({ ...advice, asked: null, reason: 'urgent' });
    expect(await adviceOn('BATCH', 1)).toEqual({ ...advice, asked: 'BATCH', reason: 'streamed' });
  });
});

it('nothing stays held, and the books hold', async () => {
  const { rows } = await app.owner.pool.query(
    'SELECT DISTINCT held_micro::int AS held FROM account',
  );
  expect(rows).toEqual([{ held: 0 }]);
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
});
