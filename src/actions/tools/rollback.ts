import type { ToolCall } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { inTransaction } from '../../records/scope.js';
import { prepareAction } from './action.js';
import { callBefore, callById, createCall, finished } from './calls.js';
import { ruleOf } from './contract.js';
import { toolByKey } from './registry.js';

/** How a call is to be undone. */
export interface RollbackInput {
  readonly reason?: string | null;
  /** Arguments of the compensating verb; absent repeats those of the call. */
  readonly arguments?: unknown;
}

/** Prisma's code for a second row where there may be one. */
const TAKEN = 'P2002';

/**
 * Undoes an executed call by the verb that the contract in force names for it: a call of its own,
 * which goes through the same action policy.
 * @throws not_found, invalid_request, tool_rollback_unavailable, tool_rollback_exists
 */
export async function rollbackToolCall(
  ctx: AuthorizedCtx,
  id: string,
  input: RollbackInput,
): Promise<ToolCall> {
  const before = await callBefore(ctx);
  if (before) return finished(ctx, before);
  const undone = await callById(ctx, id);
  const verb = await compensatingVerb(ctx, undone);
  const action = await prepareAction(ctx, {
    toolKey: undone.toolKey,
    verb,
    arguments: input.arguments ?? undone.arguments,
    reason: input.reason,
    sessionId: undone.sessionId,
  });
  const origin = { mutation: 'toolCallRollback', rollbackOf: id };
  try {
    const call = await inTransaction(ctx, {}, (tx) => createCall(ctx, tx, action, origin));
    return await finished(ctx, call);
  } catch (error) {
    if ((error as { code?: string }).code !== TAKEN) throw error;
    return fail('tool_rollback_exists', { values: { id }, param: 'id' });
  }
}

async function compensatingVerb(ctx: AuthorizedCtx, call: ToolCall): Promise<string> {
  const { id, verb, status, toolKey } = call;
  if (status !== 'executed') return unavailable(id, `it is ${status}`);
  const { contract } = await toolByKey(ctx, toolKey);
  const undoing = ruleOf(contract, verb)?.compensatingVerb;
  return undoing ?? unavailable(id, `the contract names no verb that undoes ${verb}`);
}

function unavailable(id: string, reason: string): never {
  return fail('tool_rollback_unavailable', { values: { id, reason }, param: 'id' });
}
