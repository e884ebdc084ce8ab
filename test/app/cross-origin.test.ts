import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.js';
import { startApp, type TestApp } from '../support/app.js';

const OWN = 'https://app.example.com';
const PUBLIC = 'https://gw.example.com';
const PATHS = ['/v1/chat/completions', '/graphql'] as const;

let open: TestApp;
let closed: TestApp;
beforeAll(async () => {
  open = await startApp();
  closed = await startApp({
    GW_CORS_ORIGINS: `${OWN}, https://second.example.com`,
    GW_PUBLIC_URL: PUBLIC,
  });
});
afterAll(async () => {
  await open?.stop();
  await closed?.stop();
});

const preflight = async (app: TestApp, path: string, origin: string, asked: string) => {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  };
  return fetch(app.url + path, { method: 'OPTIONS', headers });
};
const ask = (app: TestApp, path: string, headers: Record<string, string>) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"query":"{ __typename }"}',
  });

const SENT = [
  'authorization',
  'x-api-key',
  'content-type',
  'idempotency-key',
  'traceparent',
  'x-client-request-id',
  'x-gw-workspace',
  'apollo-require-preflight',
  'x-stainless-lang',
  'x-stainless-retry-count',
  'openai-organization',
  'openai-project',
  'openai-beta',
];

const EXPOSED = [
  'x-request-id',
  'retry-after',
  'retry-after-ms',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-tokens',
  'x-gw-cost-rub',
  'x-gw-model',
  'idempotent-replayed',
];

describe.each(PATHS)('a page that asks %s', (path) => {
  it('may send what documents and usual clients send, and nothing that was not named', async () => {
    const { status, headers } = await preflight(open, path, OWN, [...SENT, 'cookie'].join(','));
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-headers')?.split(', ')).toEqual(SENT);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toMatch(/\bPOST\b/);
  });

  it('may read ids, limits, costs and when to come back', async () => {
    const { headers } = await ask(open, path, { origin: OWN });
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    expect(EXPOSED.filter((name) => !exposed.includes(name))).toEqual([]);
    expect(headers.get('x-request-id')).toMatch(/\S/);
  });

  it('is answered by its origin where origins are named, and never with credentials', async () => {
    const answers = [
      await ask(closed, path, { origin: OWN }),
      await preflight(closed, path, OWN, 'authorization'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(OWN);
      expect(headers.get('vary')).toMatch(/\borigin\b/);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(answers[1]?.headers.get('access-control-allow-headers')).toBe('authorization');
  });

  it.each(['https://evil.example', 'null', `${OWN}.evil.example`, 'http://app.example.com'])(
    'may read nothing from %s where it is not named',
    async (origin) => {
      for (const { headers } of [
        await ask(closed, path, { origin }),
        await preflight(closed, path, origin, 'authorization'),
      ]) {
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect(headers.get('access-control-allow-headers')).toBeNull();
        expect(headers.get('vary')).toMatch(/\borigin\b/);
      }
    },
  );

  it('is held to https where that is the public address, and to told types', async () => {
    const [there, here] = [await ask(closed, path, {}), await ask(open, path, {})];
    expect(there.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(here.headers.get('strict-transport-security')).toBeNull();
    for (const { headers } of [there, here]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('reads of a failure the address by which it came, or the public one', async () => {
    const address = async (app: TestApp) =>
      JSON.stringify(await (await ask(app, path, { 'content-type': 'application/json' })).json());
    if (path === '/graphql') return;
    expect(await address(open)).toContain(`${open.url}/docs/errors/missing_credential`);
    expect(await address(closed)).toContain(`${PUBLIC}/docs/errors/missing_credential`);
  });
});

it('origins that no browser would send stop the start', () => {
  for (const list of ['app.example.com', `${OWN}/`, `${OWN}/path`, '*.example.com']) {
    expect(() => readConfig({ GW_CORS_ORIGINS: list })).toThrow(/GW_CORS_ORIGINS: must be/);
  }
});
