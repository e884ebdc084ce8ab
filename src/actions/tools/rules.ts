import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { type DecisionTable, decide, type Reason } from '../../kernel/decision.js';
import { formatRub } from '../../kernel/money.js';
import { blastRadiusOf, storedBlastRadius } from './blast-radius.js';
import { ruleOf, type ToolContract, verbOrigin } from './contract.js';
import type { BlastRadius } from './tables.js';
import {
  type ActionDecision,
  CALLER_LIMITS,
  type CallerKind,
  RECORDS_MAX,
  RISK_LEVELS,
  type RiskLevel,
  VERBS,
  type VerbOrigin,
} from './vocabulary.js';

/** What the action policy looks at, and nothing else. */
export interface ActionFacts {
  readonly verb: string;
  /** The contract has the verb. */
  readonly verbKnown: boolean;
  readonly risk: RiskLevel;
  readonly destructive: boolean;
  readonly requiresApproval: boolean;
  readonly caller: CallerKind;
  readonly blastRadius: BlastRadius;
  /** The contract's own limit of amounts; null leaves that of the caller's kind. */
  readonly amountMicroMaxAuto: bigint | null;
  /** A budget of the session that stands on the step read_only of its ladder; null without. */
  readonly readOnlyBudget: string | null;
  /** Everything needs four eyes, and the member behind the call has loosened the verb alone. */
  readonly loosenedByCaller: boolean;
}

function amountLimit({ amountMicroMaxAuto, caller }: ActionFacts): bigint {
  return amountMicroMaxAuto ?? CALLER_LIMITS[caller].amountMicroMax;
}

function atLeast(risk: RiskLevel, least: RiskLevel): boolean {
  const { codes } = RISK_LEVELS;
  return codes.indexOf(risk) >= codes.indexOf(least);
}

/**
 * The action policy: the first row that applies decides. What blocks stands before what waits, and
 * whatever is not known waits for a person.
 */
export const ACTION_GUARDS: DecisionTable<ActionFacts, ActionDecision> = [
  {
    code: 'verb_not_in_contract',
    outcome: 'block',
    description: 'The contract does not list the verb.',
    applies: ({ verbKnown }) => !verbKnown,
    reason: ({ verb }) => `the contract does not list the verb ${verb}`,
  },
  {
    code: 'agent_critical_destruction',
    outcome: 'block',
    description: 'An agent key asks for something critical and destructive.',
    applies: ({ caller, risk, destructive }) =>
      caller === 'agent' && risk === 'critical' && destructive,
    reason: ({ verb }) => `${verb} is critical and destructive, and an agent key asks for it`,
  },
  {
    code: 'records_above_maximum',
    outcome: 'block',
    description: `More than ${RECORDS_MAX} records would change in one call.`,
    applies: ({ blastRadius }) => (blastRadius.records ?? 0) > RECORDS_MAX,
    reason: ({ blastRadius }) =>
      `${blastRadius.records} records are more than the ${RECORDS_MAX} of one call`,
  },
  {
    code: 'budget_read_only',
    outcome: 'block',
    description:
      'A budget of the session stands on the step read_only of its ladder, and the action ' +
      'changes something.',
    applies: ({ readOnlyBudget, verb, destructive }) =>
      readOnlyBudget !== null && (destructive || VERBS.find(verb)?.scope !== 'none'),
    reason: ({ readOnlyBudget, verb }) =>
      `the budget ${readOnlyBudget} lets nothing be changed any more, and ${verb} does`,
  },
  {
    code: 'contract_requires_approval',
    outcome: 'needs_approval',
    description: 'The contract requires an approval.',
    applies: ({ requiresApproval }) => requiresApproval,
    reason: ({ verb }) => `the contract requires an approval of ${verb}`,
  },
  {
    code: 'loosened_by_caller',
    outcome: 'needs_approval',
    description:
      'Everything needs four eyes, and the member behind the call has loosened the verb; no ' +
      'other member who may approve has registered the tool since.',
    applies: ({ loosenedByCaller }) => loosenedByCaller,
    reason: ({ verb }) =>
      `the member behind the call has loosened ${verb}; it waits until another member who may ` +
      'approve has registered the tool again',
  },
  {
    code: 'destructive',
    outcome: 'needs_approval',
    description: 'The action destroys something.',
    applies: ({ destructive }) => destructive,
    reason: ({ verb }) => `${verb} is destructive`,
  },
  {
    code: 'high_risk',
    outcome: 'needs_approval',
    description: 'The risk is high or critical.',
    applies: ({ risk }) => atLeast(risk, 'high'),
    reason: ({ verb, risk }) => `the risk of ${verb} is ${risk}`,
  },
  {
    code: 'agent_medium_risk',
    outcome: 'needs_approval',
    description: 'An agent key asks, and the risk is medium or more.',
    applies: ({ caller, risk }) => caller === 'agent' && atLeast(risk, 'medium'),
    reason: ({ verb, risk }) => `an agent key asks, and the risk of ${verb} is ${risk}`,
  },
  {
    code: 'records_unknown',
    outcome: 'needs_approval',
    description: 'It is not known how many records would change.',
    applies: ({ blastRadius }) => blastRadius.records === null,
    reason: () => 'the arguments do not say how many records would change',
  },
  {
    code: 'records_above_limit',
    outcome: 'needs_approval',
    description: 'More records would change than this kind of caller may change by itself.',
    applies: ({ blastRadius, caller }) =>
      (blastRadius.records ?? 0) > CALLER_LIMITS[caller].recordsMax,
    reason: ({ blastRadius, caller }) =>
      `${blastRadius.records} records are more than ${CALLER_LIMITS[caller].recordsMax}`,
  },
  {
    code: 'amount_unknown',
    outcome: 'needs_approval',
    description: 'Money would move, and it is not known how much.',
    applies: ({ blastRadius }) => blastRadius.amountBasis === 'unknown',
    reason: () => 'the arguments do not say how much money would move',
  },
  {
    code: 'amount_above_limit',
    outcome: 'needs_approval',
    description: 'More money would move than the contract, or else the kind of caller, allows.',
    applies: (facts) => (facts.blastRadius.amountMicro ?? 0n) > amountLimit(facts),
    reason: (facts) =>
      `${formatRub(facts.blastRadius.amountMicro ?? 0n)} RUB are more than ` +
      `${formatRub(amountLimit(facts))} RUB`,
  },
  {
    code: 'within_limits',
    outcome: 'allow',
    description: 'Nothing above applies.',
    applies: () => true,
    reason: () => 'the action is within every limit',
  },
];

