import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customerUnder } from '../../journeys/people.js';
import { INSIDE, type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { type Customer, rest } from '../../support/app.js';

let app: RoutedApp;

beforeAll(async () => {
  app = await startRoutedApp();
});
afterAll(() => app.stop());

const PHONE = '+7 916 123-45-67';
const LABELS = {
  feature: `call ${PHONE}`,
  environment: PHONE,
  client_id: `client ${PHONE}`,
  note: { [`of ${PHONE}`]: [PHONE, 7] },
};

const QUESTIONS = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: INSIDE, messages: [{ role: 'user', content: 'Привет' }] },
  },
} as const;

async function ask(customer: Customer, metadata: object) {
  const { path, body } = QUESTIONS.chat;
  const answer = await rest(app, 'POST', path, {
    credential: customer.key,
    body: { ...body, metadata },
  });
  expect(answer.status).toBe(200);
  const { rows } = await app.owner.pool.query<Record<string, unknown>>(
    `SELECT feature, environment, client_id, metadata FROM usage_event
     WHERE tenant_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [customer.tenantId],
  );
  return rows[0];
}

describe('labels of a request', () => {
  it.each(['mask', 'detect'] as const)(
    'are written without personal data under %s',
    async (mode) => {
      const customer = await customerUnder(app, { hybrid: 'rf_only', firewall: { phone: mode } });
      const row = await ask(customer, LABELS);
      expect(JSON.stringify(row)).not.toContain('916');
      expect(row).toMatchObject({ feature: expect.stringMatching(/^call \S+$/) });
    },
  );

  it('are written without what their names say, in texts, numbers and lists', async () => {
    const customer = await customerUnder(app, { hybrid: 'rf_only' });
    const row = await ask(customer, {
      passport: '4509 123456',
      client_inn: 500100732259,
      phone_number: 79161234567,
      clients: [{ passport: '4509 123456' }, { snils: 11223344595 }],
      client_id: 'client 4509',
      order: 7,
    });
    expect(JSON.stringify(row)).not.toMatch(/123456|500100732259|11223344595/);
    expect(row).toMatchObject({
      client_id: 'client 4509',
      metadata: { passport: '[[GW_PASSPORT_1]]', order: 7 },
    });
  });

  it('are written as they came where nothing is found, or the class is off', async () => {
    const plain = { feature: 'support', environment: 'prod', client_id: 'c-1', note: 'x' };
    const customer = await customerUnder(app, { hybrid: 'rf_only', firewall: { phone: 'mask' } });
    expect(await ask(customer, plain)).toMatchObject({
      feature: 'support',
      environment: 'prod',
      client_id: 'c-1',
      metadata: { note: 'x' },
    });
    const other = await customerUnder(app, { hybrid: 'rf_only', firewall: { phone: 'off' } });
    expect(await ask(other, LABELS)).toMatchObject({ feature: LABELS.feature });
  });
});
