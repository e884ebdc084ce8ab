import { builtIns } from '../../delivery/blueprints/catalogue.js';
import { listBlueprints } from '../../delivery/blueprints/service.js';
import type { Category } from '../../delivery/blueprints/vocabulary.js';
import type { Ctx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { oneOf } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { parseRub } from '../../kernel/money.js';
import type { LAUNCH_BLUEPRINT } from './tables.js';
import { LAUNCH_CATEGORIES, VERTICAL_OF_CATEGORY } from './vocabulary.js';

/**
 * The blueprints of this server that a partner deploys for clients, as the catalogue has them.
 * @throws invalid_request for a category that is not in the kit
 */
export async function launchKit(
  ctx: Ctx,
  category: Category | null,
): Promise<ValuesOf<typeof LAUNCH_BLUEPRINT.fields>[]> {
  failOnFaults(oneOf('category', category, LAUNCH_CATEGORIES));
  const details = await listBlueprints(ctx, category ?? undefined);
  const budgets = new Map(builtIns().map(({ id, policies }) => [id, policies.budget.monthly_rub]));
  return details
    .filter((each) => each.origin === 'built_in' && LAUNCH_CATEGORIES.includes(each.category))
    .map(({ id, readiness, lint, ...each }) => ({
      ...each,
      id,
      vertical: VERTICAL_OF_CATEGORY[each.category] ?? 'other',
      monthlyBudgetMicro: parseRub(String(budgets.get(id))) ?? 0n,
      readinessScore: readiness.score,
      lintErrors: lint.errorCount,
      launchCalls: [
        `POST /v1/gw/blueprints/${id}/run`,
        'POST /v1/gw/partner/terms',
        `POST /v1/gw/blueprints/${id}/deploy`,
        'GET /v1/gw/partner/report',
      ],
    }));
}
