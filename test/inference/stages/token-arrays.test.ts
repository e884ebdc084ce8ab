import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import * as p50k from 'gpt-tokenizer/encoding/p50k_base';
import * as r50k from 'gpt-tokenizer/encoding/r50k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTokens } from '../../../src/inference/firewall/token-text.js';
import { customerUnder, type ErrorBody, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { EMBED, startMediaApp } from '../../support/media-app.js';
import type { ProvidedApp } from '../../support/provided-app.js';

const ENCODINGS = { o200k, cl100k, p50k, r50k };
const VALUES = {
  passport: ['Мой паспорт ', '4508 123456'],
  snils: ['СНИЛС ', '112-233-445 95'],
  phone: ['Звоните ', '+7 916 123-45-67'],
} as const;
const CASES = Object.entries(ENCODINGS).flatMap(([name, encoding]) =>
  Object.entries(VALUES).map(([code, words]) => [name, code, words, encoding] as const),
);
const HARMLESS = 'Погода в мае бывает разной, и это хорошо.';
const modes = (mode: string) => ({ passport: mode, snils: mode, phone: mode });

let app: ProvidedApp;
let plain: Customer;
let blocked: Customer;
let masked: Customer;
beforeAll(async () => {
  app = await startMediaApp();
  plain = await newCustomer(app, 500);
  blocked = await customerUnder(app, { firewall: modes('block') });
  masked = await customerUnder(app, { hybrid: 'any', firewall: modes('mask') });
});
afterAll(() => app.stop());

const CREATE = 'mutation($input: EmbeddingsRequest!) { embeddingsCreate(input: $input) }';

interface Embedded {
  readonly model: string;
  readonly gw_firewall: { readonly verdict: string; readonly data_class: string };
}

function embed({ key }: Customer, input: unknown, model: string = EMBED.outside) {
  const body = { model, input };
  return rest<Embedded & ErrorBody>(app, 'POST', '/v1/embeddings', { credential: key, body });
}

function sentAbroad(): { input: unknown } {
  return JSON.parse(app.double.received('outside').at(-1)?.body ?? '{}');
}

describe.each(CASES)('a token array of %s with a %s', (_name, code, [before, value], encoding) => {
  const ids = encoding.encode(`${before}${value} вот.`);

  it('is refused under block in each voice, and nothing is called', async () => {
    const calls = app.double.log.length;
    const lists = [ids, [[...encoding.encode(HARMLESS)], ids]];
    for (const input of lists) {
      const answer = await embed(blocked, input);
      expect(outcome(answer)).toBe('403 firewall_blocked');
      expect(answer.body.error).toMatchObject({
        gw_firewall: { findings: [{ class: code, count: 1, confidence: 'confirmed' }] },
      });
      const asked = await graphql(app, CREATE, { input: { model: 'gw:auto', input } }, blocked.key);
      expect(asked.errors?.[0]?.extensions.code).toBe('firewall_blocked');
    }
    expect(app.double.log.length).toBe(calls);
  });

  it('leaves under mask as the masked text, and under detect stays inside', async () => {
    const placeholder = `[[GW_${code.toUpperCase()}_1]]`;
    expect((await embed(masked, ids)).body.gw_firewall).toMatchObject({ verdict: 'masked' });
    expect(sentAbroad().input).toBe(`${before}${placeholder} вот.`);
    await embed(masked, [encoding.encode(HARMLESS), ids]);
    expect(sentAbroad().input).toEqual([HARMLESS, `${before}${placeholder} вот.`]);
    expect(outcome(await embed(plain, ids))).toBe('403 data_route_forbidden');
    const inside = await embed(plain, ids, 'gw:auto');
    expect(inside.body).toMatchObject({ model: EMBED.inside, gw_firewall: { data_class: 'C3' } });
  });
});

describe.each(Object.entries(ENCODINGS))('an ordinary token array of %s', (_name, encoding) => {
  it('is C0 and leaves as the same tokens', async () => {
    const input = [encoding.encode(HARMLESS), encoding.encode('The weather in May.')];
    for (const customer of [plain, blocked, masked]) {
      const answer = await embed(customer, input);
      expect(answer.body.gw_firewall).toMatchObject({
        verdict: 'pass',
        data_class: 'C0',
        unread: [],
      });
      expect(sentAbroad().input).toEqual(input);
    }
  });
});

describe.each([
  ['null', null],
  ['an empty list', []],
  ['a chat', [{ role: 'user', content: 'a' }]],
])('a token array beside `messages` that are %s', (_what, messages) => {
  const input = o200k.encode('Мой паспорт 4508 123456');
  const body = { model: EMBED.outside, input, messages };

  it('is read in each voice as without them', async () => {
    const calls = app.double.log.length;
    for (const [{ key }, code] of [
      [plain, 'data_route_forbidden'],
      [blocked, 'firewall_blocked'],
    ] as const) {
      const answer = await rest<ErrorBody>(app, 'POST', '/v1/embeddings', {
        credential: key,
        body,
      });
      expect(outcome(answer)).toBe(`403 ${code}`);
      const asked = await graphql(app, CREATE, { input: body }, key);
      expect(asked.errors?.[0]?.extensions.code).toBe(code);
    }
    expect(app.double.log.length).toBe(calls);
  });
});

describe('a value that neighbouring token arrays split', () => {
  it('is refused under block, and masked in both', async () => {
    const input = [o200k.encode('Мой паспорт 4508'), o200k.encode(' 123456 вот')];
    expect(outcome(await embed(blocked, input))).toBe('403 firewall_blocked');
    await embed(masked, input);
    expect(sentAbroad().input).toEqual(['Мой паспорт [[GW_PASSPORT_1]]', ' [[GW_PASSPORT_2]] вот']);
  });
});

describe('a token array that no encoding writes so', () => {
  const digits = [...'Мой паспорт 4508 123456'].flatMap((letter) => o200k.encode(letter));
  const cases: readonly (readonly [what: string, input: readonly unknown[]])[] = [
    ['ids of another vocabulary', [101, 2023, 2003, 1037, 3231, 102]],
    ['an id beyond every vocabulary', [...o200k.encode(HARMLESS), 5_000_000]],
    ['a control token', [...o200k.encode(HARMLESS), 199_999]],
    ['a number of nine digits', [...o200k.encode(HARMLESS), 100_000_000]],
  ];

  it.each(cases)('is never C0: %s', async (_what, input) => {
    expect(outcome(await embed(plain, input))).toBe('403 data_route_forbidden');
    expect(outcome(await embed(plain, [input]))).toBe('403 data_route_forbidden');
    expect((await embed(plain, input, 'gw:auto')).body).toMatchObject({
      model: EMBED.inside,
      gw_firewall: {
        data_class: 'C3',
        unread: [{ kind: 'tokens', count: 1, policy: 'rf_only' }],
      },
    });
  });

  it('is read all the same: a value in it is refused under block and under mask', async () => {
    for (const input of [digits, [...digits, 5_000_000], [...digits, 199_999]]) {
      expect(outcome(await embed(blocked, input, 'gw:auto'))).toBe('403 firewall_blocked');
      expect(outcome(await embed(masked, input, 'gw:auto'))).toBe('403 firewall_blocked');
    }
  });

  it('is refused or let through where a policy says so', async () => {
    const [, ids] = cases[0] ?? [];
    const refusing = await customerUnder(app, { firewall_unread: { tokens: 'refuse' } });
    const answer = await embed(refusing, [o200k.encode(HARMLESS), ids]);
    expect(outcome(answer)).toBe('403 content_unread');
    expect(answer.body.error.message).toContain('tokens in input.1');
    const allowing = await customerUnder(app, { firewall_unread: { tokens: 'allow' } });
    expect((await embed(allowing, ids)).body.gw_firewall).toMatchObject({ data_class: 'C2' });
    expect(sentAbroad().input).toEqual(ids);
  });
});

describe('token arrays as texts', () => {
  it('are not decoded beyond their bounds, which makes them unread', async () => {
    const long = new Array<number>(32_769).fill(5);
    const many = Array.from({ length: 17 }, () => new Array<number>(32_000).fill(5));
    expect(await readTokens([long])).toEqual([[]]);
    expect(await readTokens(many)).toEqual(many.map(() => []));
  });

  it('of a long unbroken run are read and not known, since writing it takes long', async () => {
    const run = '7'.repeat(3_000);
    const [readings] = await readTokens([o200k.encode(run)]);
    expect(readings?.[0]).toMatchObject({ encoding: 0, text: run, isWritten: false });
  });

  it('say the same for whoever asks, whatever was decoded before', async () => {
    const half = o200k.encode('😀🙈').slice(0, 1);
    const whole = o200k.encode('Погода в мае');
    const [before] = await readTokens([whole]);
    await readTokens([half]);
    expect((await readTokens([whole]))[0]).toEqual(before);
  });
});
