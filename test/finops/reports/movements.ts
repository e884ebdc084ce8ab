import type pg from 'pg';
import { taxInside } from '../../../src/kernel/money.js';
import type { Customer } from '../../support/app.js';
import { plantUsage } from './usage-rows.js';

/** A charge with its usage row, or what is given back of one. */
export type Movement =
  | {
      readonly kind: 'charge';
      readonly id: string;
      readonly at: Date;
      readonly amountMicro: bigint;
      readonly simulated: boolean;
      readonly clientId: string | null;
      readonly feature: string | null;
    }
  | {
      readonly kind: 'refund';
      readonly id: string;
      readonly at: Date;
      readonly amountMicro: bigint;
      /** Null for a refund that names no charge. */
      readonly chargedId: string | null;
    };

const RATE = 2_200;

/** Writes movements in the order of their times, as the ledger would have, with their balances. */
export async function plantMovements(
  pool: pg.Pool,
  { tenantId, accountId, projectId }: Customer,
  movements: readonly Movement[],
): Promise<void> {
  // What nobody is short of: the balance of before, in a line of its own.
  const funds = { id: null, at: new Date('2026-07-01T00:00:00Z'), amountMicro: 10n ** 12n };
  await line(pool, { tenantId, accountId, type: 'top_up', contra: 'cash_in', ...funds });
  for (const each of movements) {
    const { id, at, amountMicro } = each;
    if (each.kind === 'charge') {
      const { simulated, clientId, feature } = each;
      const vatMicro = taxInside(amountMicro, RATE).vat;
      const row = { tenantId, projectId, id, createdAt: at, simulated, clientId, feature };
      const money = { amountMicro, costMicro: amountMicro, vatMicro };
      await plantUsage(pool, [{ ...row, ...money }]);
      const charged = { type: 'finalize', contra: 'revenue' } as const;
      await line(pool, { tenantId, accountId, ...charged, id, at, amountMicro });
    } else {
      const { chargedId } = each;
      const refund = { type: 'refund', contra: 'refunds', chargedId } as const;
      await line(pool, { tenantId, accountId, ...refund, id, at, amountMicro });
    }
  }
}

interface Line {
  readonly tenantId: string;
  readonly accountId: string;
  readonly type: 'top_up' | 'finalize' | 'refund';
  readonly contra: string;
  readonly id: string | null;
  readonly at: Date;
  readonly amountMicro: bigint;
  readonly chargedId?: string | null;
}

async function line(pool: pg.Pool, each: Line): Promise<void> {
  const delta = each.type === 'finalize' ? -each.amountMicro : each.amountMicro;
  await pool.query(
    `WITH funds AS (UPDATE account SET posted_micro = posted_micro + $3, version = version + 1
       WHERE id = $1 RETURNING posted_micro, version)
     INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
       charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after, held_after,
       vat_rate_basis_points, vat_micro, created_at)
     SELECT $1, version, $2, $4, coalesce($5::uuid, gen_random_uuid()), $6, $7, abs($3), $3, 0,
       posted_micro, 0, $8, vat_inside(abs($3), $8), $9 FROM funds`,
    [
      ...[each.accountId, each.tenantId, delta, each.type, each.id, each.chargedId ?? null],
      ...[each.contra, RATE, each.at],
    ],
  );
}
