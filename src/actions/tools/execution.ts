import { Prisma, type ToolCall } from '../../generated/prisma/client.js';
import type { Services } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { next } from '../../kernel/lifecycle.js';
import { isoTime } from '../../kernel/time.js';
import { type Trace, traceKept } from '../../kernel/trace.rules.js';
import { named } from '../../platform/database/pool.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { everyTenant, tenantDatabase } from '../../platform/database/tenant.js';
import { despiteErasure, inTransaction, type TenantScope } from '../../records/scope.js';
import { sendWebhook, type WebhookCall } from '../webhook/send.js';
import { callerKindOf, readOnlyBudgetOf } from './action.js';
import { readBlastRadius } from './blast-radius.js';
import { isSimulated } from './contract.js';
import { CALL_LIFECYCLE } from './lifecycle.js';
import { type ActionOutcome, outcomeOfWebhook, simulatedResult } from './outcome.js';
import { sealCall } from './receipts.js';
import { type ToolVersion, toolByKey } from './registry.js';
import { judgeAction } from './rules.js';
import { webhookSecrets } from './signing.js';
import { CALL_RESULT } from './tables.js';

/**
 * How long an attempt owns a call, in milliseconds: longer than any attempt may take, and shorter
 * than the lease of an approval, so that a call is free again when its approval is.
 */
export const LEASE_MS = 100_000;

/** An attempt is told to stop well before its lease ends, so that no two run at the same time. */
const ATTEMPT_MS_MAX = 80_000;

/** A call is given up after as many attempts whose process has died. */
const ATTEMPTS_MAX = 5;

type CallName = Pick<ToolCall, 'id' | 'tenantId'>;

/** A call with the trace of the request that waits for it; without one it begins its own. */
interface CallToRun extends CallName {
  readonly trace?: Trace | undefined;
}

/**
 * One attempt to carry a call out, unless another process has it. What the tool does is an outcome
 * and not thrown; a process that dies leaves the call to the next attempt, under the same id.
 * @returns the call as it is after the attempt
 */
export async function runToolCall(
  services: Services,
  name: CallToRun,
  signal: AbortSignal = AbortSignal.timeout(ATTEMPT_MS_MAX),
): Promise<ToolCall> {
  const claimed = await claim(services, name);
  if (!claimed) return reread(services, name);
  const scope = { services, who: { tenantId: name.tenantId } };
  const tool = await boundTool(scope, claimed);
  const trace = name.trace ?? traceKept(null, name.id);
  const outcome = tool ? await carryOut(services, claimed, tool, { signal, trace }) : VOIDED;
  return finish(scope, claimed, outcome);
}

/** Takes the call: the first attempt at once, a later one when the lease of the last has ended. */
async function claim({ prisma }: Services, name: CallName): Promise<ToolCall | undefined> {
  const { id, tenantId } = name;
  const database = tenantDatabase(prisma, tenantId);
  const taken = await database.$executeRaw`
    UPDATE tool_call SET status = 'executing', attempts = attempts + 1,
      execute_after = clock_timestamp() + make_interval(secs => ${LEASE_MS / 1_000})
    WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid AND attempts < ${ATTEMPTS_MAX}
      AND (status = 'approved' OR (status = 'executing'
        AND (attempts = 0 OR execute_after <= clock_timestamp())))`;
  return taken === 0 ? undefined : database.toolCall.findFirstOrThrow({ where: { id } });
}

function reread({ prisma }: Services, { id, tenantId }: CallName): Promise<ToolCall> {
  return tenantDatabase(prisma, tenantId).toolCall.findFirstOrThrow({ where: { id } });
}

const VOIDED: ActionOutcome = {
  event: 'void',
  result: null,
  failure: 'decision_outdated',
  latencyMs: null,
};

/**
 * The contract that a call is executed by, unless contract, arguments, blast radius or decision are
 * not any more what the call was decided on.
 */
async function boundTool(
  scope: TenantScope & { readonly services: Services },
  call: ToolCall,
): Promise<ToolVersion | undefined> {
  if (isErased(call, 'arguments')) return undefined;
  const tool = await toolByKey(scope, call.toolKey);
  const { boundHash, decision } = judgeAction({
    contract: tool.contract,
    contractVersion: tool.version,
    verb: call.verb,
    arguments: call.arguments as Sealable,
    caller: callerKindOf({
      kind: call.requestedByKind === 'user' ? 'user' : 'api_key',
      role: call.requestedByRole,
    }),
    readOnlyBudget: await readOnlyBudgetOf(scope, call.sessionId),
    loosenedByCaller: wasLoosenedByCaller(call),
  });
  return decision !== 'block' && boundHash.equals(call.boundHash) ? tool : undefined;
}

/** Who has loosened a version never changes, so what the call was decided on holds. */
function wasLoosenedByCaller({ decided }: ToolCall): boolean {
  const { reasons } = decided as unknown as {
    readonly reasons: readonly { readonly guard: string }[];
  };
  return reasons.some(({ guard }) => guard === 'loosened_by_caller');
}

