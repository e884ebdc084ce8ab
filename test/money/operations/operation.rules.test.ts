import { describe, expect, it } from 'vitest';
import { openedContent } from '../../../src/kernel/fields/sealed.js';
import { AdvanceBook, type AdvanceLine } from '../../../src/money/advances/lots.rules.js';
import {
  contentOf,
  type Order,
  type PostedLine,
} from '../../../src/money/operations/operation.rules.js';
import { OPERATION_CONTENT } from '../../../src/money/operations/tables.js';

const RUB = 1_000_000n;
const AT = new Date('2026-03-31T20:30:00Z');
const CHARGED_AT = new Date('2026-02-10T09:00:00Z');
const NONE = { month: '2026-03', basisMonth: null, lotId: null };

/** The documents that an operation stands in, of an account with two lots, a bonus and a charge. */
function documentsOf(
  operation: Order['operation'],
  type: AdvanceLine['type'],
  rub: bigint,
  chargedAt: Date | null = null,
) {
  const book = new AdvanceBook();
  let posted = 0n;
  let version = 0n;
  const add = (line: Pick<AdvanceLine, 'type' | 'postedDelta'> & Partial<AdvanceLine>) => {
    posted += line.postedDelta;
    version += 1n;
    const rest = { chargedRequestId: null, rate: null, requestId: `r${version}` };
    book.add({ ...rest, version, at: AT, postedAfter: posted, ...line });
  };
  for (const requestId of ['old', 'new']) {
    add({ type: 'top_up', postedDelta: 50n * RUB, rate: 2_200, requestId });
  }
  add({ type: 'finalize', postedDelta: -10n * RUB, rate: 2_200, requestId: 'charge' });
  add({ type: 'credit', postedDelta: 5n * RUB });
  const before = book.state();
  add({ type, postedDelta: rub * RUB, chargedRequestId: 'charge' });
  const order: Order = {
    ...{ id: 'line', operation, tenantId: 'tenant', amountMicro: null, chargedRequestId: null },
    ...{ reason: 'Why', requestedBy: 'one', approvedBy: null },
  };
  const amountMicro = rub < 0n ? -rub * RUB : rub * RUB;
  const line: PostedLine = {
    ...{ at: AT, amountMicro, postedDelta: rub * RUB, postedAfter: posted, vatMicro: 0n },
    ...{ rate: null, chargedAt, chargedMicro: null, refundedMicro: null },
  };
  const { documents, document } = contentOf(order, line, before, book.state());
  expect(document).toBeNull();
  return documents;
}

describe('an operation', () => {
  it.each([
    ['request_refund', 'refund', 4n, AT, [{ kind: 'upd', ...NONE }]],
    [
      ...(['request_refund', 'refund', 4n, CHARGED_AT] as const),
      [{ kind: 'correction', ...NONE, basisMonth: '2026-02' }],
    ],
    ['goodwill_credit', 'credit', 3n, null, [{ kind: 'bonus_notice', ...NONE }]],
    ['adjustment', 'adjustment', 3n, null, [{ kind: 'bonus_notice', ...NONE }]],
    ['adjustment', 'adjustment', -3n, null, [{ kind: 'bonus_withdrawal', ...NONE }]],
    [
      ...(['adjustment', 'adjustment', -8n, null] as const),
      [
        { kind: 'bonus_withdrawal', ...NONE },
        { kind: 'advance_return', ...NONE, lotId: 'new' },
      ],
    ],
    [
      ...(['balance_return', 'balance_return', -60n, null] as const),
      [
        { kind: 'advance_return', ...NONE, lotId: 'old' },
        { kind: 'advance_return', ...NONE, lotId: 'new' },
      ],
    ],
  ] as const)('%s (%s of %s) stands in documents of its month and makes none', (...given) => {
    const [operation, type, rub, chargedAt, documents] = given;
    expect(documentsOf(operation, type, rub, chargedAt)).toEqual(documents);
  });

  it('that made a document by itself is still read with it', () => {
    const sealed = {
      ...{ operation: 'goodwill_credit', request_id: 'line', amount_rub: '3.00', net_rub: '3.00' },
      ...{ vat_rub: '0.00', reason: 'Why', requested_by: 'one', posted_after_rub: '3.00' },
      ...{ bonus_rub: '3.00', lots: [], documents: [] },
      document: {
        ...{ kind: 'bonus_notice', title: 'Уведомление', date: '2026-03-31', basis: null },
        ...{ net_rub: '3.00', vat_rub: '0.00', gross_rub: '3.00' },
      },
    };
    expect(openedContent(OPERATION_CONTENT, sealed)).toMatchObject({
      documents: [],
      document: { kind: 'bonus_notice', title: 'Уведомление', grossMicro: 3n * RUB },
    });
  });
});
