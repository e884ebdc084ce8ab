import { expect } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { parseRub } from '../../../src/kernel/money.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { type ProvidedApp, startProvided } from '../../support/provided-app.js';
import type { WireRow } from './published-rules.js';

const DAY_MS = 86_400_000;

/** What really happens in the tests of the export. */
export const NOW = {
  from: new Date(Date.now() - 2 * DAY_MS),
  to: new Date(Date.now() + 3_600_000),
};
/** The turn of a year with its two rates of tax. */
export const YEAR = {
  from: new Date('2025-12-30T00:00:00Z'),
  to: new Date('2026-01-05T00:00:00Z'),
};

/** A time as the export writes it. */
export function wholeSecond(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** The query of a window. */
export function queryOf(window: { readonly from: Date; readonly to: Date }): string {
  return `from=${wholeSecond(window.from)}&to=${wholeSecond(window.to)}`;
}

/** An amount of the wire in micro-rubles. */
export function micro(value: WireRow[string] | undefined): bigint {
  return parseRub(String(value)) ?? 0n;
}

/** The sum of a column of costs. */
export function sumOf(rows: readonly WireRow[], column = 'BilledCost'): bigint {
  return rows.reduce((sum, row) => sum + micro(row[column]), 0n);
}

/** A page of the export. */
export interface Page {
  readonly data: readonly WireRow[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const MODEL = {
  upstream_name: 'model',
  name: 'The model of the test',
  capabilities: ['text', 'streaming'],
  context_window: 100_000,
  max_output_tokens: 4_000,
  prices: [
    {
      effective_from: '2025-01-01',
      input: 61.77,
      input_cached: 31.13,
      cache_write: 70.41,
      output: 122.99,
      output_reasoning: 150.07,
    },
  ],
};
const EMBEDDINGS = {
  upstream_name: 'embed',
  operation: 'embeddings',
  capabilities: ['text', 'embeddings'],
  context_window: 8_000,
  max_output_tokens: 1,
  prices: [{ effective_from: '2025-01-01', input: 1 }],
};

/** What makes a question as long as the provider says that it was: other counts are not billed. */
const LONG = 'Посчитайте, пожалуйста, расходы отдела за каждый день месяца. '.repeat(6);

/** What every answer of the provider says that it used. */
const USAGE = {
  prompt_tokens: 127,
  completion_tokens: 40,
  total_tokens: 167,
  prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 7 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

/** Columns of usage that are the database's own, and what a planted row says in others. */
const OWN_COLUMNS = ['seq', 'txid'];
const PLANTED: Readonly<Record<string, string>> = {
  id: '$1::uuid',
  created_at: '$2::timestamptz',
  vat_rate_basis_points: '$3::int',
  vat_micro: 'vat_inside(amount_micro, $3::int)',
};

/** A gateway with charges of every kind, of one customer and of another. */
export class ChargedApp {
  private planted = 1_000_000;
  /** Ids of requests by their names. */
  readonly requests = new Map<string, string>();

  private constructor(
    readonly app: ProvidedApp,
    readonly customer: Customer,
    readonly other: Customer,
  ) {}

  static async start(): Promise<ChargedApp> {
    const provider = (origin: string) => ({
      id: 'focus',
      name: 'A provider',
      operator: 'A vendor',
      base_url: `${origin}/focus/v1`,
      jurisdiction: 'rf',
      models: [MODEL, EMBEDDINGS],
    });
    const settings = { GW_OPERATOR_NAME: 'An operator' };
    const app = await startProvided((origin) => [provider(origin)], settings);
    const charged = new ChargedApp(
      app,
      await newCustomer(app, 1_000),
      await newCustomer(app, 1_000),
    );
    await charged.useEverything();
    await charged.postEverything();
    await charged.turnTheYear();
    return charged;
  }

  /** Asks the model once. @returns the status */
  async ask(
    name: string,
    more: Readonly<Record<string, unknown>> = {},
    who = this.customer,
  ): Promise<number> {
    const messages = [{ role: 'user', content: `Вопрос: ${name}. ${LONG}` }];
    const { status } = await rest<unknown>(this.app, 'POST', '/v1/chat/completions', {
      credential: who.key,
      body: { model: 'focus/model', max_tokens: 100, messages, ...more },
    });
    const { rows } = await this.app.owner.pool.query<{ id: string }>(
      'SELECT id FROM usage_event WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1',
      [who.tenantId],
    );
    this.requests.set(name, rows[0]?.id ?? '');
    return status;
  }

  /** The answers of the provider from now on: as they should be, or refusals. */
  script(isWell: boolean): void {
    this.app.double.script('focus', isWell ? { usage: USAGE } : { status: 400, message: 'no' });
  }

  /** The whole export of a query of at most 200 rows. */
  async exported(query: string, who = this.customer): Promise<WireRow[]> {
    const { status, body } = await this.page(`${query}&limit=200`, who);
    expect([status, body.has_more]).toEqual([200, false]);
    return [...body.data];
  }

  page(query: string, who = this.customer) {
    const path = `/v1/gw/cost/focus?${query}`;
    return rest<Page>(this.app, 'GET', path, { credential: who.token });
  }

  /** What the ledger moved for charges in a window, and the tax that the books posted. */
  async movement(window: { from: Date; to: Date }, who = this.customer) {
    const { rows } = await this.app.owner.pool.query<{ moved: bigint; vat: bigint }>(
      `SELECT coalesce(-sum(posted_delta), 0)::bigint AS moved,
              coalesce(sum(CASE type WHEN 'finalize' THEN vat_micro
                                     WHEN 'refund' THEN -vat_micro END), 0)::bigint AS vat
       FROM ledger_entry
       WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND type <> 'top_up'`,
      [who.accountId, window.from, window.to],
    );
    return rows[0];
  }

  private async useEverything(): Promise<void> {
    const metadata = {
      feature: '=HYPERLINK("x";"y")',
      client_id: 'acme, "b"\nc',
      environment: 'test',
    };
    this.script(true);
    const statuses = [
      await this.ask('plain'),
      await this.ask('again'),
      await this.ask('tagged', { metadata }),
      await this.ask('stream', { stream: true, stream_options: { include_usage: true } }),
      await this.ask('of the other', {}, this.other),
    ];
    const embedded = await rest(this.app, 'POST', '/v1/embeddings', {
      credential: this.customer.key,
      body: { model: 'focus/embed', input: ['Первый текст', 'второй текст'] },
    });
    await rest(this.app, 'POST', '/v1/gw/workloads/contracts', {
      credential: this.customer.token,
      body: { contract_key: 'default', exact_cache_enabled: true, exact_cache_seconds: 600 },
    });
    statuses.push(embedded.status, await this.ask('kept'), await this.ask('kept'));
    expect(statuses).toEqual(statuses.map(() => 200));
    this.script(false);
    expect(await this.ask('failed')).toBeGreaterThanOrEqual(400);
    this.script(true);
  }

  private async postEverything(): Promise<void> {
    const { ledger } = this.app.server.services;
    const post = (amountMicro: bigint, description: string, charged?: string) => ({
      ...{ accountId: this.customer.accountId, requestId: newId('Request') },
      ...{ amountMicro, description },
      ...(charged !== undefined && { chargedRequestId: this.requests.get(charged) }),
    });
    const { rows } = await this.app.owner.pool.query<{ amount: bigint }>(
      'SELECT amount_micro AS amount FROM usage_event WHERE id = $1',
      [this.requests.get('stream')],
    );
    const charge = rows[0]?.amount ?? 0n;
    const answers = [
      await ledger.refund(post(charge / 3n, 'A part', 'stream')),
      await ledger.refund(post(charge / 3n, 'A part', 'stream')),
      await ledger.refund(post(charge - 2n * (charge / 3n), 'The rest', 'stream')),
      await ledger.refund(post(1_234_567n, 'For the outage')),
      await ledger.credit(post(5_000_001n, 'A welcome')),
      await ledger.adjust(post(-70_003n, 'Charged too little')),
      await ledger.adjust(post(3n, 'Charged too much')),
    ];
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 'ok'));
  }

  /** The last millisecond of one rate and the first of the next; one charge is given back later. */
  private async turnTheYear(): Promise<void> {
    await this.plant('old', '2025-12-31T20:59:59.999Z', 2_000);
    await this.plant('new', '2025-12-31T21:00:00.000Z', 2_200);
    const charged = this.requests.get('old') ?? '';
    await this.plantLine('refund', newId('Request'), '2026-01-02T09:00:00Z', 2_000, charged);
  }

  /** Puts the plain request into the books at another time, as that day's tax has it. */
  private async plant(name: string, at: string, rate: number): Promise<void> {
    const id = newId('Request', Date.parse(at));
    const found = await this.app.owner.pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_name = 'usage_event' AND table_schema = 'public' AND column_name <> ALL ($1)`,
      [OWN_COLUMNS],
    );
    const columns = found.rows.map((column) => column.name);
    await this.app.owner.pool.query(
      `INSERT INTO usage_event (${columns.join(', ')})
       SELECT ${columns.map((column) => PLANTED[column] ?? column).join(', ')}
       FROM usage_event WHERE id = $4`,
      [id, at, rate, this.requests.get('plain')],
    );
    await this.plantLine('finalize', id, at, rate, null);
    this.requests.set(name, id);
  }

  private async plantLine(
    type: 'finalize' | 'refund',
    id: string,
    at: string,
    rate: number,
    charged: string | null,
  ): Promise<void> {
    this.planted += 1;
    const sign = type === 'finalize' ? 1 : -1;
    await this.app.owner.pool.query(
      `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
         charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after,
         held_after, vat_rate_basis_points, vat_micro, created_at)
       SELECT account_id, $1, tenant_id, $2, $3, $4, contra, amount_micro, posted_delta * $5, 0, 0,
         0, $6, vat_inside(amount_micro, $6::int), $7
       FROM ledger_entry WHERE request_id = $8 AND type = 'finalize'`,
      [this.planted, type, id, charged, sign, rate, at, this.requests.get('plain')],
    );
  }
}
