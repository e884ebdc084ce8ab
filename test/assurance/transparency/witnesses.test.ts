import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysOfAllTimes } from '../../../src/access/auth/signing-keys.js';
import { READINGS_PER_MINUTE } from '../../../src/assurance/transparency/vocabulary.js';
import { limitedAddress } from '../../../src/platform/network/client-address.js';
import { outcome } from '../../journeys/people.js';
import type { TestApp } from '../../support/app.js';
import { type Customer, graphql, newCustomer, rest, startApp } from '../../support/app.js';
import { type Published, published } from './samples.js';
import { verifiedNotes } from './verifying.js';
import {
  type AskedWitness,
  bodyOf,
  newWitness,
  nowSeconds,
  serveWitness,
  type TestWitness,
} from './witness.js';

const PATH = '/v1/gw/transparency';

let app: TestApp;
let second: TestApp;
let customer: Customer;
let other: Customer;
let log: Published;
let theirs: Published;
let server: AskedWitness;
/** What the witness with an address answers. */
let answer: (body: string) => { status: number; text: string };
const listed = newWitness('witness.example/listed');
const asked = newWitness('witness.example/asked');
const stranger = newWitness('witness.example/stranger');

beforeAll(async () => {
  answer = (body) => ({ status: 200, text: asked.cosign(bodyOf(noteIn(body))) });
  server = await serveWitness((body) => answer(body));
  app = await startApp({
    GW_LOG_WITNESSES: `${listed.key}, ${asked.key}@${server.url}`,
    GW_WEBHOOK_ALLOW: '127.0.0.1',
    GW_PUBLIC_URL: 'https://gw.example.com',
  });
  second = await startApp({ ...app.environment, GW_NODE_ID: 'second' });
  customer = await newCustomer(app, 500);
  other = await newCustomer(app, 500);
  await grow(customer, 5);
  await grow(other, 2);
  log = await published(app, customer);
  theirs = await published(app, other);
});
afterAll(async () => {
  await second?.stop();
  await app?.stop();
  await server?.stop();
});

/** The note behind the proof of a request of a witness. */
const noteIn = (request: string) => request.slice(request.indexOf('\n\n') + 2);

async function grow({ token }: Customer, lines: number): Promise<void> {
  for (let n = 0; n < lines; n += 1) {
    const body = { amount_rub: n + 1 };
    await rest(app, 'POST', '/billing/top-up/manual', { credential: token, body });
  }
}

interface Point {
  readonly id: string;
  readonly size: number;
  readonly root_sha256: string;
  readonly cosignatures: readonly { readonly witness: string; readonly time: string }[];
}

async function read<T = string>(path: string, credential?: string, at = app) {
  return (await rest<T>(at, 'GET', `${PATH}${path}`, { credential })).body;
}

const checkpoint = (whose = customer) => read<Point>('/checkpoint', whose.token);
const note = ({ name }: Published, query = '') => read(`/logs/${name}/checkpoint${query}`);

function submit({ name }: Published, text: string, at = app) {
  const path = `${PATH}/logs/${name}/cosignatures`;
  return rest<Record<string, unknown>>(at, 'POST', path, { body: { note: text } });
}

/** A note with the line of a witness over its text. */
const cosigned = (text: string, by: TestWitness, ...times: number[]) =>
  text + by.cosign(bodyOf(text), ...times);

/** What an auditor sees of the notes by their log and witnesses. */
async function audited(
  notes: readonly string[],
  { required = 1, witnesses = [listed] as readonly TestWitness[] } = {},
) {
  const keys = await keysOfAllTimes(app.server.services.platformPool);
  const flags = [
    `--log=${log.key}`,
    ...witnesses.map(({ key }) => `--witness=${key}`),
    `--witnesses-required=${required}`,
  ];
  return verifiedNotes({ flags, notes }, keys, await read('/export', customer.token));
}

