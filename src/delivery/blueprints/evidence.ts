import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { asObject } from '../../kernel/json.js';
import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import { openedResult, openedSteps } from './run-record.js';
import { STEP } from './run-tables.js';
import { RUN_KEY } from './run-underway.js';

/** What a blueprint run has proved. */
export interface ProvedRun {
  readonly id: string;
  /** The type of its result. */
  readonly event: string;
  readonly quantity: number;
  /** Every request that the run has made. */
  readonly requestIds: readonly string[];
}

/**
 * What a request is evidence of, by the metadata of its usage: undefined for one of no blueprint
 * run, null where its run has not ended or has proved no result. Whatever takes a result of a
 * blueprint for evidence asks here.
 */
export async function provedRunOf(
  ctx: AuthorizedCtx,
  metadata: unknown,
): Promise<ProvedRun | null | undefined> {
  const { [ORIGIN_MEMBER]: origin, [RUN_KEY]: id } = asObject(metadata) ?? {};
  if (origin !== 'blueprint') return undefined;
  const where = { id: String(id) };
  const run = await database(ctx).blueprintRun.findFirst({ where });
  if (!run?.businessResult) return null;
  const { proof, achieved, simulated, event, quantity } = openedResult(run.businessResult);
  if (proof !== 'proved' || !achieved || simulated || run.status === 'failed') return null;
  const attempts = openedSteps(STEP.fields, run.steps ?? []).flatMap((step) => step.attempts);
  const requestIds = attempts.flatMap(({ requestId }) => requestId ?? []);
  return { id: run.id, event, quantity, requestIds };
}
