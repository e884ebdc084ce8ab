import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forgetSessions, sessionHash } from '../../../src/growth/analytics/counts.js';
import { BEACON_BOUNDS, PAGE_EVENTS } from '../../../src/growth/analytics/vocabulary.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let owner: Customer;
let admin: Customer;
beforeAll(async () => {
  app = await startApp();
  [owner, admin] = [await newCustomer(app), await newCustomer(app)];
  const { platformAdmins } = app.server.services.config;
  (platformAdmins as Set<string>).add(admin.userId);
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.owner.pool.query('DELETE FROM beacon_count');
  await app.owner.pool.query('DELETE FROM beacon_session');
  // Each test has a minute of its own.
  const { counters } = app.server.services;
  for (const key of [
    'beacon:address:127.0.0.1',
    `beacon:node:${app.server.services.config.nodeId}`,
  ])
    counters.adjust(key, 10_000, 10_000);
});

type Row = Readonly<Record<string, unknown>>;
interface Body extends Row {
  readonly error: { readonly code: string; readonly faults?: readonly { readonly path: string }[] };
}

const BEACON = '/v1/gw/analytics/beacon';
const today = () => new Date().toISOString().slice(0, 10);
const send = (body: object, headers: Record<string, string> = {}) =>
  rest<Body>(app, 'POST', BEACON, { body, headers });
const dashboard = async (query = '', credential = admin.token) =>
  rest<Body>(app, 'GET', `/v1/gw/analytics/dashboard${query}`, { credential });
const SESSION = 'a-random-session-of-a-page';

describe('events', () => {
  it('are a published list, over REST and GraphQL', async () => {
    const { status, body } = await rest<{ events: Row[] }>(app, 'GET', '/v1/gw/analytics/events');
    expect([status, body.events.map(({ code }) => code)]).toEqual([200, PAGE_EVENTS.codes]);
    const { data } = await graphql(app, '{ analyticsReference { perMinuteOfAddress } }');
    expect(data).toEqual({ analyticsReference: { perMinuteOfAddress: 60 } });
  });
});