describe('a published log', () => {
  it('is public by an address that tells nothing of its organization', async () => {
    expect(log).toEqual({
      id: expect.any(String),
      name: expect.stringMatching(/^[0-9a-f]{32}$/),
      origin: `gw.example.com${PATH}/logs/${log.name}`,
      key: expect.stringMatching(/^gw\.example\.com\/.*\+[0-9a-f]{8}\+AQ?[\w+/=]+$/),
      created_at: expect.any(String),
      ended_at: null,
    });
    const { size, root_sha256 } = await checkpoint();
    const text = await note(log);
    const root = Buffer.from(root_sha256, 'hex').toString('base64');
    expect(bodyOf(text)).toBe(`${log.origin}\n${size}\n${root}\n`);
    expect(await read(`/logs/${log.name}/checkpoint`, undefined, second)).toBe(text);
    expect(text).not.toContain(customer.tenantId);
  });

  it('is unknown before it is published, after it is not, and by any other name', async () => {
    const third = await newCustomer(app);
    const { id } = await checkpoint(third);
    const noted = await rest(app, 'GET', `${PATH}/checkpoints/${id}/note`, {
      credential: third.token,
    });
    expect(outcome(noted as never)).toBe('404 not_found');
    const open = await published(app, third);
    expect(await note(open)).toContain(open.origin);
    const path = `${PATH}/publications`;
    const again = await rest(app, 'POST', path, { credential: third.token });
    expect(outcome(again as never)).toBe('409 log_published_already');
    const end = (credential: string) =>
      rest<Published>(app, 'DELETE', `${path}/${open.id}`, { credential });
    expect(outcome((await end(other.token)) as never)).toBe('404 not_found');
    expect(await note(open)).toContain(open.origin);
    const { body } = await end(third.token);
    expect((await end(third.token)).body).toEqual(body);
    for (const name of [open.name, open.name.toUpperCase(), '0'.repeat(32), "' OR 1=1"]) {
      const of = encodeURIComponent(name);
      const gone = await rest(app, 'GET', `${PATH}/logs/${of}/checkpoint`);
      expect(outcome(gone as never)).toBe('404 not_found');
    }
    const anew = await published(app, third);
    expect([anew.name, anew.key]).not.toEqual([open.name, open.key]);
    const list = await read<{ data: Published[] }>('/publications', third.token);
    expect(list.data.map(({ ended_at }) => ended_at !== null)).toEqual([false, true]);
  });

  it('is shown to its organization alone, and is published by those who may', async () => {
    const mine = await read<{ data: Published[] }>('/publications', customer.token);
    expect(mine.data).toEqual([log]);
    const { id } = await checkpoint();
    const path = `${PATH}/checkpoints/${id}/note`;
    const foreign = await rest(app, 'GET', path, { credential: other.token });
    expect(outcome(foreign as never)).toBe('404 not_found');
    expect((await rest(app, 'POST', `${PATH}/publications`)).status).toBe(401);
  });
});

