import { type Decided, type DecisionTable, decide } from '../../kernel/decision.js';
import type {
  Acknowledgement,
  AcknowledgementWish,
  ChecklistItem,
  RollbackPlan,
} from './tables.js';
import {
  type CutoverDecision,
  type CutoverOutcome,
  LIVE_WINDOW_DAYS,
  type Status,
} from './vocabulary.js';

/** What the rows of the organization show about a migration. */
export interface CutoverFacts {
  readonly status: Status;
  /** The score of the scan; undefined when there is none. */
  readonly score: number | undefined;
  /** The last comparison; undefined when there is none. */
  readonly decision: CutoverDecision | undefined;
  readonly decisionReason: string;
  /** The comparison rests on simulated answers. */
  readonly simulated: boolean;
  /** Codes of what makes the comparison conditional. */
  readonly conditions: readonly string[];
  readonly rollbackPlan: RollbackPlan;
  /** Active keys of the project. */
  readonly keyCount: number;
  /** Data routes that enabled policies of the project set. */
  readonly hybrids: readonly string[];
  /** Active budgets of enabled policies of the project. */
  readonly budgetCount: number;
  /**
   * Requests of clients of the project that real models answered in the last days. Simulated
   * answers and what the gateway asks for itself are none of them.
   */
  readonly answeredCount: number;
  /** Aliases that the cutover is to create. */
  readonly aliasCount: number;
  /** Why some of them cannot be created, in words. */
  readonly aliasConflicts: readonly string[];
  /** What the account can spend, in micro-rubles. */
  readonly availableMicro: bigint;
}

interface ItemRule {
  readonly code: string;
  readonly description: string;
  /** The path of the call that closes it, which is a POST. */
  readonly path: string;
  readonly done: (facts: CutoverFacts) => boolean;
  readonly evidence: (facts: CutoverFacts) => string;
}

const ITEMS = [
  {
    code: 'scan',
    description: 'The capabilities in use were compared with what is served.',
    path: '/v1/gw/migration/projects/{id}/compatibility-scan',
    done: ({ score }) => score !== undefined,
    evidence: ({ score }) => (score === undefined ? 'no scan' : `score ${score}`),
  },
  {
    code: 'comparison',
    description: 'A comparison of cost, quality and latency lets the cutover go on.',
    path: '/v1/gw/migration/projects/{id}/compare',
    done: ({ decision }) => decision !== undefined && decision !== 'hold',
    evidence: ({ decision }) => decision ?? 'no comparison',
  },
  {
    code: 'scoped_keys',
    description: 'The project has an API key of its own that is not revoked.',
    path: '/api-keys',
    done: ({ keyCount }) => keyCount > 0,
    evidence: ({ keyCount }) => `${keyCount} active keys of the project`,
  },
  {
    code: 'data_route',
    description: 'An enabled policy of the project says which data routes requests may take.',
    path: '/v1/gw/policies',
    done: ({ hybrids }) => hybrids.length > 0,
    evidence: ({ hybrids }) =>
      hybrids.length === 0 ? 'no policy sets hybrid' : `hybrid: ${hybrids.join(', ')}`,
  },
  {
    code: 'monitoring',
    description: 'An enabled policy of the project watches spending by a budget.',
    path: '/v1/gw/policies',
    done: ({ budgetCount }) => budgetCount > 0,
    evidence: ({ budgetCount }) => `${budgetCount} active budgets of the project`,
  },
  {
    code: 'live_traffic',
    description:
      'A client of the project had an answer of a real model in the last ' +
      `${LIVE_WINDOW_DAYS} days. Simulated answers, evaluation sets, live checks and blueprint ` +
      'runs are no traffic.',
    path: '/v1/chat/completions',
    done: ({ answeredCount }) => answeredCount > 0,
    evidence: ({ answeredCount }) => `${answeredCount} requests answered by real models`,
  },
  {
    code: 'rollback_plan',
    description: 'The rollback plan names the old base address.',
    path: '/v1/gw/migration/projects/{id}/cutover with rollback.base_url',
    done: ({ rollbackPlan }) => rollbackPlan.baseUrl !== null,
    evidence: ({ rollbackPlan }) => rollbackPlan.baseUrl ?? 'the old base address is not known',
  },
  {
    code: 'aliases',
    description:
      'The model names of the clients can become aliases: none of them stands for something else ' +
      'already, and each target can be called.',
    path: '/v1/gw/model-aliases',
    done: ({ aliasConflicts }) => aliasConflicts.length === 0,
    evidence: ({ aliasConflicts, aliasCount }) =>
      aliasConflicts.length === 0 ? `${aliasCount} aliases` : aliasConflicts.join('; '),
  },
  {
    code: 'balance',
    description: 'The account has money to spend.',
    path: '/billing/top-up/manual',
    done: ({ availableMicro }) => availableMicro > 0n,
    evidence: ({ availableMicro }) =>
      availableMicro > 0n ? 'the available balance is above zero' : 'nothing is available',
  },
] as const satisfies readonly ItemRule[];

