import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { newId } from '../../src/kernel/ids.js';
import { Keyring } from '../../src/platform/keyring.js';
import { SealError } from '../../src/platform/secrets.js';
import {
  ANSWER_BYTES_MAX,
  type Answer,
  IdempotencyKeys,
  type KeyedRequest,
} from '../../src/records/idempotency.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld();
const { pool, config, keyring } = world.services;

function nodeOf(nodeId: string, secret = config.secret): IdempotencyKeys {
  return new IdempotencyKeys({ pool, config: { nodeId }, keyring: new Keyring({ secret }) });
}

const nodeA = nodeOf('node-a');
const nodeB = nodeOf('node-b');
const OK: Answer = { status: 200, contentType: 'application/json', body: Buffer.from('{"a":1}') };
const hashOf = (body: string) => createHash('sha256').update(body).digest();

function requestOf(change: Partial<KeyedRequest> = {}): KeyedRequest {
  const ids = { tenantId: newId('Tenant'), actorId: newId('User'), requestId: newId('Request') };
  return { ...ids, key: 'k-1', bodyHash: hashOf('{}'), ...change };
}

/** The same call again, as a client sends it: with an id of its own. */
function retryOf(request: KeyedRequest): KeyedRequest {
  return { ...request, requestId: newId('Request') };
}

/** Lets time pass for one record. */
async function age(request: KeyedRequest, columns: string, interval: string): Promise<void> {
  const set = columns.split(' ').map((column) => `${column} = ${column} - $2::interval`);
  const where = 'tenant_id = $1';
  const sql = `UPDATE idempotency_record SET ${set.join(', ')} WHERE ${where}`;
  await pool.query(sql, [request.tenantId, interval]);
}

describe('a key', () => {
  it('runs its request once and replays the first answer, on every node', async () => {
    const request = requestOf();
    const run = { kind: 'run', firstRequestId: request.requestId };
    expect(await nodeA.begin(request)).toEqual(run);
    expect(await nodeA.finish(request, OK)).toBe(true);
    for (const node of [nodeA, nodeB]) {
      expect(await node.begin(retryOf(request))).toEqual({
        kind: 'replay',
        answer: OK,
        requestId: request.requestId,
      });
    }
  });

  it('lets one of 200 racers run; the others are told that it runs', async () => {
    const request = requestOf();
    const racers = Array.from({ length: 200 }, (_, i) => {
      const begun = (i % 2 ? nodeA : nodeB).begin(retryOf(request));
      return begun.then(
        ({ kind }) => kind,
        (error: { code: string }) => error.code,
      );
    });
    const outcomes = await Promise.all(racers);
    expect(outcomes.filter((outcome) => outcome === 'run')).toHaveLength(1);
    expect(outcomes.filter((o) => o === 'idempotency_in_progress')).toHaveLength(199);
  });

  it('is refused with another body, while its request runs and afterwards', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    const other = { ...retryOf(request), bodyHash: hashOf('{"other":1}') };
    expect(await codeOf(nodeA.begin(other))).toBe('idempotency_key_reused');
    await nodeA.finish(request, OK);
    expect(await codeOf(nodeA.begin(other))).toBe('idempotency_key_reused');
  });

  it('belongs to one tenant and one caller: others with the same key run their own', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    await nodeA.finish(request, OK);
    const colleague = { ...retryOf(request), actorId: newId('User') };
    const stranger = { ...retryOf(request), tenantId: newId('Tenant') };
    expect(await nodeA.begin(colleague)).toMatchObject({ kind: 'run' });
    expect(await nodeA.begin(stranger)).toMatchObject({ kind: 'run' });
  });

  it('is refused when a header cannot carry it', async () => {
    expect(await codeOf(nodeA.begin(requestOf({ key: '' })))).toBe('invalid_request');
    expect(await codeOf(nodeA.begin(requestOf({ key: 'a b' })))).toBe('invalid_request');
  });

  it('stands for the same effect after an answer that does not settle, for that body', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    expect(await nodeA.finish(request, { ...OK, status: 503 })).toBe(true);
    const other = { ...retryOf(request), bodyHash: hashOf('{"other":1}') };
    expect(await codeOf(nodeB.begin(other))).toBe('idempotency_key_reused');
    const second = retryOf(request);
    const run = { kind: 'run', firstRequestId: request.requestId };
    expect(await nodeB.begin(second)).toEqual(run);
    expect(await nodeB.keepOpen(second)).toBe(true);
    expect(await nodeA.begin(retryOf(request))).toEqual(run);
  });

  it('is free again when nothing stands, also for another body', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    expect(await nodeA.release(request)).toBe(true);
    const other = { ...retryOf(request), bodyHash: hashOf('{"other":1}') };
    const run = { kind: 'run', firstRequestId: other.requestId };
    expect(await nodeA.begin(other)).toEqual(run);
  });

  it('keeps a refusal that settles', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    await nodeA.finish(request, { ...OK, status: 422 });
    expect(await nodeA.begin(retryOf(request))).toMatchObject({ answer: { status: 422 } });
  });
});

