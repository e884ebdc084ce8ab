import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { spawnUpstreamDouble } from '../../support/upstream-double.js';
import type { Behaviour, Received } from '../../support/upstream-double.mjs';

/** Providers that are lanes of one upstream process; each has one chat and one embeddings model. */
const LANES = ['main', 'slow', 'down', 'cutting', 'odd', 'busy', 'spare', 'silent'] as const;

/** The name of a provider, of its lane, and the first part of its models. */
export type Lane = (typeof LANES)[number];

/** Rubles for a million tokens, which are micro-rubles for one. */
const PRICES = { input: 100, input_cached: 30, output: 200, output_reasoning: 150 } as const;

/** How long a lane may take; whole answers have four times as long for their first byte. */
function timeouts(lane: Lane) {
  if (lane === 'silent') return { first_byte_ms: 100, gap_ms: 100 };
  return { first_byte_ms: 10_000, gap_ms: 10_000 };
}

/** A gateway in this process whose providers are another process, reached over HTTP. */
export interface World {
  readonly app: TestApp;
  /** The base address that a client of SDKs is given. */
  readonly baseUrl: string;
  /** Tells a lane how to behave, one behaviour a request; the last one stays. */
  script(lane: Lane, ...behaviours: readonly Behaviour[]): Promise<void>;
  /** What a lane has received since it was last scripted. */
  received(lane: Lane): Promise<readonly Received[]>;
  /** The JSON bodies of the same. */
  bodies(lane: Lane): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Starts the upstream process and the gateway in front of it. */
export async function startWorld(): Promise<World> {
  const double = await spawnUpstreamDouble();
  const folder = await mkdtemp(join(tmpdir(), 'gw-test-providers-'));
  const file = join(folder, 'providers.json');
  await writeFile(file, JSON.stringify({ providers: LANES.map((lane) => provider(lane, double)) }));
  const clear = async () => {
    await double.close();
    await rm(folder, { recursive: true, force: true });
  };
  const app = await startApp({ GW_PROVIDERS_FILE: file }).catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  const seen = new Map<Lane, number>();
  const received = async (lane: Lane) => (await double.received(lane)).slice(seen.get(lane) ?? 0);
  return {
    app,
    baseUrl: `${app.url}/v1`,
    received,
    async script(lane, ...behaviours) {
      await double.script(lane, ...behaviours);
      seen.set(lane, (await double.received(lane)).length);
    },
    bodies: async (lane) => (await received(lane)).map(({ body }) => JSON.parse(body)),
    async stop() {
      await app.stop();
      await clear();
    },
  };
}

function provider(lane: Lane, { origin }: { readonly origin: string }) {
  const prices = [{ effective_from: '2020-01-01', ...PRICES }];
  const common = { context_window: 100_000, prices, timeouts: timeouts(lane) };
  const capabilities = ['text', 'tools', 'json', 'json_schema', 'streaming', 'vision'];
  return {
    id: lane,
    name: `Lane ${lane}`,
    operator: 'the tests',
    base_url: `${origin}/${lane}/v1`,
    jurisdiction: 'rf',
    models: [
      {
        ...common,
        upstream_name: 'chat',
        capabilities,
        max_output_tokens: 1_000,
        fallbacks: lane === 'spare' ? ['main/chat'] : [],
      },
      {
        ...common,
        upstream_name: 'embed',
        operation: 'embeddings',
        capabilities: ['embeddings'],
      },
    ],
  };
}

/** What an account owns and holds, in rubles, and what was charged to it, newest first. */
export interface Books {
  readonly balance: number;
  readonly held: number;
  readonly charges: readonly number[];
}

interface BalanceAnswer {
  readonly balance_rub: number;
  readonly held_rub: number;
}

/** Reads the books of a customer as the customer does. */
export async function booksOf({ app }: World, { token }: Customer): Promise<Books> {
  const options = { credential: token };
  const balance = await rest<BalanceAnswer>(app, 'GET', '/billing/balance', options);
  const path = '/billing/ledger?type=finalize&limit=200';
  const ledger = await rest<{ data: { amount_rub: number }[] }>(app, 'GET', path, options);
  return {
    balance: balance.body.balance_rub,
    held: balance.body.held_rub,
    charges: ledger.body.data.map((entry) => entry.amount_rub),
  };
}

/** The rows of usage of a customer, newest first. */
export async function usageOf({ app }: World, { token }: Customer) {
  const answer = await rest<{ data: Record<string, unknown>[] }>(app, 'GET', '/usage', {
    credential: token,
  });
  return answer.body.data;
}

/** A customer with a policy for all requests. */
export async function customerUnder(
  { app }: World,
  policy: Record<string, unknown>,
  fundsRub = 100,
): Promise<Customer> {
  const customer = await newCustomer(app, fundsRub);
  const created = await rest(app, 'POST', '/v1/gw/policies', {
    credential: customer.token,
    body: { name: 'strict', ...policy },
  });
  if (created.status >= 300) throw new Error(`no policy: ${JSON.stringify(created.body)}`);
  return customer;
}

/** The price of the double's usual answer, 11 tokens in and 7 out, in rubles. */
export const USUAL_COST_RUB = (11 * PRICES.input + 7 * PRICES.output) / 1_000_000;

/** What the double says when it is not told otherwise. */
export const USUAL_TEXT = 'Привет, this is the double speaking 🙂 and it ends here.';