/** The checklist of a cutover. Every open item blocks it. */
export const CHECKLIST = ITEMS.map((item) => ({ ...item, method: 'POST' }));

/** The checklist of a migration. */
export function checklistOf(migrationId: string, facts: CutoverFacts): ChecklistItem[] {
  return CHECKLIST.map(({ method, path, done, evidence, ...item }) => ({
    ...item,
    done: done(facts),
    evidence: evidence(facts),
    closedBy: `${method} ${path.replace('{id}', migrationId)}`,
  }));
}

/** What a request to cut over is decided by. */
export interface CutoverQuestion extends CutoverFacts {
  readonly checklist: readonly ChecklistItem[];
  /** True where the project asks for an approval that has not been given. */
  readonly needsApproval: boolean;
  /** Codes of the conditions that a member has acknowledged. */
  readonly acknowledged: readonly string[];
}

/** The conditions of the comparison that nobody has acknowledged. */
export function openConditions({
  conditions,
  acknowledged,
}: Pick<CutoverQuestion, 'conditions' | 'acknowledged'>): string[] {
  return conditions.filter((code) => !acknowledged.includes(code));
}

function open({ checklist }: CutoverQuestion): string {
  return checklist.flatMap(({ code, done }) => (done ? [] : [code])).join(', ');
}

/** The decision table of cutovers, in order: the first guard that applies decides. */
export const CUTOVER_GUARDS: DecisionTable<CutoverQuestion, CutoverOutcome> = [
  {
    code: 'hold',
    outcome: 'blocked',
    description: 'the last comparison says hold',
    applies: ({ decision }) => decision === 'hold',
    reason: ({ decisionReason }) => `the comparison says hold: ${decisionReason}`,
  },
  {
    code: 'simulated',
    outcome: 'blocked',
    description: 'the last comparison rests on simulated answers; no acknowledgement lifts that',
    applies: ({ simulated }) => simulated,
    reason: () => 'the comparison rests on simulated answers; compare with a real model',
  },
  {
    code: 'open_items',
    outcome: 'blocked',
    description: 'an item of the checklist is open',
    applies: (question) => open(question) !== '',
    reason: (question) => `open items: ${open(question)}`,
  },
  {
    code: 'not_ready',
    outcome: 'blocked',
    description: 'the migration was scanned again or rolled back after its last comparison',
    applies: ({ status }) => status !== 'ready',
    reason: ({ status }) => `the migration is ${status}; compare again`,
  },
  {
    code: 'not_acknowledged',
    outcome: 'blocked',
    description: 'a condition of the comparison was not acknowledged by a member',
    applies: (question) => openConditions(question).length > 0,
    reason: (question) =>
      `conditions that no member has acknowledged: ${openConditions(question).join(', ')}`,
  },
  {
    code: 'approval',
    outcome: 'pending_approval',
    description: 'the migration requires an approval',
    applies: ({ needsApproval }) => needsApproval,
  },
  {
    code: 'otherwise',
    outcome: 'cut_over',
    description: 'otherwise',
    applies: () => true,
    reason: () => 'every item is done',
  },
];

/** Whether the cutover may happen now. */
export function decideCutover(question: CutoverQuestion): Decided<CutoverOutcome> {
  return decide(CUTOVER_GUARDS, question);
}

/** What is kept of acknowledgements: those of conditions that there really are. */
export function acknowledgementsOf(
  wishes: readonly AcknowledgementWish[],
  conditions: readonly string[],
  memberId: string,
): Acknowledgement[] {
  return wishes
    .filter(({ code }) => conditions.includes(code))
    .map(({ code, reason }) => ({ code, reason, memberId }));
}
