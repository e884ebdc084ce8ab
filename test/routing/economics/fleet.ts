import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../src/kernel/ids.js';
import type { UsageRecord } from '../../../src/money/ledger/usage-record.js';
import { type Customer, startApp, type TestApp } from '../../support/app.js';

/** Real models of this fleet, the cheapest first: it leaves Russia, is basic, is the best. */
export const ABROAD = 'abroad/budget';
export const BASIC = 'home/basic';
export const PREMIUM = 'home/premium';

const CAPABILITIES = ['text', 'tools', 'json', 'json_schema', 'streaming'];

function model(name: string, quality: string, latency: string, price: object) {
  return {
    upstream_name: name,
    capabilities: name === 'premium' ? [...CAPABILITIES, 'reasoning'] : CAPABILITIES,
    context_window: 100_000,
    max_output_tokens: 4_000,
    quality,
    russian_quality: quality,
    latency,
    prices: [{ effective_from: '2026-01-01', ...price }],
  };
}

/** Nobody answers there; what is decided about is not called. */
const provider = (id: string, jurisdiction: string, models: object[]) => ({
  id,
  name: id,
  operator: 'a test',
  base_url: 'http://127.0.0.1:9/v1',
  jurisdiction,
  models,
});

const PROVIDERS = [
  provider('abroad', 'outside', [model('budget', 'good', 'slow', { input: 1, output: 1 })]),
  provider('home', 'rf', [
    model('basic', 'basic', 'fast', { input: 10, output: 20 }),
    model('premium', 'high', 'medium', { input: 200, output: 600 }),
  ]),
];

/** A gateway with the sandbox and three real models. */
export async function startFleet(): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-fleet-'));
  const file = join(folder, 'providers.yaml');
  await writeFile(file, JSON.stringify({ providers: PROVIDERS }));
  const app = await startApp({ GW_PROVIDERS_FILE: file });
  return {
    ...app,
    async stop() {
      await app.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a usage row says of the decision that chose its model. */
export function decided(more: Readonly<Record<string, unknown>> = {}) {
  return {
    gw_routing: {
      situation: '0'.repeat(64),
      contract_key: 'default',
      contract_version: 0,
      use_case: 'support',
      features: {},
      incumbent: null,
      verdict: 'ROUTED',
      model: BASIC,
      explored: false,
      quality_basis_points: 6_000,
      baseline_model: PREMIUM,
      baseline_cost_rub: '2.50',
      ...more,
    },
  };
}

/**
 * Enters a charged request into the books, as the chat path does: hold, charge and usage row.
 * @returns the id of the request
 */
export async function charge(
  app: TestApp,
  customer: Customer,
  amountMicro: bigint,
  changes: Partial<UsageRecord> = {},
): Promise<string> {
  const { accountId, tenantId, projectId, keyId } = customer;
  const { ledger } = app.server.services;
  const requestId = newId('Request');
  const op = { accountId, tenantId, requestId, amountMicro };
  const held = await ledger.hold({ ...op, budgetIds: [] });
  const usage = { ...USAGE, projectId, keyId, ...changes };
  const settled = await ledger.settle({ ...op, usage, delivered: true });
  if (held.status !== 'ok' || settled.status !== 'ok') {
    throw new Error(`nothing was charged: ${held.status}, ${settled.status}`);
  }
  return requestId;
}

const FREE = { inputUncached: 0n, inputCached: 0n, cacheWrite: 0n, outputText: 0n };

const USAGE: Omit<UsageRecord, 'projectId'> = {
  operation: 'chat',
  requestedModel: 'gw:auto',
  model: BASIC,
  provider: 'home',
  route: 'rf',
  simulated: false,
  feature: 'support',
  tokens: {
    inputUncached: 100,
    inputCached: 0,
    cacheWrite: 0,
    outputText: 50,
    outputReasoning: 0,
  },
  usageSource: 'upstream',
  prices: { effectiveFrom: '2026-01-01', ...FREE, outputReasoning: 0n },
  status: 'complete',
  httpStatus: 200,
  finishReason: 'stop',
  streamed: false,
  latencyMs: 500,
  overheadUs: 500,
  attempts: 1,
  policyVersions: {},
  dataClass: 'C0',
  firewallFindings: {},
  metadata: {},
};