describe('the node of a running request', () => {
  it('keeps the key while it renews, and loses it after 60 s of silence', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    await age(request, 'renewed_at', '59 seconds');
    expect(await codeOf(nodeB.begin(retryOf(request)))).toBe('idempotency_in_progress');
    await nodeA.renew();
    await age(request, 'renewed_at', '59 seconds');
    expect(await codeOf(nodeB.begin(retryOf(request)))).toBe('idempotency_in_progress');
    await age(request, 'renewed_at', '2 seconds');
    const other = { ...retryOf(request), bodyHash: hashOf('{"other":1}') };
    expect(await codeOf(nodeB.begin(other))).toBe('idempotency_key_reused');
    const taken = retryOf(request);
    const run = { kind: 'run', firstRequestId: request.requestId };
    expect(await nodeB.begin(taken)).toEqual(run);
  });

  it('cannot end or renew what another node has taken over', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    await age(request, 'renewed_at', '61 seconds');
    const taken = retryOf(request);
    await nodeB.begin(taken);
    await nodeA.renew();
    expect(await nodeA.finish(request, { ...OK, body: Buffer.from('late') })).toBe(false);
    expect(await nodeA.release(request)).toBe(false);
    expect(await nodeB.finish(taken, OK)).toBe(true);
    expect(await nodeA.begin(retryOf(request))).toMatchObject({ kind: 'replay', answer: OK });
  });

  it('renews only what it runs now', async () => {
    const request = requestOf();
    const forgetful = nodeOf('node-a');
    await nodeOf('node-a').begin(request);
    await forgetful.renew();
    await age(request, 'renewed_at', '61 seconds');
    await forgetful.renew();
    expect(await nodeB.begin(retryOf(request))).toMatchObject({ kind: 'run' });
  });

  it('loses it at once when it serves in a later epoch, or was retired', async () => {
    const epochs = { a: 7n };
    const dying = new IdempotencyKeys({ pool, config, keyring, epoch: () => epochs.a });
    const sql = `INSERT INTO gateway_node (node_id, epoch, owner) VALUES ($1, 7, $2)`;
    await pool.query(sql, [config.nodeId, newId('Request')]);
    const [left, retired] = [requestOf(), requestOf()];
    await dying.begin(left);
    expect(await codeOf(nodeB.begin(retryOf(left)))).toBe('idempotency_in_progress');
    await pool.query('UPDATE gateway_node SET epoch = 8 WHERE node_id = $1', [config.nodeId]);
    const other = { ...retryOf(left), bodyHash: hashOf('{"other":1}') };
    expect(await codeOf(nodeB.begin(other))).toBe('idempotency_key_reused');
    // What still runs in this very process runs, whatever its node is taken for.
    expect(await codeOf(dying.begin(retryOf(left)))).toBe('idempotency_in_progress');
    const run = { kind: 'run', firstRequestId: left.requestId };
    expect(await nodeB.begin(retryOf(left))).toEqual(run);
    epochs.a = 8n;
    await dying.begin(retired);
    expect(await codeOf(nodeB.begin(retryOf(retired)))).toBe('idempotency_in_progress');
    await pool.query('UPDATE gateway_node SET retired_at = now() WHERE node_id = $1', [
      config.nodeId,
    ]);
    const again = { kind: 'run', firstRequestId: retired.requestId };
    expect(await nodeB.begin(retryOf(retired))).toEqual(again);
  });

  it('lets exactly one of many take over', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    await age(request, 'renewed_at', '61 seconds');
    const racers = Array.from({ length: 50 }, () => codeOf(nodeB.begin(retryOf(request))));
    const outcomes = await Promise.all(racers);
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
  });
});

