import { concerning } from '../../finops/budgets/budgets.rules.js';
import { holds } from '../../finops/budgets/standing.rules.js';
import type { AuthorizedCtx, Principal, Services } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { asObject } from '../../kernel/json.js';
import type { TenantScope } from '../../records/scope.js';
import { argumentFaults } from './arguments-schema.js';
import { isSimulated, ruleOf } from './contract.js';
import { boundedJson } from './json-values.js';
import { isLoosenedByCaller } from './loosened.js';
import { type ToolVersion, toolByKey } from './registry.js';
import { type JudgedAction, judgeAction } from './rules.js';
import { ACTION, ACTION_TEXTS, type PREVIEW } from './tables.js';
import { BOUNDS, type CallerKind } from './vocabulary.js';

/** An action that is well-formed and judged, and not yet executed. */
export interface PreparedAction {
  readonly tool: ToolVersion;
  readonly verb: string;
  readonly arguments: Sealable;
  readonly reason: string | null;
  readonly sessionId: string | null;
  readonly judged: JudgedAction;
}

/** How the decision table names a caller. */
export function callerKindOf({ kind, role }: Pick<Principal, 'kind' | 'role'>): CallerKind {
  if (kind === 'user') return 'member';
  return role === 'standard' || role === 'service' ? role : 'agent';
}

/** The budget of a session that lets nothing be changed any more, by what is in memory. */
export async function readOnlyBudgetOf(
  { services, who }: TenantScope & { readonly services: Pick<Services, 'spendControls'> },
  sessionId: string | null,
): Promise<string | null> {
  const { ladders } = await services.spendControls.forTenant(who.tenantId);
  const sessions = sessionId === null ? [] : [sessionId];
  const scopes = { use_case: [], route: [], partner_client: [], agent_session: sessions };
  const budgets = concerning(ladders, scopes);
  return budgets.find(({ step }) => holds('read_only', step))?.name ?? null;
}

/**
 * Checks and judges an action by the contract in force; nothing is written. It is all of a preview,
 * and the first half of an execution.
 * @throws invalid_request with every fault, not_found for an unknown tool
 */
export async function prepareAction(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<PreparedAction> {
  const asked = inputValues(ACTION.fields, given);
  const { toolKey, verb, reason, sessionId } = asked;
  const path = 'input.arguments';
  const bounds = { bytesMax: BOUNDS.argumentBytesMax, valuesMax: BOUNDS.argumentValuesMax };
  const { value = {}, faults } = boundedJson(path, asked.arguments ?? {}, bounds);
  const isObject = asObject(value) !== undefined;
  failOnFaults([
    ...inputFaults(ACTION_TEXTS, asked, 'input'),
    ...faults,
    ...(isObject ? [] : [fault(path, 'wrong_type', 'must be an object')]),
  ]);
  const tool = await toolByKey(ctx, toolKey);
  const rule = ruleOf(tool.contract, verb);
  if (rule?.argumentsSchema) failOnFaults(argumentFaults(rule.argumentsSchema, value, path));
  const judged = judgeAction({
    contract: tool.contract,
    contractVersion: tool.version,
    verb,
    arguments: value,
    caller: callerKindOf(ctx.who),
    readOnlyBudget: await readOnlyBudgetOf(ctx, sessionId),
    loosenedByCaller: await isLoosenedByCaller(ctx, tool, verb),
  });
  return { tool, verb, arguments: value, reason, sessionId, judged };
}

/** What would happen, as a preview tells it. */
export async function previewAction(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof PREVIEW.fields>> {
  const { tool, verb, judged } = await prepareAction(ctx, given);
  return {
    ...judged,
    toolKey: tool.contract.toolKey,
    contractVersion: tool.version,
    verb,
    boundHash: judged.boundHash.toString('hex'),
    connector: tool.contract.connector,
    simulated: isSimulated(tool.contract),
    rollbackAvailable: judged.blastRadius.compensatingVerb !== null,
  };
}
