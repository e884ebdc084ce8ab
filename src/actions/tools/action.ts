import type { AuthorizedCtx, Principal } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { asObject } from '../../kernel/json.js';
import { argumentFaults } from './arguments-schema.js';
import { ruleOf } from './contract.js';
import { textFaults } from './draft.js';
import { boundedJson } from './json-values.js';
import { type ToolVersion, toolByKey } from './registry.js';
import { type JudgedAction, judgeAction } from './rules.js';
import { BOUNDS, type CallerKind } from './vocabulary.js';

/** An action as a caller asks for it. */
export interface ActionInput {
  readonly toolKey: string;
  readonly verb: string;
  /** An object; absent counts as `{}`. */
  readonly arguments?: unknown;
  /** Why; shown to whoever approves. */
  readonly reason?: string | null;
  /** The caller's own name for the conversation or run that this belongs to. */
  readonly sessionId?: string | null;
}

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

/**
 * Checks and judges an action by the contract in force; nothing is written. It is all of a preview,
 * and the first half of an execution.
 * @throws invalid_request with every fault, not_found for an unknown tool
 */
export async function prepareAction(
  ctx: AuthorizedCtx,
  input: ActionInput,
): Promise<PreparedAction> {
  const bounds = { bytesMax: BOUNDS.argumentBytesMax, valuesMax: BOUNDS.argumentValuesMax };
  const { value, faults } = boundedJson('arguments', input.arguments ?? {}, bounds);
  failOnFaults([...textsFaults(input), ...faults, ...(value ? objectFaults(value) : [])]);
  const values = value ?? {};
  const tool = await toolByKey(ctx, input.toolKey);
  const rule = ruleOf(tool.contract, input.verb);
  if (rule?.argumentsSchema) failOnFaults(argumentFaults(rule.argumentsSchema, values));
  const judged = judgeAction({
    contract: tool.contract,
    contractVersion: tool.version,
    verb: input.verb,
    arguments: values,
    caller: callerKindOf(ctx.who),
  });
  const { verb, reason = null, sessionId = null } = input;
  return { tool, verb, arguments: values, reason, sessionId, judged };
}

function textsFaults({ toolKey, verb, reason, sessionId }: ActionInput): Fault[] {
  return [
    ...textFaults('tool_key', toolKey, BOUNDS.toolKeyCharactersMax),
    ...textFaults('verb', verb, BOUNDS.toolKeyCharactersMax),
    ...textFaults('reason', reason, BOUNDS.reasonCharactersMax),
    ...textFaults('session_id', sessionId, BOUNDS.sessionIdCharactersMax),
  ];
}

function objectFaults(value: Sealable): Fault[] {
  if (asObject(value)) return [];
  return [{ path: 'arguments', code: 'wrong_type', message: 'arguments must be an object.' }];
}