describe('a beacon', () => {
  it('answers with all that is kept of it, and sets no cookie', async () => {
    const answer = await send({
      event: 'pricing_view',
      path: '/pricing/anna@example.com?utm=x',
      referrer: 'https://www.example.com/search?q=me',
      session: SESSION,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      event: 'pricing_view',
      path: '/pricing/:id',
      referrer_host: 'example.com',
      day: today(),
    });
    expect(answer.headers.get('set-cookie')).toBeNull();
    const { pool } = app.owner;
    const counts = await pool.query('SELECT kind, value, hits FROM beacon_count ORDER BY kind');
    expect(counts.rows).toEqual([
      { kind: 'event', value: 'pricing_view', hits: 1n },
      { kind: 'path', value: '/pricing/:id', hits: 1n },
      { kind: 'referrer', value: 'example.com', hits: 1n },
      { kind: 'session', value: '', hits: 1n },
    ]);
    const sessions = await pool.query('SELECT session_hash FROM beacon_session');
    expect(sessions.rows[0].session_hash.toString()).not.toContain(SESSION);
    const columns = await pool.query(
      `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_name LIKE 'beacon%' ORDER BY 1, ordinal_position`,
    );
    expect(columns.rows.map((row) => Object.values(row).join('.'))).toEqual([
      'beacon_count.day',
      'beacon_count.kind',
      'beacon_count.value',
      'beacon_count.hits',
      'beacon_session.day',
      'beacon_session.session_hash',
    ]);
  });

  it('is refused with unknown members, events, and sessions that are no random text', async () => {
    const faults = async (body: object) => {
      const answer = await send(body);
      return [answer.status, answer.body.error?.faults?.map(({ path }) => path)];
    };
    expect(await faults({ event: 'page_view', email: 'a@b.c', user_id: 7 })).toEqual([
      400,
      ['email', 'user_id'],
    ]);
    expect(await faults({ event: 'spy' })).toEqual([400, ['event']]);
    expect(await faults({})).toEqual([400, ['event']]);
    expect(await faults({ event: 'page_view', session: 'anna@example.com 1' })).toEqual([
      400,
      ['session'],
    ]);
    expect(await faults({ event: 'page_view', session: 'short', path: 'x'.repeat(3_000) })).toEqual(
      [400, ['path', 'session']],
    );
    const { rows } = await app.owner.pool.query('SELECT 1 FROM beacon_count');
    expect(rows).toEqual([]);
    const text = 'mutation { analyticsBeaconSend(input: { event: page_view, ip: "1" }) { day } }';
    const { errors } = await graphql(app, text);
    expect(errors?.[0]?.message).toContain('Field "ip" is not defined');
  });

  it('counts a session once a day, also when its beacons race', async () => {
    const told = { event: 'page_view', path: '/', session: SESSION };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(told)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await dashboard();
    expect(body).toMatchObject({ events: 10, unique_sessions: 1 });
    const hash = (day: string) => Buffer.from(sessionHash('s', day, SESSION)).toString('hex');
    expect(hash('2026-11-22')).toBe(hash('2026-11-22'));
    expect(hash('2026-11-22')).not.toBe(hash('2026-11-23'));
  });

  it('is limited by address, whatever headers say, and over GraphQL alike', async () => {
    const { counters } = app.server.services;
    const { perMinuteOfAddress } = BEACON_BOUNDS;
    counters.adjust('beacon:address:127.0.0.1', perMinuteOfAddress, -perMinuteOfAddress * 2);
    const told = { event: 'page_view' };
    const answer = await send(told, {
      'x-forwarded-for': '198.51.100.1',
      forwarded: 'for=1.2.3.4',
    });
    expect([answer.status, answer.body.error.code]).toEqual([429, 'beacon_throttled']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const text = 'mutation { analyticsBeaconSend(input: { event: page_view }) { day } }';
    const { errors } = await graphql(app, text);
    expect(errors?.[0]?.extensions.code).toBe('beacon_throttled');
    const { rows } = await app.owner.pool.query('SELECT 1 FROM beacon_count');
    expect(rows).toEqual([]);
  });

  it('fills no table: what comes after the most of a day is counted together', async () => {
    await app.owner.pool.query(
      `INSERT INTO beacon_count SELECT $1::date, 'path', '/' || n, 1 FROM generate_series(1, $2) n`,
      [today(), BEACON_BOUNDS.valuesOfDayMax],
    );
    await app.owner.pool.query(`UPDATE beacon_count SET value = '/pricing' WHERE value = '/7'`);
    await send({ event: 'page_view', path: '/new' });
    await send({ event: 'page_view', path: '/another/one' });
    await send({ event: 'page_view', path: '/pricing' });
    const { rows } = await app.owner.pool.query(
      `SELECT value, hits FROM beacon_count WHERE kind = 'path' AND hits > 1 ORDER BY value`,
    );
    expect(rows).toEqual([
      { value: '(other)', hits: 2n },
      { value: '/pricing', hits: 2n },
    ]);
  });

  it('leaves sessions of days that are over behind as a number', async () => {
    await send({ event: 'page_view', session: SESSION });
    await app.owner.pool.query(`UPDATE beacon_session SET day = day - 1`);
    await send({ event: 'page_view', session: `${SESSION}-2` });
    await forgetSessions(app.server.services);
    const { rows } = await app.owner.pool.query('SELECT count(*)::int AS left FROM beacon_session');
    expect(rows).toEqual([{ left: 1 }]);
    expect((await dashboard()).body).toMatchObject({ unique_sessions: 2 });
  });
});

describe('the dashboard', () => {
  it('is for administrators of the platform alone', async () => {
    for (const credential of [owner.token, owner.key, admin.key]) {
      const { status, body } = await dashboard('', credential);
      expect([status, body.error.code]).toEqual([403, 'platform_admin_required']);
    }
    expect((await rest(app, 'GET', '/v1/gw/analytics/dashboard')).status).toBe(401);
    const { data, errors } = await graphql(
      app,
      '{ analyticsDashboard { events } }',
      {},
      owner.token,
    );
    expect([data, errors?.[0]?.extensions.code]).toEqual([null, 'platform_admin_required']);
  });

  it('sums the days that are asked for, the most frequent first, and says its source', async () => {
    await app.owner.pool.query(
      `INSERT INTO beacon_count VALUES
         ('2026-11-01', 'event', 'page_view', 5), ('2026-11-02', 'event', 'page_view', 6),
         ('2026-11-02', 'event', 'cta_click', 1), ('2026-11-03', 'event', 'page_view', 100),
         ('2026-11-01', 'path', '/a', 2), ('2026-11-02', 'path', '/b', 3),
         ('2026-11-01', 'referrer', 'example.com', 4), ('2026-11-01', 'session', '', 2),
         ('2026-11-02', 'session', '', 3)`,
    );
    const { body } = await dashboard('?from=2026-11-01&to=2026-11-02');
    expect(body).toEqual({
      from: '2026-11-01',
      to: '2026-11-02',
      events: 12,
      unique_sessions: 5,
      by_event: [
        { event: 'page_view', hits: 11 },
        { event: 'cta_click', hits: 1 },
      ],
      top_paths: [
        { value: '/b', hits: 3 },
        { value: '/a', hits: 2 },
      ],
      top_referrers: [{ value: 'example.com', hits: 4 }],
      provenance: 'live_measured',
      source: expect.stringContaining('Counts of each day'),
    });
    for (const query of ['?from=2026-11-02&to=2026-11-01', '?from=2026-01-01&to=2026-11-01']) {
      expect((await dashboard(query)).status).toBe(400);
    }
    expect((await dashboard('?from=yesterday')).status).toBe(400);
  });
});

describe('the script for pages', () => {
  /** A page of another host, as far as the script sees it. */
  async function openPage(more: { navigator?: object; dataset?: object } = {}) {
    const served = await fetch(`${app.url}/beacon.js`);
    const sent: Promise<Response>[] = [];
    const kept = new Map<string, string>();
    const navigator = {
      sendBeacon: (url: string, body: string) => {
        const headers = { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://shop.test' };
        sent.push(fetch(url, { method: 'POST', headers, body }));
        return true;
      },
      ...more.navigator,
    };
    const page = {
      URL,
      crypto,
      navigator,
      location: { pathname: '/offer', host: 'shop.test', search: '?secret=1' },
      document: {
        currentScript: { src: `${app.url}/beacon.js`, dataset: more.dataset ?? {} },
        referrer: 'https://search.example/find?q=private',
      },
      sessionStorage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
      },
      gwBeacon: (_event: string): boolean => false,
    };
    const window = createContext(Object.assign(page, { window: page }));
    runInContext(await served.text(), window);
    return { page, served, kept, answers: () => Promise.all(sent) };
  }

  it('is below one kilobyte, and may be loaded by pages of any host', async () => {
    const file = join(projectRoot(), 'src', 'app', 'pages', 'browser', 'beacon.js');
    expect(readFileSync(file).length).toBeLessThan(1_024);
    const { served, answers } = await openPage();
    await answers();
    expect(served.status).toBe(200);
    expect(served.headers.get('content-type')).toContain('javascript');
    expect(served.headers.get('access-control-allow-origin')).toBe('*');
    expect(served.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(served.headers.get('set-cookie')).toBeNull();
  });

  it('tells this server of the page and of what it is asked to tell, in one session', async () => {
    const { page, answers, kept } = await openPage();
    expect(page.gwBeacon('cta_click')).toBe(true);
    const all = await answers();
    expect(all.map(({ status }) => status)).toEqual([200, 200]);
    expect(await Promise.all(all.map((answer) => answer.json()))).toEqual([
      { event: 'page_view', path: '/:id', referrer_host: 'search.example', day: today() },
      { event: 'cta_click', path: '/:id', referrer_host: 'search.example', day: today() },
    ]);
    expect([...kept.keys()]).toEqual(['gw-session']);
    expect((await dashboard()).body).toMatchObject({ events: 2, unique_sessions: 1 });
  });

  it('takes another session after half an hour of nothing', async () => {
    const { page, answers, kept } = await openPage();
    const [id = ''] = (kept.get('gw-session') ?? '').split(' ');
    kept.set('gw-session', `${id} ${Date.now() - 31 * 60_000}`);
    page.gwBeacon('cta_click');
    await answers();
    expect(kept.get('gw-session')).not.toContain(id);
    expect((await dashboard()).body).toMatchObject({ unique_sessions: 2 });
  });

  it('tells nothing of visitors who object, and nothing by itself if told so', async () => {
    for (const navigator of [{ globalPrivacyControl: true }, { doNotTrack: '1' }]) {
      const { page, answers, kept } = await openPage({ navigator });
      expect([page.gwBeacon('cta_click'), await answers(), kept.size]).toEqual([false, [], 0]);
    }
    const { answers } = await openPage({ dataset: { auto: 'off' } });
    expect(await answers()).toEqual([]);
  });
});
