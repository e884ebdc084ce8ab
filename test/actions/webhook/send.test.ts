import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookNetwork } from '../../../src/actions/webhook/guarded-agent.js';
import { RESPONSE_BYTES_MAX } from '../../../src/actions/webhook/response.js';
import {
  sendWebhook,
  type WebhookCall,
  type WebhookOutcome,
} from '../../../src/actions/webhook/send.js';
import { readConfig } from '../../../src/platform/config.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { type Canary, type Reply, startCanary } from './canary.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = JSON.stringify({ ticket: 'T-1', note: 'Здравствуйте' });
const HOST = 'hooks.example.com';
const certificate = selfSignedCertificate(HOST);

const running: Canary[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((canary) => canary.stop()));
});

async function canaryThat(...given: Parameters<typeof startCanary>): Promise<Canary> {
  const canary = await startCanary(...given);
  running.push(canary);
  return canary;
}

function servicesAllowing(hosts: string) {
  const config = readConfig({
    NODE_ENV: 'test',
    GW_SECRET: 'x'.repeat(32),
    GW_WEBHOOK_ALLOW: hosts,
  });
  return { config };
}

function callOf(url: string, change: Partial<WebhookCall> = {}): WebhookCall {
  return {
    url,
    secrets: [SECRET],
    id: 'msg_1',
    trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: true, state: 'a=1' },
    body: Buffer.from(BODY),
    timeoutMsMax: 10_000,
    signal: new AbortController().signal,
    ...change,
  };
}

/** Sends to a canary of this machine that the operator allows. */
function sendTo(canary: Canary, change: Partial<WebhookCall> = {}): Promise<WebhookOutcome> {
  const url = `http://127.0.0.1:${canary.port}/hook?x=1`;
  return sendWebhook(servicesAllowing('127.0.0.1'), callOf(url, change));
}

