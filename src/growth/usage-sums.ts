import { usageBy } from '../finops/reports/service.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { failOnFaults } from '../kernel/errors/fail.js';
import { fault } from '../kernel/errors/faults.js';
import type { Window } from '../kernel/window.rules.js';

/** By what growth tells usage apart. */
type Label = 'feature' | 'client';

/** What the clients' requests of one group have cost. What a sandbox answered stands apart. */
export interface UsageSum<L extends Label> {
  /** The values of the labels; null is for requests that have none. */
  readonly of: Readonly<Record<L, string | null>>;
  /** Answers, whole or broken off, of models that are not simulated. */
  readonly requests: number;
  /** What was paid for them, VAT included: charges less the refunds posted in the window. */
  readonly costMicro: bigint;
  /** The value added tax within the cost. */
  readonly vatMicro: bigint;
  /** Answers of simulated models, which are evidence of nothing. */
  readonly simulatedRequests: number;
  readonly simulatedCostMicro: bigint;
  readonly simulatedVatMicro: bigint;
}

/** Which usage is summed. */
interface UsageWish {
  /** The value that labels must have, or one of several; null is for requests that have none. */
  readonly only?: Readonly<Partial<Record<Label, string | null | readonly string[]>>>;
  /** Also what the gateway asked for itself, in the name of a caller. */
  readonly isEverything?: boolean;
}

/**
 * What the organization's usage has cost in a window, refunds taken off when they were posted,
 * told apart by labels of its requests. What the gateway asked for itself is left out unless it is
 * wished; answers that broke off were charged and are in it.
 * @throws invalid_request where there are more groups than can be told apart
 */
export async function sumUsage<L extends Label>(
  ctx: AuthorizedCtx,
  window: Window,
  labels: readonly L[],
  { only = {}, isEverything = false }: UsageWish = {},
): Promise<readonly UsageSum<L>[]> {
  const wanted = Object.entries(only) as [Label, string | null | string[]][];
  const { groups, others } = await usageBy(ctx, {
    dimensions: [...labels, 'simulated'],
    window,
    narrowings: [
      ...(isEverything ? [] : [CLIENTS]),
      ...wanted.map(([dimension, value]) => ({ dimension, values: [value].flat() })),
    ],
  });
  const many = 'covers more groups than can be told apart; take a shorter window or name one';
  failOnFaults(others ? [fault('from', 'out_of_range', many)] : []);
  const sums = new Map<string, UsageSum<L>>();
  for (const { values, totals } of groups) {
    const key = JSON.stringify(values.slice(0, labels.length));
    const isSimulated = values[labels.length] === 'true';
    const known = sums.get(key) ?? nothingOf(labels, values);
    const requests = Number(totals.requests - totals.failed);
    const { amountMicro: costMicro, vatMicro } = totals;
    const counted = isSimulated
      ? { simulatedRequests: requests, simulatedCostMicro: costMicro, simulatedVatMicro: vatMicro }
      : { requests, costMicro, vatMicro };
    sums.set(key, { ...known, ...counted });
  }
  return [...sums.values()];
}

/** Requests that clients made, and not the gateway for itself. */
const CLIENTS = { dimension: 'origin', values: [null] } as const;

function nothingOf<L extends Label>(
  labels: readonly L[],
  values: readonly (string | null)[],
): UsageSum<L> {
  const of = Object.fromEntries(labels.map((each, index) => [each, values[index] ?? null]));
  const none = { requests: 0, costMicro: 0n, vatMicro: 0n };
  const simulated = { simulatedRequests: 0, simulatedCostMicro: 0n, simulatedVatMicro: 0n };
  return { of: of as UsageSum<L>['of'], ...none, ...simulated };
}
