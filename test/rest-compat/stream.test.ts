import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Idempotency, StoredAnswer } from '../../rest-compat/idempotency.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { startToy, type Toy } from './toy/server.js';

const records = new Map<string, { hash: string; answer: StoredAnswer | undefined }>();
const idempotency: Idempotency = {
  async begin(_ctx, operation, key, hash) {
    const id = `${operation.name} ${key}`;
    const record = records.get(id);
    if (!record) {
      records.set(id, { hash, answer: undefined });
      return { kind: 'run', token: id };
    }
    if (record.hash !== hash) throw new GatewayError('idempotency_key_reused');
    if (!record.answer) throw new GatewayError('idempotency_in_progress');
    return { kind: 'replay', answer: record.answer };
  },
  async finish(_ctx, token, answer) {
    const record = records.get(String(token));
    if (record) record.answer = answer;
  },
  async abandon(_ctx, token) {
    records.delete(String(token));
  },
};

let toy: Toy;
beforeAll(async () => {
  toy = await startToy({ idempotency });
});
afterAll(() => toy.close());
beforeEach(() => records.clear());

function stream(input: object, more: { signal?: AbortSignal; headers?: object } = {}) {
  const body = JSON.stringify({ stream: true, ...input });
  const headers = { authorization: 'Bearer x', ...more.headers };
  return fetch(`${toy.url}/v1/echo`, { method: 'POST', body, signal: more.signal, headers });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

describe('streams', () => {
  it('writes each value as an event and ends with [DONE]', async () => {
    const answer = await stream({});
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(await answer.text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n');
  });

  it('forwards the bytes of a stream that writes itself', async () => {
    const answer = await stream({ wire: true });
    expect(answer.headers.get('x-gw-model')).toBe('m');
    expect(await answer.text()).toBe('data: {"raw" : true}\n\ndata: [DONE]\n\n');
  });

  it('answers with the status of a failure before the first byte', async () => {
    expect((await stream({ fail: 'at once' })).status).toBe(401);
    expect((await stream({ wire: true, fail: 'before' })).status).toBe(504);
  });

  it('tells a failure after the first byte as an event and does not end cleanly', async () => {
    for (const input of [{ fail: 'later' }, { wire: true, fail: 'after' }]) {
      const text = await (await stream(input)).text();
      expect(text).not.toContain('[DONE]');
      const last = text.trimEnd().split('\n\n').at(-1) ?? '';
      expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
        error: { code: 'upstream_failed', message: 'The provider failed: cut.' },
      });
    }
  });

  it('aborts the signal when the client goes away, and reports that it did', async () => {
    toy.done.length = 0;
    const client = new AbortController();
    const answer = await stream(
      { hang: true },
      { signal: client.signal, headers: { 'x-watch': '1' } },
    );
    await answer.body?.getReader().read();
    client.abort();
    await until(() => toy.calls.signal?.aborted === true);
    await until(() => toy.done.length > 0);
    expect(toy.done).toEqual([{ name: 'EchoStream', status: 499 }]);
  });

  it('reads the other row of the path when the body does not ask for a stream', async () => {
    const answer = await fetch(`${toy.url}/v1/echo`, { method: 'POST', body: '{"stream":false}' });
    expect(await answer.json()).toEqual({ stream: false });
  });
});

describe('idempotency', () => {
  const post = (body: object, key = 'k', auth: object = { authorization: 'Bearer x' }) =>
    fetch(`${toy.url}/v1/echo`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...auth, 'idempotency-key': key },
    });

  it('replays the very answer, marked, under an id of its own', async () => {
    const first = await post({ wire: true });
    const second = await post({ wire: true });
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get('x-gw-model')).toBe('m');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('replays a stream to its end', async () => {
    const headers = { 'idempotency-key': 's' };
    const first = await (await stream({}, { headers })).text();
    const second = await stream({}, { headers });
    expect(second.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await second.text()).toBe(first);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('refuses another body under the key', async () => {
    await post({ a: 1 });
    expect((await post({ a: 2 })).status).toBe(422);
  });

  it('frees the key after a failure and after a cut stream', async () => {
    expect((await post({ fail: 'busy' })).status).toBe(429);
    await (await stream({ fail: 'later' }, { headers: { 'idempotency-key': 'c' } })).text();
    expect(records.size).toBe(0);
  });

  it('does not cancel the work when a client with a key goes away', async () => {
    const client = new AbortController();
    const headers = { 'idempotency-key': 'gone', 'x-watch': '1' };
    const answer = await stream({ hang: true }, { signal: client.signal, headers });
    await answer.body?.getReader().read();
    toy.done.length = 0;
    client.abort();
    await sleep(50);
    expect(toy.calls.signal?.aborted).toBe(false);
    expect(records.get('EchoStream gone')).toMatchObject({ answer: undefined });
  });

  it('means nothing without a caller', async () => {
    await post({ a: 1 }, 'p', {});
    expect(records.size).toBe(0);
  });
});