/** A guard that applies, with what it says. */
export type ActionReason = Reason<ActionDecision>;

/** What the action policy decides. */
export interface DecidedAction {
  readonly decision: ActionDecision;
  /** The guard that decided. */
  readonly guard: string;
  /** Every guard that applies, the deciding one first. */
  readonly reasons: readonly ActionReason[];
}

/** Decides about an action by the table. Preview and execution ask this one function. */
export function decideAction(facts: ActionFacts): DecidedAction {
  const { outcome: decision, guard, reasons } = decide(ACTION_GUARDS, facts);
  return { decision, guard, reasons };
}

/** An action that somebody asks for. */
export interface AskedAction {
  readonly contract: ToolContract;
  readonly contractVersion: number;
  readonly verb: string;
  readonly arguments: Sealable;
  readonly caller: CallerKind;
  /** A budget that lets nothing of the session be changed; null, as unless stated, for none. */
  readonly readOnlyBudget?: string | null;
  /** The member behind the call has loosened the verb alone; false unless stated. */
  readonly loosenedByCaller?: boolean;
}

/** An action with all that is known about it before it is executed. */
export interface JudgedAction extends DecidedAction {
  readonly blastRadius: BlastRadius;
  /** The risk that was decided by. */
  readonly risk: RiskLevel;
  /** Who says what the verb means. */
  readonly verbOrigin: VerbOrigin;
  /** sha256 over contract version, verb, arguments, blast radius and decision, by RFC 8785. */
  readonly boundHash: Buffer;
}

/** Judges an action: its blast radius, the decision, and the hash that an approval is bound to. */
export function judgeAction(asked: AskedAction): JudgedAction {
  const { contract, verb, caller, readOnlyBudget = null, loosenedByCaller = false } = asked;
  const rule = ruleOf(contract, verb);
  const blastRadius = blastRadiusOf(contract, rule, asked.arguments);
  const risk = rule?.risk ?? contract.risk;
  const decided = decideAction({
    verb,
    verbKnown: rule !== undefined,
    risk,
    destructive: blastRadius.destructive,
    requiresApproval: rule?.requiresApproval ?? contract.requiresApproval,
    caller,
    blastRadius,
    amountMicroMaxAuto: contract.amountMicroMaxAuto,
    readOnlyBudget,
    loosenedByCaller,
  });
  const hash = boundHash(asked, decided, blastRadius);
  return { ...decided, risk, verbOrigin: verbOrigin(verb), blastRadius, boundHash: hash };
}

function boundHash(asked: AskedAction, decided: DecidedAction, radius: BlastRadius): Buffer {
  const bound = {
    tool_key: asked.contract.toolKey,
    contract_version: asked.contractVersion,
    verb: asked.verb,
    arguments: asked.arguments,
    caller: asked.caller,
    blast_radius: storedBlastRadius(radius),
    decision: decided.decision,
    guard: decided.guard,
  };
  return createHash('sha256').update(canonicalJson(bound), 'utf8').digest();
}