/** A resolver that gives each question the next of the answers, and the last one ever after. */
function resolving(...answers: readonly (readonly string[])[]) {
  let questions = 0;
  const network: WebhookNetwork = {
    resolve: async () => {
      const addresses = answers[Math.min(questions, answers.length - 1)] ?? [];
      questions += 1;
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
  return { network, questions: () => questions };
}

const failing: Reply = (response) => {
  response.statusCode = 500;
  response.end('broken');
};

describe('a webhook', () => {
  it('is signed by Standard Webhooks and says what the endpoint answered', async () => {
    const canary = await canaryThat((response) => {
      response.setHeader('content-type', 'application/json');
      response.statusCode = 201;
      response.end('{"ok":true}');
    });
    const outcome = await sendTo(canary);
    expect(outcome).toEqual({
      delivered: true,
      status: 201,
      attempts: 1,
      latencyMs: expect.any(Number),
      failure: null,
      response: { contentType: 'application/json', text: '{"ok":true}', truncated: false },
    });
    const [hit] = canary.hits;
    expect(hit).toMatchObject({ method: 'POST', path: '/hook?x=1', body: BODY });
    expect(hit?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      connection: 'close',
    });
    expect(new Webhook(SECRET).verify(hit?.body ?? '', hit?.headers ?? {})).toEqual(
      JSON.parse(BODY),
    );
  });

  it('keeps its id when it is sent again, and each attempt is signed', async () => {
    const canary = await canaryThat((response, hitNumber) => {
      response.statusCode = hitNumber === 1 ? 500 : 200;
      response.end('done');
    });
    expect(await sendTo(canary)).toMatchObject({
      delivered: true,
      status: 200,
      attempts: 2,
      failure: null,
    });
    expect(canary.hits.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_1', 'msg_1']);
    for (const { body, headers } of canary.hits) {
      expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(BODY));
    }
  });

  it('is given up after three attempts, with the last answer', async () => {
    const canary = await canaryThat(failing);
    expect(await sendTo(canary)).toEqual({
      delivered: false,
      status: 500,
      attempts: 3,
      latencyMs: expect.any(Number),
      failure: 'status_failed',
      response: { contentType: '', text: 'broken', truncated: false },
    });
    expect(canary.hits).toHaveLength(3);
  });

  it('is not sent again after a refusal', async () => {
    const canary = await canaryThat((response) => {
      response.statusCode = 422;
      response.end('no such ticket');
    });
    expect(await sendTo(canary)).toMatchObject({ status: 422, failure: 'status_refused' });
    expect(canary.hits).toHaveLength(1);
  });

  it('waits as long as the endpoint asks, within the time of the call', async () => {
    const canary = await canaryThat((response) => {
      response.statusCode = 429;
      response.setHeader('retry-after', '60');
      response.end();
    });
    expect(await sendTo(canary)).toMatchObject({ status: 429, attempts: 1 });
  });

  it('is over when its time is, whatever the endpoint does', async () => {
    const silent = await canaryThat(() => undefined);
    const outcome = await sendTo(silent, { timeoutMsMax: 200 });
    expect(outcome).toEqual({
      delivered: false,
      status: null,
      attempts: 1,
      latencyMs: expect.any(Number),
      failure: 'timeout',
      response: null,
    });
  });

  it('says so when the caller leaves', async () => {
    const leaving = new AbortController();
    const canary = await canaryThat(() => leaving.abort());
    const outcome = await sendTo(canary, { signal: leaving.signal });
    expect(outcome).toMatchObject({ delivered: false, attempts: 1, failure: 'cancelled' });
  });

  it('fails without an answer where nobody listens', async () => {
    const canary = await startCanary();
    await canary.stop();
    expect(await sendTo(canary)).toMatchObject({
      status: null,
      attempts: 3,
      failure: 'connection_failed',
      response: null,
    });
  });

  it('fails where the endpoint breaks the protocol', async () => {
    const canary = await canaryThat((response) => response.socket?.end('NOT HTTP\r\n\r\n'));
    expect(await sendTo(canary)).toMatchObject({ attempts: 3, failure: 'connection_failed' });
  });
});

describe('the answer of an endpoint', () => {
  it('is cut at 64 KiB, between characters', async () => {
    const canary = await canaryThat((response) => response.end('ж'.repeat(500_000)));
    const { delivered, response } = await sendTo(canary);
    expect(delivered).toBe(true);
    expect(response).toEqual({
      contentType: '',
      text: 'ж'.repeat(RESPONSE_BYTES_MAX / 2),
      truncated: true,
    });
    const odd = await canaryThat((answer) => answer.end(`x${'ж'.repeat(500_000)}`));
    const text = (await sendTo(odd)).response?.text ?? '';
    expect(text).toBe(`x${'ж'.repeat(RESPONSE_BYTES_MAX / 2 - 1)}`);
  });

  it('is kept as far as it came when the endpoint stops in the middle', async () => {
    const canary = await canaryThat((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
    });
    expect(await sendTo(canary)).toMatchObject({
      delivered: true,
      status: 200,
      response: { text: 'half', truncated: true },
    });
  });

  it('does not hold the call longer than its time', async () => {
    const canary = await canaryThat((response) => {
      response.write('drop');
    });
    const outcome = await sendTo(canary, { timeoutMsMax: 300 });
    expect(outcome).toMatchObject({ delivered: true, response: { text: 'drop', truncated: true } });
  });

  it('is text that every store takes, whatever bytes came', async () => {
    const canary = await canaryThat((response) => response.end(Buffer.from([0x41, 0, 0xff, 0x42])));
    expect((await sendTo(canary)).response?.text).toBe('A\ufffd\ufffdB');
  });
});

describe('the guard', () => {
  it('refuses a name of which any address is inside', async () => {
    const canary = await canaryThat();
    for (const addresses of [
      ['127.0.0.1'],
      ['77.88.55.242', '127.0.0.1'],
      ['127.0.0.1', '77.88.55.242'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['64:ff9b::7f00:1'],
      ['169.254.169.254'],
    ]) {
      const { network } = resolving(addresses);
      const url = `https://${HOST}:${canary.port}/`;
      const outcome = await sendWebhook(servicesAllowing(''), callOf(url), network);
      expect({ addresses, failure: outcome.failure, attempts: outcome.attempts }).toEqual({
        addresses,
        failure: 'address_refused',
        attempts: 1,
      });
    }
    expect(canary.connections()).toBe(0);
  });

  it('connects to what it judged: no second answer of the resolver is ever asked for', async () => {
    const canary = await canaryThat(undefined, certificate);
    const { network, questions } = resolving(['127.0.0.1'], ['127.0.0.2']);
    const url = `https://${HOST}:${canary.port}/`;
    const trusting = { ...network, authority: certificate.cert };
    const outcome = await sendWebhook(servicesAllowing('127.0.0.1'), callOf(url), trusting);
    expect(outcome).toMatchObject({ delivered: true, attempts: 1 });
    expect(questions()).toBe(1);
    expect(canary.hits).toHaveLength(1);
  });

  it('judges again in every attempt', async () => {
    const canary = await canaryThat(failing);
    const { network, questions } = resolving(['127.0.0.1'], ['127.0.0.2']);
    const url = `https://${HOST}:${canary.port}/`;
    const outcome = await sendWebhook(servicesAllowing('127.0.0.1'), callOf(url), network);
    // The first attempt meets a server without TLS, the second one an address inside.
    expect(outcome).toMatchObject({ failure: 'address_refused', attempts: 2 });
    expect(questions()).toBe(2);
    expect(canary.hits).toHaveLength(0);
  });

  it('does not follow redirects', async () => {
    const inside = await canaryThat();
    for (const status of [301, 302, 303, 307, 308]) {
      const canary = await canaryThat((response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` });
        response.end();
      });
      expect(await sendTo(canary)).toMatchObject({
        delivered: false,
        status,
        attempts: 1,
        failure: 'redirect_refused',
      });
    }
    expect(inside.connections()).toBe(0);
  });

  it('ignores the proxies of the environment', async () => {
    const proxy = await canaryThat();
    const canary = await canaryThat();
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await sendTo(canary)).toMatchObject({ delivered: true });
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect(proxy.connections()).toBe(0);
  });

  it('says when a name has no address', async () => {
    const url = `https://${HOST}/`;
    const nobody: WebhookNetwork = { resolve: () => Promise.reject(new Error('ENOTFOUND')) };
    const outcome = await sendWebhook(servicesAllowing(''), callOf(url), nobody);
    expect(outcome).toMatchObject({ attempts: 3, failure: 'name_unresolved', status: null });
  });
});

describe('the certificate of an endpoint', () => {
  const here = [{ address: '127.0.0.1', family: 4 }];
  const trusting: WebhookNetwork = { resolve: async () => here, authority: certificate.cert };

  it('must be of the name in the URL, by an authority that is trusted', async () => {
    const canary = await canaryThat(undefined, certificate);
    const send = (host: string, network: WebhookNetwork) =>
      sendWebhook(
        servicesAllowing('127.0.0.1'),
        callOf(`https://${host}:${canary.port}/`),
        network,
      );
    expect(await send(HOST, trusting)).toMatchObject({ delivered: true, status: 200 });
    expect(await send('other.example.com', trusting)).toMatchObject({
      delivered: false,
      attempts: 1,
      failure: 'certificate_refused',
    });
    expect(await send(HOST, { resolve: async () => here })).toMatchObject({
      failure: 'certificate_refused',
    });
    expect(canary.hits).toHaveLength(1);
  });
});

describe('the signing secret', () => {
  it('must be one of Standard Webhooks', async () => {
    await expect(
      sendWebhook(servicesAllowing(''), callOf('https://api.example.com', { secrets: ['whsec_'] })),
    ).rejects.toThrow("Secret can't be empty");
  });
});
