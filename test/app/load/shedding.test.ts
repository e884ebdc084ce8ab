import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Place } from '../../../rest-compat/arrival.js';
import type { Load } from '../../../src/app/load/load.js';
import type { RequestClass } from '../../../src/app/load/shedding.rules.js';
import { chat } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

const OPERATOR = 'an operator token for tests';
const SUM = '/v1/gw/cost/summary';

let app: TestApp;
let load: Load;
let busy: Customer;
let other: Customer;
const places: Place[] = [];
/** How late the node is, as a test says. */
let late = 0;

beforeAll(async () => {
  app = await startApp({ GW_OPERATOR_TOKEN: OPERATOR });
  load = app.server.services.places as Load;
  load.gauge = { start() {}, stop() {}, read: () => ({ work: late, reports: late }) };
  busy = await newCustomer(app, 100);
  other = await newCustomer(app, 100);
  // From its first request on a credential is known to be one of its organization.
  for (const { key } of [busy, other]) await chat(app, key);
});
afterAll(() => app.stop());

/** Takes all places that an organization gets. */
async function fill(requestClass: RequestClass, caller: string): Promise<number> {
  for (let count = 0; ; count += 1) {
    try {
      const place = load.admit(requestClass, caller);
      if (place instanceof Promise) await place;
      else places.push(place);
    } catch {
      return count;
    }
  }
}

const sum = (key: string, headers = {}) => rest(app, 'GET', SUM, { credential: key, headers });
const message = { messages: [{ role: 'user', content: 'Добрый день' }], model: 'gw:auto' };
const ask = (credential: string, headers = {}) =>
  rest(app, 'POST', '/v1/chat/completions', { credential, body: message, headers });

async function shedByClass(): Promise<Record<string, number>> {
  const { body } = await rest<string>(app, 'GET', '/metrics', { credential: OPERATOR });
  const lines = body.matchAll(/^gw_requests_shed_total\{class="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]));
}

describe('a node that is late', () => {
  beforeAll(async () => {
    late = 10;
    const place = await load.admit('general', 'somebody');
    places.push(place);
    await vi.waitFor(() => expect(load.atWorkMax).toBe(320), { timeout: 20_000 });
    expect(await fill('reports', busy.tenantId)).toBeGreaterThan(0);
  });

  it("refuses reports first, in the client's language and with a time to come back", async () => {
    const { status, headers, body } = await sum(busy.key);
    expect(status).toBe(503);
    expect(body).toEqual({
      error: {
        message: 'The gateway is at its capacity.',
        type: 'api_error',
        param: null,
        code: 'overloaded',
        request_id: headers.get('x-request-id'),
        doc_url: `${app.url}/docs/errors/overloaded`,
      },
    });
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('connection')).toBe('keep-alive');
    const russian = await sum(busy.key, { 'accept-language': 'ru' });
    expect(russian.body).toMatchObject({ error: { message: 'Шлюз загружен полностью.' } });
    expect(russian.headers.get('content-language')).toBe('ru');
  });

  it('goes on to answer chat, sign-in, decisions and probes meanwhile', async () => {
    const { email, token } = busy;
    const answers = await Promise.all([
      rest(app, 'POST', '/auth/login', { body: { email, password: 'correct horse battery' } }),
      rest(app, 'GET', '/v1/gw/approvals', { credential: token }),
      rest(app, 'GET', '/livez'),
      rest(app, 'GET', '/readyz'),
      ask(other.key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('refuses the organization that has taken its share, and serves another one', async () => {
    await fill('chat', busy.tenantId);
    expect(await ask(busy.key)).toMatchObject({
      status: 503,
      body: { error: { code: 'overloaded' } },
    });
    expect((await ask(other.key)).status).toBe(200);
    const large = await rest(app, 'POST', '/v1/chat/completions', {
      credential: busy.key,
      body: { ...message, metadata: { text: 'x'.repeat(300_000) } },
    });
    expect([large.status, large.headers.get('connection')]).toEqual([503, 'close']);
  });

  it('tells GraphQL by the same error', async () => {
    const { errors } = await graphql(app, '{ organization { name } }', {}, busy.token);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'overloaded', retryAfterMs: 1_000 });
  });

  it('signs in the members of the organization that floods it', async () => {
    const { email } = busy;
    const login = await rest(app, 'POST', '/auth/login', {
      body: { email, password: 'correct horse battery' },
    });
    expect(login.status).toBe(200);
  });

  it('counts what it refused by class', async () => {
    const shed = await shedByClass();
    expect(Object.keys(shed).sort()).toEqual(['chat', 'general', 'reports', 'sign_in']);
    expect(shed).toMatchObject({ sign_in: 0 });
    for (const name of ['chat', 'general', 'reports']) expect(shed[name]).toBeGreaterThan(0);
  });

  it('serves all of them again when it has caught up', async () => {
    late = 0;
    for (const place of places) place.leave();
    await expect.poll(() => load.atWorkMax, { timeout: 30_000 }).toBe(2_000);
    expect((await sum(busy.key)).status).toBe(200);
    expect((await ask(busy.key)).status).toBe(200);
    await expect.poll(() => load.inFlight).toBe(0);
  });
});
