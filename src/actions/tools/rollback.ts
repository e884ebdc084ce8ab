import type { ToolCall } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { requireSeen } from '../seen.js';
import { prepareAction } from './action.js';
import { callBefore, createCall, finished } from './calls.js';
import { ruleOf } from './contract.js';
import { toolByKey } from './registry.js';
import { UNDOING } from './tables.js';

/** Prisma's code for a second row where there may be one. */
const TAKEN = 'P2002';

/**
 * Undoes an executed call by the verb that the contract in force names for it: a call of its own,
 * which goes through the same action policy.
 * @throws not_found, invalid_request, tool_rollback_unavailable, tool_rollback_exists,
 * personal_data_erased where the arguments are not stated anew
 */
export async function rollbackToolCall(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ToolCall> {
  const before = await callBefore(ctx);
  if (before) return finished(ctx, before);
  const undone = await requireSeen(ctx, 'ToolCall', id);
  const verb = await compensatingVerb(ctx, undone);
  const { toolKey, sessionId } = undone;
  const { reason, arguments: own } = inputValues(UNDOING.fields, given);
  if (own === null && isErased(undone, 'arguments')) fail('personal_data_erased', { param: 'id' });
  const asked = { toolKey, verb, arguments: own ?? undone.arguments, reason, sessionId };
  const action = await prepareAction(ctx, asked);
  const origin = { mutation: 'toolCallRollback', rollbackOf: id };
  try {
    return await finished(ctx, await createCall(ctx, action, origin));
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
