/** A small account of what the ledger must do, in plain maps: the tests hold the SQL against it. */
export interface ModelHold {
  readonly amount: bigint;
  readonly budgets: readonly string[];
  state: 'open' | 'finalized' | 'delivered' | 'released';
  charged: bigint;
  refunded: bigint;
}

export interface ModelAccount {
  posted: bigint;
  held: bigint;
  version: bigint;
  readonly holds: Map<string, ModelHold>;
  readonly posts: Set<string>;
}

export interface ModelBudget {
  readonly cap: bigint;
  spent: bigint;
  held: bigint;
}

/** One operation on the account and the request that it names by number. */
export type ModelOp =
  | { readonly kind: 'hold'; readonly amount: bigint; readonly budgets: readonly string[] }
  | { readonly kind: 'finalize' | 'charge'; readonly amount: bigint }
  | { readonly kind: 'release' | 'delivered' | 'checkpoint' }
  | { readonly kind: 'top_up' | 'adjustment'; readonly amount: bigint }
  | { readonly kind: 'refund'; readonly amount: bigint; readonly charged: string };

export function emptyAccount(): ModelAccount {
  return { posted: 0n, held: 0n, version: 0n, holds: new Map(), posts: new Set() };
}

/** Applies one operation and answers the status that the database must answer. */
export function applyToModel(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  request: string,
  op: ModelOp,
): string {
  switch (op.kind) {
    case 'hold':
      return hold(account, budgets, request, op.amount, op.budgets);
    case 'finalize':
      return finalize(account, budgets, request, op.amount);
    case 'charge':
      return charge(account, budgets, request, op.amount);
    case 'release':
      return release(account, budgets, request);
    case 'delivered':
    case 'checkpoint':
      return mark(account.holds.get(request), op.kind);
    case 'refund':
      return refund(account, budgets, request, op.amount, op.charged);
    default:
      return post(account, `${op.kind} ${request}`, op.amount);
  }
}

function hold(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  request: string,
  amount: bigint,
  named: readonly string[],
): string {
  const standing = account.holds.get(request);
  if (standing) return standing.state === 'open' ? 'duplicate' : 'already_settled';
  const counted = budgetsOf(budgets, named);
  for (const budget of counted) {
    if (budget.spent + amount > budget.cap) return 'budget_exhausted';
    if (budget.spent + budget.held + amount > budget.cap) return 'budget_reserved';
  }
  if (account.posted - account.held < amount) return 'insufficient';
  const placed = { amount, budgets: named, state: 'open', charged: 0n, refunded: 0n } as const;
  account.holds.set(request, { ...placed });
  account.held += amount;
  account.version += 1n;
  for (const budget of counted) budget.held += amount;
  return 'ok';
}

function finalize(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  request: string,
  cost: bigint,
): string {
  const standing = account.holds.get(request);
  if (!standing) return 'no_hold';
  if (standing.state === 'released') return 'already_released';
  if (standing.state !== 'open') return 'duplicate';
  standing.charged = cost < standing.amount ? cost : standing.amount;
  standing.state = 'finalized';
  close(account, budgets, standing);
  account.posted -= standing.charged;
  for (const budget of budgetsOf(budgets, standing.budgets)) budget.spent += standing.charged;
  return 'ok';
}

/** Its own hold and what charges it; where nothing is charged, the answer is that of the hold. */
function charge(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  request: string,
  cost: bigint,
): string {
  const held = hold(account, budgets, request, cost, []);
  const ended = finalize(account, budgets, request, cost);
  return ended === 'ok' || ended === 'duplicate' ? ended : held;
}

function release(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  request: string,
): string {
  const standing = account.holds.get(request);
  if (!standing) return 'no_hold';
  if (standing.state === 'released') return 'duplicate';
  if (standing.state !== 'open') return 'already_finalized';
  standing.state = 'released';
  close(account, budgets, standing);
  return 'ok';
}

function close(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  standing: ModelHold,
): void {
  account.held -= standing.amount;
  account.version += 1n;
  for (const budget of budgetsOf(budgets, standing.budgets)) budget.held -= standing.amount;
}

function mark(standing: ModelHold | undefined, kind: 'delivered' | 'checkpoint'): string {
  if (!standing) return 'no_hold';
  if (standing.state === 'released') return 'already_released';
  if (kind === 'checkpoint') return standing.state === 'open' ? 'ok' : 'already_finalized';
  if (standing.state === 'open') return 'not_finalized';
  if (standing.state === 'delivered') return 'duplicate';
  standing.state = 'delivered';
  return 'ok';
}

function refund(
  account: ModelAccount,
  budgets: ReadonlyMap<string, ModelBudget>,
  request: string,
  amount: bigint,
  charged: string,
): string {
  const name = `refund ${request}`;
  if (account.posts.has(name)) return 'duplicate';
  const standing = account.holds.get(charged);
  if (!standing || standing.charged === 0n) return 'no_charge';
  if (amount > standing.charged - standing.refunded) return 'exceeds_charge';
  standing.refunded += amount;
  for (const budget of budgetsOf(budgets, standing.budgets)) budget.spent -= amount;
  return post(account, name, amount);
}

function post(account: ModelAccount, name: string, amount: bigint): string {
  if (account.posts.has(name)) return 'duplicate';
  if (account.posted - account.held + amount < 0n) return 'insufficient';
  account.posts.add(name);
  account.posted += amount;
  account.version += 1n;
  return 'ok';
}

function budgetsOf(
  budgets: ReadonlyMap<string, ModelBudget>,
  named: readonly string[],
): ModelBudget[] {
  return named.flatMap((name) => budgets.get(name) ?? []);
}
