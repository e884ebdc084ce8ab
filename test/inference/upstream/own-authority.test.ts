import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRegistry } from '../../../src/catalog/providers/registry.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { startTlsFront, type TlsFront } from '../../support/tls-front.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { type Connected, connected, settingsOf, writeConnection } from './connected.js';

const server = selfSignedCertificate('localhost');
const client = selfSignedCertificate('gateway');
const stranger = selfSignedCertificate('localhost');
const GUARD = { ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true };
let double: UpstreamDouble;
let open: TlsFront;
let guarded: TlsFront;

beforeAll(async () => {
  double = await startUpstreamDouble();
  open = await startTlsFront(double.origin, server);
  guarded = await startTlsFront(double.origin, GUARD);
});
afterAll(async () => {
  await Promise.all([open.close(), guarded.close(), double.close()]);
});

async function asked(way: Connected) {
  const whole = await way.ask();
  const streamed = await way.ask(true);
  await way.close();
  return { whole, streamed, lines: way.lines };
}

const NAMED = { ca_file: 'ca.pem' };
const WITH_CLIENT = {
  ...NAMED,
  client_certificate: { cert_file: 'gw.pem', key_file: 'gw.key' },
};

describe('a provider behind an authority of its own', () => {
  it('is reached with its ca_file, plain and streamed', async () => {
    const files = { 'ca.pem': server.cert };
    expect(await asked(connected(open.origin, NAMED, files))).toEqual({
      whole: { error: null, message: '' },
      streamed: { error: null, message: '' },
      lines: [],
    });
  });

  it.each([
    ['without it', {}, {}],
    ['with another one', NAMED, { 'ca.pem': stranger.cert }],
  ] as const)('is not reached %s, and the log names the cause once', async (_, named, files) => {
    const before = double.log.length;
    const { whole, streamed, lines } = await asked(connected(open.origin, named, files));
    expect([whole.error, streamed.error]).toEqual(['tls_failed', 'tls_failed']);
    expect(double.log.length).toBe(before);
    expect(lines).toEqual([
      [
        {
          deployment: 'in:pool/chat',
          provider: 'in',
          origin: open.origin,
          error: 'tls_failed',
          cause: expect.stringMatching(/SELF_SIGNED_CERT|UNABLE_TO_VERIFY/),
        },
        'a call of a provider failed: no secure connection to the provider: an authority that ' +
          'this server does not trust has signed its certificate',
      ],
    ]);
  });

  it('is not reached where its certificate is for another host', async () => {
    const elsewhere = open.origin.replace('localhost', '127.0.0.1');
    const { whole, lines } = await asked(connected(elsewhere, NAMED, { 'ca.pem': server.cert }));
    expect(whole.error).toBe('tls_failed');
    expect(lines[0]?.[0]).toMatchObject({ cause: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('gets the client certificate that it asks for', async () => {
    const files = { 'ca.pem': server.cert, 'gw.pem': client.cert, 'gw.key': client.key };
    const { whole, streamed } = await asked(connected(guarded.origin, WITH_CLIENT, files));
    expect([whole.error, streamed.error]).toEqual([null, null]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'refuses a gateway without the client certificate over %s',
    async (maxVersion) => {
      const before = double.log.length;
      const guarded = await startTlsFront(double.origin, { ...GUARD, maxVersion });
      const { whole, lines } = await asked(
        connected(guarded.origin, NAMED, { 'ca.pem': server.cert }),
      );
      expect(whole.error).toBe('tls_failed');
      expect(lines[0]?.[1]).toContain('refuses the client certificate of this server, or asks');
      expect(double.log.length).toBe(before);
      await guarded.close();
    },
  );
});

describe('stated headers', () => {
  it('reach the provider, and the value of a variable is masked in its words', async () => {
    double.script('in', { status: 400, message: 'unknown house canary-house-key' });
    const stated = {
      headers: { 'X-Client-ID': 'gw' },
      headers_env: { 'X-House-Key': 'HOUSE_KEY' },
    };
    const way = connected(double.origin, stated, {}, { HOUSE_KEY: 'canary-house-key' });
    const { message } = await way.ask();
    await way.close();
    double.script('in', {});
    expect(double.received('in').at(-1)?.headers).toMatchObject({
      'x-client-id': 'gw',
      'x-house-key': 'canary-house-key',
    });
    expect(message).toContain('unknown house [secret]');
    expect(message).not.toContain('canary');
  });
});

describe('a providers file', () => {
  it.each([
    ['ca_file over http', 'http://a.example', { ca_file: 'a' }, 'ca_file: needs an https base_url'],
    [
      'a bearer twice',
      'https://a.example',
      { api_key_env: 'K', headers: { Authorization: 'x' } },
      'headers.Authorization: is written twice',
    ],
    [
      'a key beside a login',
      'https://a.example',
      { api_key_env: 'K', login: { token_url: 'https://t.example/x', credentials_env: 'C' } },
      'login: goes without api_key_env',
    ],
    [
      'a login without credentials',
      'https://a.example',
      { login: { token_url: 'https://t.example/x', client_id_env: 'C' } },
      'login: needs client_id_env and client_secret_env, or credentials_env',
    ],
    [
      'a header of the gateway',
      'https://a.example',
      { headers: { Host: 'b.example' } },
      'headers.Host: is a header that the gateway writes',
    ],
    [
      'a line break in a header',
      'https://a.example',
      { headers: { 'X-A': 'a\r\nX-B: b' } },
      'headers.X-A: must be printable ASCII',
    ],
    [
      'a file that is away',
      'https://a.example',
      { ca_file: 'none.pem' },
      'none.pem cannot be read',
    ],
    [
      'a file that holds no certificate',
      'https://a.example',
      { ca_file: 'key.pem' },
      'key.pem holds something that is not a certificate',
    ],
    [
      'a key of another certificate',
      'https://a.example',
      { client_certificate: { cert_file: 'cert.pem', key_file: 'key.pem' } },
      'certificate and key do not belong together',
    ],
  ])('with %s is refused with that fault', (_, origin, connection, fault) => {
    const files = { 'key.pem': client.key, 'cert.pem': server.cert };
    const { file, remove } = writeConnection(origin, connection, files);
    try {
      expect(() => loadRegistry(settingsOf(file), {})).toThrow(fault);
    } finally {
      remove();
    }
  });

  it('leaves a provider uncalled until every variable of its connection is set', () => {
    const stated = {
      headers_env: { 'X-House-Key': 'HOUSE_KEY' },
      login: { token_url: 'https://t.example/x', client_id_env: 'ID', client_secret_env: 'PASS' },
    };
    const { file, remove } = writeConnection('https://a.example', stated);
    const registry = loadRegistry(settingsOf(file), { ID: 'id' });
    remove();
    expect(registry.providersById.get('in')).toMatchObject({
      status: 'adapter_ready',
      statusReason: 'Set HOUSE_KEY, PASS.',
    });
  });
});
