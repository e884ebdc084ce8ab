import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customerUnder, type ErrorBody, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { CHAT, EMBED, startMediaApp } from '../../support/media-app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { EMBEDDED, JOINTS, VALUES } from '../firewall/split-values.js';

let app: ProvidedApp;
let plain: Customer;
let blocked: Customer;
let masked: Customer;
const CLASSES = Object.keys(VALUES);
const modes = (mode: string) => Object.fromEntries(CLASSES.map((code) => [code, mode]));
beforeAll(async () => {
  app = await startMediaApp();
  plain = await newCustomer(app, 500);
  blocked = await customerUnder(app, { firewall: modes('block') });
  masked = await customerUnder(app, { hybrid: 'any', firewall: modes('mask') });
});
afterAll(() => app.stop());

const CREATE = `mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }`;

interface Answered {
  readonly model: string;
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

function send(customer: Customer, path: string, body: object) {
  return rest<Answered & ErrorBody>(app, 'POST', path, { credential: customer.key, body });
}

const halved = (code: string): readonly [string, string] => {
  const [before = '', value = '', after = ''] = VALUES[code] ?? [];
  const middle = value.length >> 1;
  return [before + value.slice(0, middle), value.slice(middle) + after];
};

describe.each(CLASSES)('a value of the class %s in two halves', (code) => {
  const texts = halved(code);

  it.each(Object.entries(JOINTS))(
    'is refused in %s, plain, streamed and over GraphQL',
    async (_at, bodyOf) => {
      const calls = app.double.log.length;
      const body = { model: 'gw:auto', ...bodyOf(...texts) };
      const answers = [
        await send(blocked, '/v1/chat/completions', body),
        await send(blocked, '/v1/chat/completions', { ...body, stream: true }),
      ];
      expect(answers.map(outcome)).toEqual(Array(2).fill('403 firewall_blocked'));
      expect(answers[0]?.body.error.message).toContain(code);
      const asked = await graphql(app, CREATE, { input: body }, blocked.key);
      expect(asked.errors?.[0]?.extensions.code).toBe('firewall_blocked');
      expect(app.double.log.length).toBe(calls);
    },
  );

  it('is refused in texts that are embedded', async () => {
    const answer = await send(blocked, '/v1/embeddings', {
      model: 'gw:auto',
      ...EMBEDDED(...texts),
    });
    expect(outcome(answer)).toBe('403 firewall_blocked');
  });
});

describe('a masked value in two messages', () => {
  const messages = [
    { role: 'user', content: 'Мой паспорт 4508 ' },
    { role: 'user', content: '123456, почта leak77@' },
    { role: 'user', content: 'firma.ru' },
  ];

  it('leaves in no half, and comes back in the answer', async () => {
    app.double.script('outside', { text: 'Вот: [[GW_PASSPORT_1]]/[[GW_PASSPORT_2]]' });
    const answer = await send(masked, '/v1/chat/completions', { model: CHAT.outside, messages });
    app.double.script('outside', {});
    expect(JSON.parse(app.double.received('outside').at(-1)?.body ?? '').messages).toEqual([
      { role: 'user', content: 'Мой паспорт [[GW_PASSPORT_1]] ' },
      { role: 'user', content: '[[GW_PASSPORT_2]], почта [[GW_EMAIL_1]]' },
      { role: 'user', content: '[[GW_EMAIL_2]]' },
    ]);
    expect(answer.body.choices[0]?.message.content).toBe('Вот: 4508/123456');
  });

  it('keeps an unmasked request inside Russia', async () => {
    const named = await send(plain, '/v1/chat/completions', { model: CHAT.outside, messages });
    expect(outcome(named)).toBe('403 data_route_forbidden');
    const chosen = await send(plain, '/v1/chat/completions', { model: 'gw:auto', messages });
    expect(chosen.body).toMatchObject({
      model: CHAT.inside,
      gw_firewall: {
        data_class: 'C3',
        findings: [
          { class: 'email', count: 1, confidence: 'confirmed' },
          { class: 'passport', count: 1, confidence: 'confirmed' },
        ],
      },
    });
    const embedded = await send(plain, '/v1/embeddings', {
      model: EMBED.outside,
      ...EMBEDDED('Мой паспорт 4508 ', '123456'),
    });
    expect(outcome(embedded)).toBe('403 data_route_forbidden');
  });
});
