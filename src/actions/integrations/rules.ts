import { type Decided, type DecisionTable, decide } from '../../kernel/decision.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { ConnectorAction } from './catalogue.js';
import type { ProposedChange } from './tables.js';
import {
  APPROVAL_RULES,
  BULK_CHANGES_MIN,
  type FieldNature,
  LARGE_AMOUNT_RUB_MIN,
  type PreviewDecision,
  RISK_LEVELS,
  RISK_RULES,
  type RiskLevel,
} from './vocabulary.js';

/** What is judged: an action, what it would change, and whether an AI agent asks. */
export interface ChangeFacts {
  readonly action: ConnectorAction;
  readonly changes: readonly ProposedChange[];
  readonly isAgent: boolean;
}

/** The risk of a change, with the rules that apply to it. */
export interface RiskAssessment {
  readonly level: RiskLevel;
  readonly rules: readonly RiskRule[];
}

type RiskRule = CodeOf<typeof RISK_RULES>;
type ApprovalRule = CodeOf<typeof APPROVAL_RULES>;

const RISK_APPLIES: Readonly<Record<RiskRule, (facts: ChangeFacts) => boolean>> = {
  destructive: ({ action }) => action.verb === 'delete',
  personal_data: (facts) => changesOf(facts, 'personal').length > 0,
  money: (facts) => changesOf(facts, 'money').length > 0,
  large_amount: (facts) => changesOf(facts, 'money').some(isLarge),
  bulk: ({ changes }) => changes.length >= BULK_CHANGES_MIN,
  agent_irreversible: ({ action, isAgent }) => isAgent && !action.reversible,
};

/** The risk of a change: that of its action, or the highest that a published rule gives it. */
export function riskOf(facts: ChangeFacts): RiskAssessment {
  const rules = RISK_RULES.rows.filter(({ code }) => RISK_APPLIES[code](facts));
  const levels = [facts.action.risk, ...rules.map(({ level }) => level)];
  const level = RISK_LEVELS.codes.findLast((code) => levels.includes(code)) ?? 'critical';
  return { level, rules: rules.map(({ code }) => code) };
}

interface RatedFacts extends ChangeFacts {
  readonly risk: RiskLevel;
}

const APPROVAL_APPLIES: Readonly<Record<ApprovalRule, (facts: RatedFacts) => boolean>> = {
  no_change: ({ changes }) => changes.length === 0,
  agent_critical: ({ isAgent, risk }) => isAgent && risk === 'critical',
  action_always: ({ action }) => action.alwaysAsks,
  high_risk: ({ risk }) => risk === 'high' || risk === 'critical',
  agent_medium: ({ isAgent, risk }) => isAgent && risk === 'medium',
  person_medium: ({ risk }) => risk === 'medium',
  low_risk: () => true,
};

const TABLE: DecisionTable<RatedFacts, PreviewDecision> = APPROVAL_RULES.rows.map((row) => ({
  ...row,
  applies: APPROVAL_APPLIES[row.code],
}));

/** Who decides about a change: the first of the published approval rules that applies. */
export function decisionOn(facts: ChangeFacts, risk: RiskLevel): Decided<PreviewDecision> {
  return decide(TABLE, { ...facts, risk });
}

/** Why an executed action cannot be taken back, or null. */
export function rollbackRefusal(
  action: ConnectorAction,
  wasApproved: boolean,
  isAgent: boolean,
): string | null {
  if (!action.reversible) return `${action.id} cannot be taken back`;
  if (wasApproved && isAgent) return 'an agent cannot undo what a person has approved';
  return null;
}

/** The changes of fields of a nature, values inside of such a field included. */
function changesOf({ action, changes }: ChangeFacts, nature: FieldNature): ProposedChange[] {
  const names = action.fields.filter((field) => field.nature === nature).map(({ name }) => name);
  return changes.filter(({ field }) => names.includes(field.split(/[.[]/, 1)[0] ?? ''));
}

function isLarge(change: ProposedChange): boolean {
  const amounts = [change.old, change.new].map((value) => (typeof value === 'number' ? value : 0));
  const [before = 0, after = 0] = amounts;
  return Math.abs(after - before) >= LARGE_AMOUNT_RUB_MIN;
}
