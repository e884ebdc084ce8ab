import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdvanceLine } from '../../../src/money/advances/lots.rules.js';
import { AdvanceReading } from '../../../src/money/advances/read.js';
import type { SnapshotQuery } from '../../../src/platform/database/tenant-snapshot.js';

/** An account of a top-up, charges and their refunds, and what statements have asked of it. */
class Account {
  readonly lines: AdvanceLine[] = [];
  /** The first and the last number of each statement. */
  readonly asked: (readonly [bigint, bigint])[] = [];
  private postedMicro = 0n;

  constructor() {
    this.add('top_up', 10n ** 9n);
    this.add('credit', 500n);
  }

  get place() {
    return { version: BigInt(this.lines.length), postedMicro: this.postedMicro };
  }

  add(type: AdvanceLine['type'], postedDelta: bigint, chargedRequestId: string | null = null) {
    this.postedMicro += postedDelta;
    const version = BigInt(this.lines.length + 1);
    const requestId = `r${version}`;
    const facts = { version, type, requestId, chargedRequestId, at: new Date(Number(version)) };
    this.lines.push({ ...facts, rate: 2_200, postedDelta, postedAfter: this.postedMicro });
    return requestId;
  }

  /** Answers as the two statements do. */
  readonly query: SnapshotQuery = async (text, values = []) => {
    const [, from, to, also = []] = values as [string, bigint, bigint, string[]?];
    this.asked.push([from, to]);
    const within = this.lines.filter(({ version }) => version > from && version <= to);
    if (!text.includes('charged_request_id AS id')) {
      return within.filter(({ type }) => type !== 'finalize') as never;
    }
    const later = this.lines.filter(({ version }) => version > from);
    const named = new Set([...later.map(({ chargedRequestId }) => chargedRequestId), ...also]);
    const isNamed = ({ type, requestId }: AdvanceLine) =>
      type === 'finalize' && named.has(requestId);
    return within.filter(isNamed) as never;
  };
}

const step = fc.record({
  kind: fc.constantFrom('charge', 'charge', 'refund', 'credit'),
  amount: fc.bigInt({ min: 1n, max: 900n }),
  pick: fc.nat(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** @param only of which charges refunds may be, by their ids */
function live(account: Account, steps: readonly Step[], charges: string[], only = charges): void {
  for (const { kind, amount, pick } of steps) {
    if (kind === 'charge') charges.push(account.add('finalize', -amount));
    if (kind === 'credit') account.add('credit', amount);
    const charge = only[pick % (only.length || 1)];
    if (kind === 'refund' && charge) account.add('refund', 1n, charge);
  }
}

async function stateOf(account: Account, also: string | null = null) {
  const reading = new AdvanceReading('account', also);
  await reading.readTo(account.query, account.place);
  return reading.state();
}

const steps = fc.array(step, { maxLength: 25 });

describe('a reading of advances', () => {
  it('that goes on from where it stood is that of the whole life, by the later lines alone', () =>
    fc.assert(
      fc.asyncProperty(steps, steps, fc.nat(), async (before, after, pick) => {
        const account = new Account();
        const charges: string[] = [];
        live(account, before, charges);
        const also = charges[pick % (charges.length || 1)] ?? null;
        const reading = new AdvanceReading('account', also);
        await reading.readTo(account.query, account.place);
        const first = account.place.version;
        live(account, after, charges, also === null ? [] : [also]);
        account.asked.length = 0;
        expect(await reading.readTo(account.query, account.place)).toBe(true);
        expect(new Set(account.asked.map(([from]) => from))).toEqual(new Set([first]));
        expect(reading.state()).toEqual(await stateOf(account));
      }),
    ));

  it('says where it does not know what a charge took that somebody else has refunded', async () => {
    const account = new Account();
    const charge = account.add('finalize', -700n);
    const reading = new AdvanceReading('account');
    await reading.readTo(account.query, account.place);
    account.add('refund', 300n, charge);
    expect(await reading.readTo(account.query, account.place)).toBe(false);
    const knowing = new AdvanceReading('account', charge);
    expect(await knowing.readTo(account.query, account.place)).toBe(true);
    expect(knowing.state()).toEqual(await stateOf(account));
  });

  it('has a line that is added as if it had been read', async () => {
    const account = new Account();
    const charge = account.add('finalize', -700n);
    const reading = new AdvanceReading('account', charge);
    await reading.readTo(account.query, account.place);
    account.add('refund', 300n, charge);
    reading.add(account.lines.at(-1) as AdvanceLine);
    expect(reading.state()).toEqual(await stateOf(account));
  });
});