describe('a cosignature', () => {
  it('of a listed witness is kept, on every node, and verifies without the server', async () => {
    await grow(customer, 1);
    const { id, size } = await checkpoint();
    const text = await note(log);
    const time = nowSeconds() - 7;
    const { status, body } = await submit(log, cosigned(text, listed, time), second);
    const shown = [{ witness: listed.name, time: new Date(time * 1_000).toISOString() }];
    expect([status, body]).toEqual([200, { size, cosignatures: shown }]);
    const whole = cosigned(text, listed, time);
    expect(await note(log)).toBe(whole);
    expect(await note(log, '?cosignatures_min=1')).toBe(whole);
    expect(await read(`/checkpoints/${id}/note`, customer.token)).toBe(whole);
    expect((await checkpoint()).cosignatures).toEqual(shown);
    const document = '{ logCheckpoints(first: 1) { nodes { cosignatures { witness } } } }';
    const { data } = await graphql(app, document, {}, customer.token);
    expect(data).toEqual({
      logCheckpoints: { nodes: [{ cosignatures: [{ witness: listed.name }] }] },
    });
    expect(await audited([whole])).toEqual({
      code: 0,
      text: expect.stringMatching(/, 1 cosignatures of .*: 0 faults$/),
    });
    expect((await checkpoint(other)).cosignatures).toEqual([]);
  });

  it('is kept once: what the same witness signs again later changes nothing', async () => {
    await grow(customer, 1);
    await checkpoint();
    const text = await note(log);
    const first = await submit(log, cosigned(text, listed, nowSeconds() - 60));
    const replayed = await submit(log, cosigned(text, listed));
    expect([first.status, replayed.body]).toEqual([200, first.body]);
    const table = 'log_cosignature';
    for (const change of [`UPDATE ${table} SET line = ''`, `DELETE FROM ${table}`]) {
      await expect(app.owner.pool.query(change)).rejects.toThrow(/append-only/);
    }
  });

  it('is refused where it is forged, and no lie leaves anything', async () => {
    await checkpoint();
    const old = await note(log);
    await grow(customer, 1);
    await checkpoint();
    const text = await note(log);
    const body = bodyOf(text);
    const root = Buffer.alloc(32, 7).toString('base64');
    const split = body.replace(/\n[^\n]+\n$/, `\n${root}\n`);
    const ahead = body.replace(/\n\d+\n/, '\n999999\n');
    const noted = (of: string) => `${of}\n${listed.cosign(of)}`;
    const now = nowSeconds();
    const claimed = newWitness(listed.name);
    const posing = claimed.cosign(body).split(' ')[2] ?? '';
    const real = listed.cosign(body).split(' ')[2] ?? '';
    const bytes = Buffer.concat([
      Buffer.from(real, 'base64').subarray(0, 4),
      Buffer.from(posing, 'base64').subarray(4),
    ]);
    const posed = `${text}— ${listed.name} ${bytes.toString('base64')}\n`;
    const lies: readonly (readonly [string, string, Published?])[] = [
      ['403 log_witness_unknown', cosigned(text, stranger)],
      ['403 log_witness_unknown', cosigned(text, claimed)],
      ['403 log_cosignature_invalid', posed],
      ['403 log_cosignature_invalid', text + listed.cosign(bodyOf(old))],
      ['403 log_cosignature_invalid', text + listed.cosign(body, now - 60, now)],
      ['403 log_cosignature_time', cosigned(text, listed, now + 3_600)],
      ['403 log_cosignature_time', cosigned(text, listed, now - 86_400)],
      ['409 log_checkpoint_unknown', noted(split)],
      ['409 log_checkpoint_unknown', noted(ahead)],
      ['409 log_checkpoint_unknown', cosigned(text, listed), theirs],
      ['400 invalid_request', 'no note'],
      ['400 invalid_request', cosigned(text, listed).slice(0, -1)],
      ['400 invalid_request', ''],
      ['404 not_found', cosigned(text, listed), { ...log, name: 'f'.repeat(32) }],
    ];
    for (const [expected, lie, at = log] of lies) {
      expect(outcome((await submit(at, lie)) as never), lie).toBe(expected);
    }
    expect(await note(log)).toBe(text);
    expect((await submit(log, text)).body).toMatchObject({ cosignatures: [] });
    const { rows } = await app.owner.pool.query(
      'SELECT FROM log_cosignature WHERE tenant_id = $1',
      [other.tenantId],
    );
    expect(rows).toEqual([]);
  });

  it('of an older checkpoint stays with that one', async () => {
    await grow(customer, 1);
    const { id } = await checkpoint();
    const old = await note(log);
    await grow(customer, 1);
    await checkpoint();
    expect((await submit(log, cosigned(old, listed))).status).toBe(200);
    expect(await note(log)).not.toContain(listed.name);
    expect((await read<Point>(`/checkpoints/${id}`, customer.token)).cosignatures).toHaveLength(1);
    expect(await note(log, '?cosignatures_min=1')).toContain(bodyOf(old));
    const none = await rest(app, 'GET', `${PATH}/logs/${log.name}/checkpoint?cosignatures_min=2`);
    expect(outcome(none as never)).toBe('404 not_found');
  });
});

