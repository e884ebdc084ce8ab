import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { startToy, type Toy } from './toy/server.js';

let toy: Toy;
beforeAll(async () => {
  toy = await startToy();
});
afterAll(() => toy.close());

const AUTH = { authorization: 'Bearer x' };

function post(path: string, body: unknown, headers: Record<string, string> = AUTH) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(toy.url + path, { method: 'POST', body: text, headers });
}

describe('statuses and headers', () => {
  it('asks for a credential before it looks at the body', async () => {
    const answer = await post('/v1/gw/things', '{', {});
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('tells clients not to retry 402, and when to retry 429', async () => {
    const broke = await post('/v1/echo', { fail: 'broke' });
    expect(broke.status).toBe(402);
    expect(broke.headers.get('x-should-retry')).toBe('false');
    const busy = await post('/v1/echo', { fail: 'busy' });
    expect(busy.status).toBe(429);
    expect(busy.headers.get('retry-after')).toBe('2');
    expect(busy.headers.get('retry-after-ms')).toBe('1500');
    expect(busy.headers.get('x-ratelimit-limit-requests')).toBe('60');
    expect(await busy.json()).toMatchObject({ error: { bucket: 'a' } });
  });

  it('shows nothing of a fault of its own, and reports it', async () => {
    const answer = await post('/v1/echo', { fail: 'bug' });
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret detail');
    expect(toy.failures).toContain('TypeError: secret detail');
  });

  it('keeps the code that a library error carries', async () => {
    const answer = await post('/v1/gw/things', { name: 'complex' });
    expect(await answer.json()).toMatchObject({
      error: { code: 'query_too_complex', message: 'too deep' },
    });
  });

  it('carries request id, processing time and the id of the client', async () => {
    const answer = await post(
      '/v1/echo',
      {},
      { 'x-client-request-id': 'mine', origin: 'https://a.test' },
    );
    expect(answer.headers.get('x-request-id')).toMatch(/^request-\d+$/);
    expect(answer.headers.get('x-client-request-id')).toBe('mine');
    expect(answer.headers.get('openai-processing-ms')).toMatch(/^\d+$/);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
  });

  it('writes the bytes of a wire body unchanged, with their headers', async () => {
    const answer = await post('/v1/echo', { wire: true });
    expect(answer.headers.get('x-gw-model')).toBe('m');
    expect(await answer.text()).toBe('{"a" : 1}');
  });

  it('reports each request once, with its row and status', async () => {
    toy.done.length = 0;
    await post('/v1/echo', { fail: 'broke' });
    expect(toy.done).toEqual([{ name: 'Echo', status: 402 }]);
  });
});

describe('methods and paths', () => {
  it('answers HEAD like GET, without a body', async () => {
    const answer = await fetch(`${toy.url}/v1/gw/metrics`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('5');
    expect(await answer.text()).toBe('');
    const get = await fetch(`${toy.url}/v1/gw/metrics`);
    expect(await get.text()).toBe('up 1\n');
  });

  it('answers a preflight with the headers that may be sent, and no others', async () => {
    const answer = await fetch(`${toy.url}/v1/echo`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-stainless-os, x-evil',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toBe(
      'authorization, x-stainless-os',
    );
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
  });

  it('names the methods of a path', async () => {
    const answer = await fetch(`${toy.url}/names`, { method: 'POST' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('names the cure of an unknown path', async () => {
    const cures: [string, string][] = [
      ['/v1/responses', 'provider.chat(id)'],
      ['/v1/gw/thigns', 'Did you mean /v1/gw/things?'],
      ['/chat/completions', 'must end with /v1'],
      ['/v1/v1/echo', 'twice'],
    ];
    for (const [path, cure] of cures) {
      const answer = await fetch(toy.url + path, { method: 'POST', body: '{}' });
      expect(answer.status).toBe(404);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe('unknown_url');
      expect(error.message).toContain(cure);
    }
  });

  it('leaves all other paths to the next handler', async () => {
    expect((await fetch(`${toy.url}/docs`)).status).toBe(418);
  });

  it('sheds a request before it reads the body', async () => {
    const shedding = await startToy({
      admit: () => {
        throw new GatewayError('overloaded', { retryAfterMs: 200 });
      },
    });
    const answer = await fetch(`${shedding.url}/v1/echo`, { method: 'POST', body: '{' });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after-ms')).toBe('200');
    await shedding.close();
  });
});