describe('a claim whose answer is lost on the way', () => {
  it('is made again at once by one request of the same process, and by no other', async () => {
    const node = (nodeId: string) =>
      new IdempotencyKeys({ pool, config: { ...config, nodeId }, keyring, epoch: () => 3n });
    const [serving, other] = [node('lossy'), node('another')];
    const request = requestOf();
    const { query } = pool;
    pool.query = (async (...values: Parameters<typeof query>) => {
      await Reflect.apply(query, pool, values);
      throw new GatewayError('ledger_unavailable');
    }) as never;
    await codeOf(serving.begin(request));
    pool.query = query;
    expect(await codeOf(other.begin(retryOf(request)))).toBe('idempotency_in_progress');
    const racers = await Promise.allSettled(
      Array.from({ length: 20 }, () => serving.begin(retryOf(request))),
    );
    const ran = racers.flatMap((racer) => (racer.status === 'fulfilled' ? [racer.value] : []));
    expect(ran).toEqual([{ kind: 'run', firstRequestId: request.requestId }]);
  });
});

describe('the end of a request while the database is away', () => {
  it('is written when it is back, and the answer need not wait for that', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    const { query } = pool;
    pool.query = (() => Promise.reject(new GatewayError('ledger_unavailable'))) as never;
    expect(await nodeA.finish(request, OK)).toBe(false);
    pool.query = query;
    const answered = async () => {
      const begun = await nodeB.begin(retryOf(request)).catch(() => undefined);
      return begun?.kind;
    };
    await expect.poll(answered).toBe('replay');
  });
});

describe('a kept answer', () => {
  it('is at most 1 MiB; a larger one is not kept, and its request does not run again', async () => {
    const [fits, larger] = [requestOf(), requestOf()];
    const body = Buffer.alloc(ANSWER_BYTES_MAX, 'a');
    await nodeA.begin(fits);
    await nodeA.finish(fits, { ...OK, body });
    const replay = await nodeA.begin(retryOf(fits));
    expect(replay.kind === 'replay' && body.equals(replay.answer.body)).toBe(true);
    await nodeA.begin(larger);
    await nodeA.finish(larger, { ...OK, body: Buffer.concat([body, Buffer.from('a')]) });
    expect(await nodeA.begin(retryOf(larger))).toEqual({
      kind: 'answer_not_kept',
      status: 200,
      requestId: larger.requestId,
    });
  });

  it('cannot be read in the database, nor opened in the row of another caller', async () => {
    const [request, other] = [requestOf(), requestOf()];
    for (const each of [request, other]) {
      await nodeA.begin(each);
      await nodeA.finish(each, { ...OK, body: Buffer.from('a canary of the model') });
    }
    const { rows } = await pool.query<{ answer: Buffer }>(
      'SELECT answer FROM idempotency_record WHERE tenant_id = $1',
      [request.tenantId],
    );
    expect(rows[0]?.answer.length).toBeGreaterThan(20);
    expect(rows[0]?.answer.includes('canary')).toBe(false);
    await pool.query('UPDATE idempotency_record SET answer = $2 WHERE tenant_id = $1', [
      other.tenantId,
      rows[0]?.answer,
    ]);
    await expect(nodeA.begin(retryOf(other))).rejects.toThrow(SealError);
    const foreign = nodeOf('node-a', 'another secret of 32 characters, yes');
    expect((await foreign.begin(retryOf(request))).kind).toBe('answer_not_kept');
  });

  it('is gone after 24 hours: the key runs anew, also with another body', async () => {
    const request = requestOf();
    await nodeA.begin(request);
    await nodeA.finish(request, OK);
    await age(request, 'expires_at', '23:59');
    expect(await nodeA.begin(retryOf(request))).toMatchObject({ kind: 'replay' });
    await age(request, 'expires_at', '00:01');
    const anew = { ...retryOf(request), bodyHash: hashOf('{"other":1}') };
    const run = { kind: 'run', firstRequestId: anew.requestId };
    expect(await nodeB.begin(anew)).toEqual(run);
  });

  it('is swept when its time is over, and nothing else is', async () => {
    const [over, fresh, running] = [requestOf(), requestOf(), requestOf()];
    for (const request of [over, fresh, running]) await nodeA.begin(request);
    for (const request of [over, fresh]) await nodeA.finish(request, OK);
    await age(over, 'expires_at', '25 hours');
    await age(running, 'expires_at', '25 hours');
    expect(await nodeB.sweep()).toBeGreaterThanOrEqual(1);
    const { rows } = await pool.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM idempotency_record WHERE tenant_id = ANY ($1)',
      [[over, fresh, running].map((request) => request.tenantId)],
    );
    const left = new Set(rows.map((row) => row.tenant_id));
    expect(left).toEqual(new Set([fresh.tenantId, running.tenantId]));
    expect(await nodeB.sweep()).toBe(0);
  });
});