describe('a witness with an address', () => {
  const round = () => app.server.services.witnessRounds.ask();
  const last = () => server.asked.filter(({ body }) => body.includes(log.origin)).at(-1);

  it('is asked by add-checkpoint, with a proof from the size that it cosigned', async () => {
    await grow(customer, 1);
    const before = await checkpoint();
    await round();
    expect(last()?.path).toBe('/add-checkpoint');
    expect(last()?.body).toMatch(/^old 0\n\n/);
    expect(await note(log)).toContain(asked.name);
    const count = server.asked.length;
    await round();
    expect(server.asked).toHaveLength(count);
    await grow(customer, 3);
    await checkpoint();
    await round();
    expect(last()?.body).toMatch(new RegExp(`^old ${before.size}\n([\\w+/=]{44}\n)+\n`));
    const bare = bodyOf(noteIn(last()?.body ?? ''));
    const growth = await read(`/logs/${log.name}/growth?old=${before.size}`);
    expect(growth).toMatch(new RegExp(`^old ${before.size}\n([\\w+/=]{44}\n)+\n`));
    expect(growth).toContain(bare);
  });

  it('says which size it knows, and is asked once more from there', async () => {
    await grow(customer, 2);
    const { size } = await checkpoint();
    answer = (body) =>
      body.startsWith('old 1\n')
        ? { status: 200, text: asked.cosign(bodyOf(noteIn(body))) }
        : { status: 409, text: '1\n' };
    await round();
    expect(last()?.body).toMatch(/^old 1\n/);
    expect((await checkpoint()).cosignatures.map(({ witness }) => witness)).toEqual([asked.name]);
    expect((await checkpoint()).size).toBe(size);
  });

  it('that lies or is away adds nothing, and rests before it is asked again', async () => {
    for (const said of [
      (body: string) => ({ status: 200, text: stranger.cosign(bodyOf(noteIn(body))) }),
      () => ({ status: 200, text: asked.cosign('another text\n') }),
      () => ({ status: 200, text: 'a page' }),
      () => ({ status: 409, text: '999999\n' }),
      () => ({ status: 302, text: '' }),
    ]) {
      const liar = await newCustomer(app);
      await published(app, liar);
      answer = said;
      await round();
      const count = server.asked.length;
      expect((await checkpoint(liar)).cosignatures).toEqual([]);
      await round();
      expect(server.asked).toHaveLength(count);
    }
    // Each of them is counted by the name of the witness.
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const refusals = metrics.split('\n').filter((line) => line.startsWith('gw_log_witness_'));
    expect(refusals).toEqual([`gw_log_witness_refusals_total{witness="${asked.name}"} 5`]);
  });
});

describe('reading a published log', () => {
  it('is limited by address on each path', async () => {
    const paths = [`/logs/${log.name}/checkpoint`, `/logs/${log.name}/growth?old=0`];
    const ask = (path: string) => rest(second, 'GET', PATH + path);
    expect((await Promise.all(paths.map(ask))).map(outcome)).toEqual(['200', '200']);
    const perMinute = READINGS_PER_MINUTE.address;
    const key = `published_log:address:${limitedAddress('127.0.0.1')}`;
    const spent = { kind: 'rate', key, perMinute, points: perMinute - 2 } as const;
    await second.server.services.counters.take([spent]);
    for (const path of paths) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
      const refused = answers.find(({ status }) => status === 429);
      expect(refused && outcome(refused)).toBe('429 log_readings_throttled');
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});

describe('the list of witnesses', () => {
  it('is public, with the keys that verify', async () => {
    expect(await read<{ data: unknown }>('/witnesses')).toMatchObject({
      data: [listed, asked].map(({ name, key }) => ({ name, key })),
    });
  });
});
