import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endLostRuns } from '../../../src/delivery/blueprints/run-underway.js';
import { type Books, openBooks } from '../../faults/books.js';
import { type Folder, newFolder } from '../../faults/providers.js';
import { type Customer, graphql, newCustomer, rest, startApp } from '../../support/app.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../../support/gateway-process.js';
import { ownManifest } from './own-manifest.js';
import { micro, run, type WireRun } from './wire.js';

const TEST_MS_MAX = 120_000;
const WAIT = { timeout: 60_000, interval: 50 };

let folder: Folder;
let database: TestDatabase;
let books: Books;

beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
}, TEST_MS_MAX);
afterAll(async () => {
  await killGateways();
  await books.close();
  await database.drop();
  folder.remove();
});

function gatewayProcess(): Promise<GatewayProcess> {
  return startGateway({ GW_DATA_DIR: folder.path, DATABASE_URL: database.databaseUrl });
}

interface Underway {
  readonly runId: string;
  readonly blueprintId: string;
  readonly stepsEnded: readonly string[];
}

async function underway(app: { readonly url: string }, { token }: Customer): Promise<Underway[]> {
  const text = '{ blueprintRunsUnderway { runId blueprintId stepsEnded } }';
  const { data } = await graphql<{ blueprintRunsUnderway: Underway[] }>(app, text, {}, token);
  return data.blueprintRunsUnderway;
}

async function runs(app: { readonly url: string }, { token }: Customer) {
  const path = '/v1/gw/blueprints/runs';
  const answer = await rest<{ data: (WireRun & { failure: string | null })[] }>(app, 'GET', path, {
    credential: token,
  });
  return answer.body.data;
}

/** A manifest that asks a model twice, the second time slowly enough to be interrupted. */
function twoAnswers() {
  const manifest = ownManifest('acme-twice');
  const [first, ...rest] = manifest.steps;
  manifest.steps = [{ ...first, id: 'sorted' }, { ...first }, ...rest];
  (manifest.business_result as Record<string, unknown>).facts = { first: 'steps.sorted.urgency' };
  return manifest;
}

describe('a run whose process dies', () => {
  it(
    'is seen while it goes on, and ends as failed with what it had done and what it cost',
    async () => {
      const first = await gatewayProcess();
      const customer = await newCustomer(first, 500);
      const stranger = await newCustomer(first);
      const store = 'mutation($m: JSON!) { blueprintManifestStore(manifest: $m) { version } }';
      const stored = await graphql(first, store, { m: twoAnswers() }, customer.token);
      expect(stored.errors).toBe(undefined);
      const asked = run(first, customer, 'acme-twice', {
        metadata: { sandbox_delay_ms: '3000' },
      }).catch(() => undefined);
      const [known] = await vi.waitUntil(async () => {
        const found = await underway(first, customer);
        return found[0]?.stepsEnded.length === 1 ? found : undefined;
      }, WAIT);
      expect(known).toEqual({
        runId: expect.any(String),
        blueprintId: 'acme-twice',
        stepsEnded: ['sorted'],
      });
      expect([await underway(first, stranger), await runs(first, customer)]).toEqual([[], []]);
      await first.kill();
      await asked;
      await books.pool.query('UPDATE blueprint_run_underway SET alive_until = now()');
      const second = await gatewayProcess();
      const [lost, ...others] = await vi.waitUntil(async () => {
        const found = await runs(second, customer);
        return found.length > 0 ? found : undefined;
      }, WAIT);
      expect(others).toEqual([]);
      expect(lost).toMatchObject({
        id: known?.runId,
        status: 'failed',
        failure: 'node_lost',
        steps: [{ step: 'sorted', status: 'completed', output_valid: true }],
        business_result: { achieved: false, quantity: 0 },
      });
      const taken = await rest<{ data: { amount_rub: number }[] }>(
        second,
        'GET',
        '/billing/ledger?type=finalize',
        { credential: customer.token },
      );
      const sum = taken.body.data.reduce(
        (all, entry) => all + micro(Math.abs(entry.amount_rub)),
        0,
      );
      expect(micro(lost?.cost_rub ?? 0)).toBe(sum);
      expect(sum).toBeGreaterThan(0);
      const path = `/v1/gw/blueprints/runs/${known?.runId}`;
      const foreign = await rest(second, 'GET', path, { credential: stranger.token });
      expect([foreign.status, await underway(second, customer)]).toEqual([404, []]);
    },
    TEST_MS_MAX,
  );
});

describe('the sweep', () => {
  it(
    'leaves runs alone that go on, and of several nodes one ends a lost run; its process finds it',
    async () => {
      const app = await startApp();
      const { services } = app.server;
      const customer = await newCustomer(app, 500);
      const asked = run(app, customer, 'support-ticket-triage', {
        metadata: { sandbox_delay_ms: '4000' },
      });
      await vi.waitUntil(async () => (await underway(app, customer)).length === 1, WAIT);
      await endLostRuns(services);
      expect(await runs(app, customer)).toEqual([]);
      await app.owner.prisma.$executeRaw`
        UPDATE blueprint_run_underway SET alive_until = clock_timestamp()
        WHERE tenant_id = ${customer.tenantId}::uuid`;
      await Promise.all([endLostRuns(services), endLostRuns(services), endLostRuns(services)]);
      const ended = await runs(app, customer);
      expect(ended).toMatchObject([{ status: 'failed', failure: 'node_lost', steps: [] }]);
      const { status, body } = await asked;
      expect([status, body.id]).toEqual([200, ended[0]?.id]);
      expect(await runs(app, customer)).toEqual(ended);
      await app.stop();
    },
    TEST_MS_MAX,
  );
});
