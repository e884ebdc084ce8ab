import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, newFolder, writeProviders } from '../../faults/providers.js';
import { newCustomer, startApp, type TestApp } from '../../support/app.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { compareMigration, newScanned } from './steps.js';

const PROBE_AFTER_MS = 30_000;

let double: UpstreamDouble;
let folder: Folder;
let app: TestApp;
beforeAll(async () => {
  double = await startUpstreamDouble();
  folder = newFolder();
  const lanes = ['first', 'second'].map((lane) => ({ lane, model: 'own/model' }));
  app = await startApp({
    GW_SANDBOX: 'off',
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
  });
});
afterAll(async () => {
  await app?.stop();
  await double?.close();
  folder?.remove();
});

const evaluationSet = Array.from({ length: 20 }, (_, index) => ({
  input: `Number ${index}`,
  expect: { contains: 'double' },
}));

/** Runs a task while all clocks of this process are later by so much. */
async function later<T>(milliseconds: number, task: () => Promise<T>): Promise<T> {
  const { now } = performance;
  const date = Date.now;
  performance.now = () => now.call(performance) + milliseconds;
  Date.now = () => date() + milliseconds;
  try {
    return await task();
  } finally {
    performance.now = now;
    Date.now = date;
  }
}

describe('a comparison through a route whose first provider fails', () => {
  it('is answered by the second one, while the breaker opens and while it is probed', async () => {
    const customer = await newCustomer(app, 500);
    double.script('first', { status: 500, delayMs: 30 });
    for (const waitedMs of [0, PROBE_AFTER_MS + 5_000]) {
      const id = await newScanned(app, customer);
      const { status, body } = await later(waitedMs, () =>
        compareMigration(app, customer, id, {
          source_cost_per_1m_rub: 120,
          evaluation_set: evaluationSet,
        }),
      );
      expect(status).toBe(200);
      expect(body.migration_receipt).toMatchObject({
        route_model: 'own/model',
        quality: 'measured',
        quality_evidence: { items: 20, ran: 20, passed: 20 },
      });
    }
    // Five to open the breaker, one to probe it, and what was on its way meanwhile.
    expect(double.received('first').length).toBeGreaterThanOrEqual(6);
    expect(double.received('first').length).toBeLessThanOrEqual(11);
  });
});
