import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer, rest } from '../../support/app.js';
import { latest, type MoneyWorld, routingOf, SHORT, startMoneyWorld, VOICES } from './world.js';

let world: MoneyWorld;

beforeAll(async () => {
  world = await startMoneyWorld();
});

afterAll(async () => {
  await world.stop();
});

/** What an answer of the double is charged where its usage is not stated: the local count. */
async function asked(
  ask: (typeof VOICES)[number][1],
  usage: Readonly<Record<string, unknown>> | null,
) {
  await world.double.script('own', { usage });
  const customer = await newCustomer(world, 1_000);
  const told = await ask(world, customer.key, SHORT);
  const { usage_source, usage_fault = null, usage: billed } = routingOf(told);
  const row = await latest(world, customer);
  return { receipt: { usage_source, usage_fault, billed }, row };
}

const CONTRADICTIONS = [
  [
    'more cached tokens than prompt tokens',
    'parts_exceed_whole',
    {
      prompt_tokens: 10,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 999_999 },
    },
  ],
  [
    'more thoughts than answer tokens',
    'parts_exceed_whole',
    {
      prompt_tokens: 10,
      completion_tokens: 2,
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  ],
  [
    'millions of prompt tokens',
    'far_from_local_count',
    { prompt_tokens: 5_000_000, completion_tokens: 2, total_tokens: 5_000_002 },
  ],
  [
    'cached tokens beside a prompt that cannot hold them',
    'far_from_local_count',
    {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 1_000_011,
      prompt_tokens_details: { cached_tokens: 999_999 },
    },
  ],
] as const;

describe.each(VOICES)('a provider whose usage contradicts itself (%s)', (_name, ask) => {
  it.each(CONTRADICTIONS)(
    '%s: the local count is billed and marked',
    async (_lie, fault, usage) => {
      const honest = await asked(ask, null);
      const { receipt, row } = await asked(ask, usage);
      expect(honest.receipt.usage_fault).toBeNull();
      expect(receipt).toEqual({ ...honest.receipt, usage_fault: fault });
      expect(row).toMatchObject({
        usageSource: 'estimated',
        rawUsage: usage,
        chargedMicro: honest.row.chargedMicro,
        output: honest.row.output,
      });
    },
  );

  it('plausible figures are billed as they came, without a mark', async () => {
    const { receipt } = await asked(ask, { prompt_tokens: 14, completion_tokens: 3 });
    expect(receipt).toMatchObject({ usage_source: 'upstream', usage_fault: null });
    expect(receipt.billed).toMatchObject({ input_uncached: 14, output_text: 3 });
  });
});

describe('the operator', () => {
  it('sees the faults of each provider by kind, and the rows that name theirs', async () => {
    const metrics = await rest<string>(world, 'GET', '/metrics');
    for (const fault of ['parts_exceed_whole', 'far_from_local_count']) {
      const sample = `gw_upstream_usage_faults_total\\{[^}]*fault="${fault}"[^}]*\\} (\\d+)`;
      const [, count] = new RegExp(sample).exec(metrics.body) ?? [];
      expect(Number(count)).toBe(2 * VOICES.length);
    }
    const { rows } = await world.owner.pool.query<{ fault: string; count: number }>(
      `SELECT metadata ->> 'gw_usage_fault' AS fault, count(*)::int AS count
       FROM usage_event WHERE metadata ? 'gw_usage_fault' GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { fault: 'far_from_local_count', count: 2 * VOICES.length },
      { fault: 'parts_exceed_whole', count: 2 * VOICES.length },
    ]);
  });
});
