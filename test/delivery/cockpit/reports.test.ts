import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkToken } from '../../../src/delivery/cockpit/link.rules.js';
import { newId } from '../../../src/kernel/ids.js';
import { LANGUAGES, type Language } from '../../../src/kernel/language/languages.js';
import { Keyring } from '../../../src/platform/keyring.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { englishWords, saidBy } from '../../support/english-words.js';
import { COCKPIT, type ShownRun } from './runs.js';
import { shareOf } from './samples.js';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
let run: ShownRun;

beforeAll(async () => {
  app = await startApp();
  [owner, stranger] = [await newCustomer(app, 500), await newCustomer(app, 500)];
  run = (await rest<ShownRun>(app, 'POST', COCKPIT, { credential: owner.key, body: {} })).body;
});
afterAll(() => app.stop());

interface Link {
  readonly run_id: string;
  readonly report_id: string;
  readonly sha256: string;
  readonly url: string;
  readonly expires_at: string;
  readonly simulated: boolean;
}

function share<T = Link>(credential: string, id = run.id, method = 'POST') {
  return rest<T>(app, method, `${COCKPIT}/runs/${id}/share`, { credential });
}

function codeOf(answer: { readonly body: unknown }): unknown {
  return (answer.body as { error?: { code: string } }).error?.code;
}

async function pageOf(url: string, language: Language = 'en') {
  const response = await fetch(app.url + new URL(url).pathname, {
    headers: { accept: 'text/html', 'accept-language': language },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('a run is shared as a sealed report', () => {
  it('which whoever has the link reads, marked as simulated, without key or texts', async () => {
    const { status, body } = await share(owner.key);
    expect([status, body.run_id, body.simulated]).toEqual([200, run.id, true]);
    const { status: shown, headers, text } = await pageOf(body.url);
    expect(shown).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(text).toMatch(/class="notice"><strong>simulated<\/strong>/);
    expect(text.match(/pass \(simulated\)/g)).toHaveLength(4);
    expect(text).toContain(body.sha256);
    expect(text).toContain('intact: content and chain');
    for (const secret of [owner.key, owner.token, owner.keyId, owner.userId, owner.tenantId]) {
      expect(text).not.toContain(secret);
    }
  });

  it('which is told in Russian around the sealed text, and names no alternate', async () => {
    const { url } = (await share(owner.key)).body;
    const { text, headers } = await pageOf(url, 'ru');
    expect(headers.get('content-language')).toBe('ru');
    expect(text).not.toContain('rel="alternate"');
    expect(text.match(/пройдена \(имитация\)/g)).toHaveLength(4);
    expect(englishWords(saidBy(text), ['service'])).toEqual([]);
    expect((await pageOf(url)).text.match(/[А-Яа-яЁё]+/g)).toEqual(['Русский']);
  });

  it.each(LANGUAGES)('whose text on the page in %s has the hash of the receipt', async (of) => {
    const { url, sha256 } = (await share(owner.key)).body;
    const { text } = await pageOf(url, of);
    const sealed = /<pre[^>]*class="wraps"><code>([\s\S]*?)<\/code>/.exec(text)?.[1] ?? '';
    const content = sealed.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  });

  it('and the same in both voices, sealed once, with one link while it is open', async () => {
    const [first, again] = [(await share(owner.key)).body, (await share(owner.token)).body];
    const asked = await shareOf(app, owner, run.id);
    expect(again).toEqual(first);
    expect(asked).toEqual({
      runId: first.run_id,
      reportId: first.report_id,
      url: first.url,
      expiresAt: first.expires_at,
      simulated: true,
      sha256: first.sha256,
    });
    const path = `${COCKPIT}/reports`;
    const list = await rest<{ data: { id: string }[] }>(app, 'GET', path, {
      credential: owner.key,
    });
    expect(list.body.data.map(({ id }) => id)).toEqual([first.report_id]);
    const read = await rest<Record<string, unknown>>(app, 'GET', `${path}/${first.report_id}`, {
      credential: owner.key,
    });
    const { status, simulated, cost_rub, checks } = run;
    expect(read.body).toMatchObject({ status, simulated, cost_rub, checks, run_id: run.id });
    const verified = await rest(app, 'GET', `${path}/${first.report_id}/verify`, {
      credential: owner.key,
    });
    expect(verified.body).toMatchObject({ valid: true, hash: first.sha256, chain_valid: true });
  });
});

describe('a link', () => {
  it('that is taken back shows nothing, and a new one is another one', async () => {
    const first = (await share(owner.key)).body;
    const taken = await share<{ shared: boolean }>(owner.token, run.id, 'DELETE');
    expect([taken.status, taken.body.shared]).toEqual([200, false]);
    expect((await pageOf(first.url)).status).toBe(404);
    expect(codeOf(await share(owner.token, run.id, 'DELETE'))).toBe('not_found');
    const second = (await share(owner.key)).body;
    expect(second.url).not.toBe(first.url);
    expect(second.report_id).toBe(first.report_id);
    expect([(await pageOf(first.url)).status, (await pageOf(second.url)).status]).toEqual([
      404, 200,
    ]);
  });

  it('that is made up shows nothing, whatever it names', async () => {
    const { tenantId } = owner;
    const { keyring } = app.server.services;
    const places = [
      linkToken(new Keyring({ secret: 'another secret' }), { tenantId, runId: run.id, version: 1 }),
      linkToken(keyring, { tenantId: stranger.tenantId, runId: run.id, version: 3 }),
      linkToken(keyring, { tenantId, runId: newId('MigrationCheckRun'), version: 1 }),
      linkToken(keyring, { tenantId, runId: run.id, version: 99 }),
      'nonsense',
    ];
    const statuses = places.map((token) => pageOf(`${app.url}/cockpit/reports/${token}`));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual(Array(5).fill(404));
  });

  it('is nothing that another organization can open or take back', async () => {
    const unknown = newId('MigrationCheckRun');
    for (const method of ['POST', 'DELETE']) {
      const foreign = await share(stranger.key, run.id, method);
      const missing = await share(stranger.key, unknown, method);
      expect([foreign.status, codeOf(foreign)]).toEqual([404, 'not_found']);
      expect([missing.status, codeOf(missing)]).toEqual([404, 'not_found']);
    }
    const { data } = await graphql(
      app,
      '{ migrationReportSharings { nodes { id } } migrationCheckReports { nodes { id } } }',
      {},
      stranger.token,
    );
    const none = { nodes: [] };
    expect(data).toEqual({ migrationReportSharings: none, migrationCheckReports: none });
  });
});
