import type { Budget } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { rowBatches } from '../../graph/row-batches.js';
import type { PrismaDatabase } from '../../platform/database/prisma.js';

/** How long the id of the budget is with which the reference of a cap of each begins. */
const ID_CHARS = 36;

/** Of the rows of a list that are shown at one moment the terms are read in one statement. */
const batches = new WeakMap<AuthorizedCtx, PrismaDatabase>();

/**
 * A budget with the terms that the ledger holds its requests to: of a cap of each they are those of
 * the budget that has made it (migration caps_of_each).
 */
export async function withTerms(ctx: AuthorizedCtx, budget: Budget): Promise<Budget> {
  if (budget.scopeKind !== 'each') return budget;
  const known = batches.get(ctx) ?? rowBatches(ctx);
  batches.set(ctx, known);
  const where = { id: budget.scopeRef.slice(0, ID_CHARS) };
  const terms = await known.budget.findUniqueOrThrow({ where });
  const { capMicro, active, onCapReached, degradeTo } = terms;
  return { ...budget, capMicro, active, onCapReached, degradeTo };
}
