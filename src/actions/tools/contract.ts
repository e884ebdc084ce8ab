import type { Sealable } from '../../kernel/canonical.js';
import type { JsonObject } from '../../kernel/json.js';
import type { ConnectorCode, RiskLevel } from './vocabulary.js';

/** What a contract says about one of its verbs, defaults filled in. */
export interface VerbRule {
  readonly verb: string;
  readonly risk: RiskLevel;
  readonly destructive: boolean;
  readonly requiresApproval: boolean;
  /** The verb of the same contract that undoes this one; null where nothing does. */
  readonly compensatingVerb: string | null;
  /** JSON Schema of the arguments; null accepts any object. */
  readonly argumentsSchema: JsonObject | null;
  /** JSON pointer to the argument that is money in rubles. */
  readonly amountField: string | null;
  /** JSON pointer to the argument that lists or counts the records that are changed. */
  readonly recordsField: string | null;
}

/** What a tool may do, as it was registered, defaults filled in. */
export interface ToolContract {
  readonly toolKey: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly verbs: readonly VerbRule[];
  readonly risk: RiskLevel;
  readonly destructive: boolean;
  readonly requiresApproval: boolean;
  readonly connector: ConnectorCode;
  readonly endpointUrl: string | null;
  readonly timeoutMs: number;
  readonly approvalExpiresSeconds: number;
  /** Larger amounts wait for an approval; null leaves the limit of the caller's kind. */
  readonly amountMicroMaxAuto: bigint | null;
  /** Counts the rotations of the signing secret, from 1. */
  readonly signingGeneration: number;
}

/** What a contract says about a verb, or undefined when it lacks the verb. */
export function ruleOf(contract: ToolContract, verb: string): VerbRule | undefined {
  return contract.verbs.find((rule) => rule.verb === verb);
}

/** Whether the contract's connector carries nothing out. */
export function isSimulated({ connector }: ToolContract): boolean {
  return connector === 'simulated';
}

interface StoredVerb {
  readonly verb: string;
  readonly risk: RiskLevel;
  readonly destructive: boolean;
  readonly requires_approval: boolean;
  readonly compensating_verb: string | null;
  readonly arguments_schema: Sealable;
  readonly amount_field: string | null;
  readonly records_field: string | null;
}

/** A verb as it is stored. */
function storedVerb(rule: VerbRule): StoredVerb {
  return {
    verb: rule.verb,
    risk: rule.risk,
    destructive: rule.destructive,
    requires_approval: rule.requiresApproval,
    compensating_verb: rule.compensatingVerb,
    arguments_schema: rule.argumentsSchema as Sealable,
    amount_field: rule.amountField,
    records_field: rule.recordsField,
  };
}

/** A contract as it is stored, with the names of the wire. */
export function storedContract(contract: ToolContract) {
  const { amountMicroMaxAuto } = contract;
  return {
    tool_key: contract.toolKey,
    name: contract.name,
    description: contract.description,
    verbs: contract.verbs.map((rule) => ({ ...storedVerb(rule) })),
    risk: contract.risk,
    destructive: contract.destructive,
    requires_approval: contract.requiresApproval,
    connector: contract.connector,
    endpoint_url: contract.endpointUrl,
    timeout_ms: contract.timeoutMs,
    approval_expires_seconds: contract.approvalExpiresSeconds,
    amount_micro_max_auto: amountMicroMaxAuto === null ? null : amountMicroMaxAuto.toString(),
    signing_generation: contract.signingGeneration,
  };
}

/** The reverse of `storedContract`. */
export function readContract(body: unknown): ToolContract {
  const stored = body as ReturnType<typeof storedContract>;
  const { amount_micro_max_auto: amount } = stored;
  return {
    toolKey: stored.tool_key,
    name: stored.name,
    description: stored.description,
    verbs: stored.verbs.map(readVerb),
    risk: stored.risk,
    destructive: stored.destructive,
    requiresApproval: stored.requires_approval,
    connector: stored.connector,
    endpointUrl: stored.endpoint_url,
    timeoutMs: stored.timeout_ms,
    approvalExpiresSeconds: stored.approval_expires_seconds,
    amountMicroMaxAuto: amount === null ? null : BigInt(amount),
    signingGeneration: stored.signing_generation,
  };
}

function readVerb(stored: StoredVerb): VerbRule {
  return {
    verb: stored.verb,
    risk: stored.risk,
    destructive: stored.destructive,
    requiresApproval: stored.requires_approval,
    compensatingVerb: stored.compensating_verb,
    argumentsSchema: stored.arguments_schema as JsonObject | null,
    amountField: stored.amount_field,
    recordsField: stored.records_field,
  };
}