async function carryOut(
  services: Services,
  call: ToolCall,
  { contract }: ToolVersion,
  sending: Pick<WebhookCall, 'signal' | 'trace'>,
): Promise<ActionOutcome> {
  const { endpointUrl, toolKey, signingGeneration: generation } = contract;
  if (isSimulated(contract) || endpointUrl === null) return simulate(call);
  const outcome = await sendWebhook(services, {
    url: endpointUrl,
    secrets: webhookSecrets(services.keyring, {
      tenantId: call.tenantId,
      toolKey,
      generation,
    }),
    id: call.id,
    body: Buffer.from(JSON.stringify(await messageOf(services, call)), 'utf8'),
    timeoutMsMax: contract.timeoutMs,
    ...sending,
  });
  return outcomeOfWebhook(outcome);
}

function simulate(call: ToolCall): ActionOutcome {
  const startMs = performance.now();
  const result = simulatedResult({
    toolKey: call.toolKey,
    verb: call.verb,
    arguments: call.arguments as Sealable,
    records: readBlastRadius(call.blastRadius).records,
  });
  const latencyMs = Math.round(performance.now() - startMs);
  return { event: 'succeed', result, failure: null, latencyMs };
}

/** What the endpoint gets: the same text in every attempt, so that its signature means the same. */
async function messageOf({ prisma }: Services, call: ToolCall) {
  const { tenantId, rollbackOf } = call;
  const undone = rollbackOf
    ? await tenantDatabase(prisma, tenantId).toolCall.findFirst({ where: { id: rollbackOf } })
    : null;
  return {
    id: call.id,
    type: 'tool.call',
    timestamp: isoTime(call.createdAt),
    tenant_id: tenantId,
    tool_key: call.toolKey,
    contract_version: call.contractVersion,
    verb: call.verb,
    arguments: call.arguments,
    session_id: call.sessionId,
    rollback_of: undone && {
      id: undone.id,
      verb: undone.verb,
      arguments: undone.arguments,
      result: undone.result,
    },
  };
}

/** Ends the call with its receipt, only while the attempt still owns it. */
function finish(scope: TenantScope, call: ToolCall, outcome: ActionOutcome): Promise<ToolCall> {
  return despiteErasure(scope, () => end(scope, call, outcome));
}

async function end(
  scope: TenantScope,
  { id, tenantId, attempts }: ToolCall,
  outcome: ActionOutcome,
): Promise<ToolCall> {
  const status = next(CALL_LIFECYCLE, 'executing', outcome.event);
  const answered = outcome.result && sealedContent(CALL_RESULT.fields, outcome.result);
  return inTransaction(scope, {}, async (tx) => {
    const ended = await tx.$executeRaw`
      UPDATE tool_call SET status = ${status},
        failure = ${outcome.failure}, latency_ms = ${outcome.latencyMs}::integer,
        finished_at = clock_timestamp(), execute_after = NULL
      WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid
        AND status = 'executing' AND attempts = ${attempts}`;
    const where = { id, tenantId };
    if (ended === 0) return tx.toolCall.findFirstOrThrow({ where });
    const result = (answered as Prisma.InputJsonObject | null) ?? Prisma.DbNull;
    return sealCall(scope, tx, await tx.toolCall.update({ where, data: { result } }));
  });
}

/** A call that is given up: whether the tool has done it is not known. */
export const GIVEN_UP: ActionOutcome = {
  event: 'fail',
  result: null,
  failure: 'execution_given_up',
  latencyMs: null,
};

const SWEEP_ROWS = 20;

/** Calls that a process has left, or whose next attempt is due. */
export const DUE_TOOL_CALLS = `FROM tool_call
  WHERE status = 'executing' AND approval_id IS NULL AND execute_after <= clock_timestamp()`;
const DUE_SQL = `SELECT id ${DUE_TOOL_CALLS} ORDER BY execute_after LIMIT ${SWEEP_ROWS}`;

/**
 * Takes up allowed calls whose process has died, at most 20 at once, one after the other. Approved
 * calls are taken up with their approvals. Any number of nodes may sweep.
 * @returns how many it looked at
 */
export async function resumeToolCalls(services: Services): Promise<number> {
  const { log, platformPool, prisma } = services;
  const { rows } = await named<{ id: string }>(platformPool, 'tool_calls_due', DUE_SQL, []);
  if (rows.length === 0) return 0;
  const where = { id: { in: rows.map(({ id }) => id) } };
  for (const call of await everyTenant(prisma).toolCall.findMany({ where })) {
    const scope = { services, who: { tenantId: call.tenantId } };
    const isSpent = call.attempts >= ATTEMPTS_MAX;
    try {
      await (isSpent ? finish(scope, call, GIVEN_UP) : runToolCall(services, call));
    } catch (error) {
      // One call that cannot go on must not keep the others from it.
      const code = error instanceof GatewayError ? error.code : undefined;
      log.error({ err: error, code, call: call.id }, 'a tool call could not be resumed');
    }
  }
  return rows.length;
}
