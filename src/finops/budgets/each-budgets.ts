import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { fail } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import type { EachBudget, ScopeBudget } from './budgets.rules.js';
import { SCOPE_REF_MAX } from './vocabulary.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly eachBudgets: EachBudgets;
  }
}

/** So many caps of each a node remembers; those it has forgotten are looked up again. */
const KNOWN_MAX = 50_000;
const NAME_MAX = 160;

const FIND_SQL = {
  name: 'each_budget_find',
  text: `SELECT id FROM budget
         WHERE tenant_id = $1 AND scope_kind = 'each' AND scope_ref = $2`,
};
// The ledger reads the terms of the budget: those that are written here were its terms when a cap
// of each was made, and nothing holds a request to them.
const MAKE_SQL = {
  name: 'each_budget_make',
  text: `WITH b AS (
           SELECT budget.* FROM budget JOIN account a ON a.id = $6
           WHERE budget.id = $2 AND budget.tenant_id = $1
             AND a.posted_micro - a.held_micro + a.credit_limit_micro >= $7
         )
         INSERT INTO budget (id, tenant_id, scope_kind, scope_ref, name, period, time_zone,
           cap_micro, active, on_cap_reached, degrade_to)
         SELECT $4, $1, 'each', $3, $5, b.period, b.time_zone, b.cap_micro, b.active,
           b.on_cap_reached, b.degrade_to FROM b
         ON CONFLICT (tenant_id, scope_kind, scope_ref, period) WHERE scope_kind <> 'policy'
           DO NOTHING`,
};

const STANDING_SQL = {
  name: 'each_budget_standing',
  text: `SELECT EXISTS (SELECT FROM budget WHERE id = $2) AS stands,
           (posted_micro - held_micro + credit_limit_micro)::text AS available
         FROM account WHERE id = $1`,
};

/** The organization of a request, the account that pays for it, and the least that it can cost. */
interface Payer {
  readonly tenantId: string;
  readonly accountId: string;
  readonly leastMicro: MicroRub;
}

/**
 * The caps of each session, client or key that a budget has for each of them. They are rows of
 * budgets, so that the ledger counts and refuses by them as by any other; the first request makes
 * one, and a request after it asks no database.
 */
export class EachBudgets {
  private readonly known = new LRUCache<string, Promise<string | undefined>>({ max: KNOWN_MAX });

  constructor(private readonly pool: Pool) {}

  /**
   * The budget of the one that a request names, under the terms of the budget for each; undefined
   * where that one is gone. An account that cannot pay for the request makes none, so that requests
   * that are refused leave no rows.
   * @throws insufficient_balance
   */
  async of(payer: Payer, { budget, ref }: EachBudget): Promise<ScopeBudget | undefined> {
    const shown = ref.replaceAll('\0', '').toWellFormed();
    const name = `${budget.name}: ${shown}`.slice(0, NAME_MAX).toWellFormed();
    const scopeRef = eachRef(budget.id, ref);
    let id = this.known.get(scopeRef);
    if (id === undefined) {
      id = this.idOf(payer, budget.id, { scopeRef, name });
      this.known.set(scopeRef, id);
      const forget = () => this.known.delete(scopeRef);
      id.then((made) => made ?? forget(), forget);
    }
    const found = await id;
    return found === undefined ? undefined : { ...budget, id: found, name };
  }

  private async idOf(
    { tenantId, accountId, leastMicro }: Payer,
    budgetId: string,
    { scopeRef, name }: { readonly scopeRef: string; readonly name: string },
  ): Promise<string | undefined> {
    const find = async () => {
      const values = [tenantId, scopeRef];
      return (await this.pool.query<{ id: string }>({ ...FIND_SQL, values })).rows[0]?.id;
    };
    const found = await find();
    if (found !== undefined) return found;
    const values = [tenantId, budgetId, scopeRef, newId('Budget'), name, accountId, leastMicro];
    await this.pool.query({ ...MAKE_SQL, values });
    const made = await find();
    if (made !== undefined) return made;
    const { rows } = await this.pool.query<{ stands: boolean; available: string }>({
      ...STANDING_SQL,
      values: [accountId, budgetId],
    });
    const { stands = false, available = '0' } = rows[0] ?? {};
    if (!stands) return undefined;
    const required = formatRub(leastMicro);
    return fail('insufficient_balance', {
      values: { available: formatRub(BigInt(available)), required },
    });
  }
}

/** The reference of the cap that a budget has for one of its scope. */
export function eachRef(budgetId: string, ref: string): string {
  return `${budgetId}/${keptRef(ref)}`;
}

/** A reference as caps are kept by it: its SHA-256 where the database cannot keep it as it is. */
export function keptRef(ref: string): string {
  const isKept = ref.length <= SCOPE_REF_MAX && !ref.includes('\0') && ref.isWellFormed();
  return isKept ? ref : createHash('sha256').update(ref).digest('hex');
}
