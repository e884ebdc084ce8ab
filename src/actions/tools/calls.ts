import type { Prisma, ToolCall } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import { requestApproval } from '../../records/approvals/queue.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import { seenBy } from '../seen.js';
import { type PreparedAction, prepareAction } from './action.js';
import { storedBlastRadius } from './blast-radius.js';
import { isSimulated } from './contract.js';
import { LEASE_MS, runToolCall } from './execution.js';
import { CALL_START } from './lifecycle.js';
import { sealCall } from './receipts.js';

/** The kind of approval that calls wait for. */
export const TOOL_CALL = 'tool_call';

/** What calls a list shows; what is absent does not narrow. */
export interface CallFilter {
  readonly toolKey?: string | null;
  readonly status?: string | null;
  readonly approvalStatus?: string | null;
}

/** The condition of a list of calls: an agent's key sees the calls that it made. */
export function callsWhere({ who }: AuthorizedCtx, filter: CallFilter): Prisma.ToolCallWhereInput {
  return {
    toolKey: filter.toolKey ?? undefined,
    status: filter.status ?? undefined,
    approvalStatus: filter.approvalStatus ?? undefined,
    ...seenBy(who),
  };
}

/**
 * Executes an action through the action policy: what is allowed is carried out before this returns,
 * what needs an approval waits in the queue, what is blocked is recorded. All three are answers.
 * @throws invalid_request with every fault, not_found for an unknown tool
 */
export async function executeToolCall(ctx: AuthorizedCtx, input: GivenValues): Promise<ToolCall> {
  const before = await callBefore(ctx);
  if (before) return finished(ctx, before);
  const action = await prepareAction(ctx, input);
  const origin = { mutation: 'toolCallExecute', rollbackOf: null };
  return finished(ctx, await createCall(ctx, action, origin));
}

/** The call that an earlier attempt of the same keyed request has made. */
export async function callBefore(ctx: AuthorizedCtx): Promise<ToolCall | null> {
  if (!ctx.keyed?.repeated) return null;
  return database(ctx).toolCall.findFirst({ where: { id: idUnderKey(ctx, 'ToolCall') } });
}

/** The call after its first attempt, which the caller waits for even when its client has left. */
export function finished(
  { services, transport }: AuthorizedCtx,
  call: ToolCall,
): Promise<ToolCall> {
  if (call.status !== 'executing') return Promise.resolve(call);
  const { id, tenantId } = call;
  return runToolCall(services, { id, tenantId, trace: transport.trace });
}

/** What a call is made for. */
export interface CallOrigin {
  readonly mutation: string;
  /** The call that this one undoes. */
  readonly rollbackOf: string | null;
}

/** Writes the call as the policy decided it, with its approval or its receipt. */
export function createCall(
  ctx: AuthorizedCtx,
  action: PreparedAction,
  { mutation, rollbackOf }: CallOrigin,
): Promise<ToolCall> {
  const id = idUnderKey(ctx, 'ToolCall');
  const { decision, boundHash } = action.judged;
  return change(ctx, { action: mutation, subject: 'ToolCall' }, async (tx) => {
    const waits = decision === 'needs_approval';
    const approvalId = waits ? await requestCallApproval(ctx, tx, action, id) : null;
    const createdAt = await databaseNow(tx);
    // The sweep leaves the first attempt to this process for as long as an attempt may take.
    const leasedUntil = new Date(createdAt.getTime() + LEASE_MS);
    const call = await tx.toolCall.create({
      data: {
        id,
        ...storedAction(ctx, action),
        ...CALL_START[decision],
        approvalId,
        rollbackOf,
        executeAfter: decision === 'allow' ? leasedUntil : null,
        createdAt,
        finishedAt: decision === 'block' ? createdAt : null,
      },
    });
    const { toolKey: tool_key, verb } = call;
    const after = { tool_key, verb, decision, bound_hash: boundHash.toString('hex') };
    return { result: decision === 'block' ? await sealCall(ctx, tx, call) : call, id, after };
  });
}

function storedAction({ who, requestId }: AuthorizedCtx, action: PreparedAction) {
  const { tool, judged } = action;
  return {
    tenantId: who.tenantId,
    toolKey: tool.contract.toolKey,
    contractVersion: tool.version,
    verb: action.verb,
    arguments: action.arguments as Prisma.InputJsonValue,
    decision: judged.decision,
    decided: {
      guard: judged.guard,
      reasons: judged.reasons.map((each) => ({ ...each })),
      risk: judged.risk,
      verbOrigin: judged.verbOrigin,
    },
    blastRadius: storedBlastRadius(judged.blastRadius),
    boundHash: new Uint8Array(judged.boundHash),
    simulated: isSimulated(tool.contract),
    requestedByKind: who.kind,
    requestedBy: who.id,
    requestedByRole: who.role,
    requestId,
    reason: action.reason,
    sessionId: action.sessionId,
  };
}

const SUMMARY_CHARACTERS_MAX = 200;

async function requestCallApproval(
  ctx: AuthorizedCtx,
  tx: Transaction,
  action: PreparedAction,
  callId: string,
): Promise<string> {
  const { tool, judged, verb } = action;
  const { contract } = tool;
  const { who } = ctx;
  const why = judged.reasons.map(({ reason }) => reason).join('; ');
  const approval = await requestApproval(
    ctx,
    {
      kind: TOOL_CALL,
      subjectId: callId,
      summary: `${contract.toolKey}: ${verb} (${why})`.slice(0, SUMMARY_CHARACTERS_MAX),
      expiresInSeconds: contract.approvalExpiresSeconds,
      shown: {
        call_id: callId,
        tool_key: contract.toolKey,
        contract_version: tool.version,
        connector: contract.connector,
        endpoint_url: contract.endpointUrl,
        verb,
        verb_origin: judged.verbOrigin,
        risk: judged.risk,
        arguments: action.arguments,
        blast_radius: storedBlastRadius(judged.blastRadius),
        reasons: judged.reasons.map((each) => ({ ...each })),
        bound_hash: judged.boundHash.toString('hex'),
        requested_by: { kind: who.kind, id: who.id, role: who.role },
        reason: action.reason,
        session_id: action.sessionId,
      },
    },
    { tx },
  );
  return approval.id;
}
