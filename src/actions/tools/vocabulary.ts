import { dataRows, vocabularyIn } from '../../kernel/fields/data-file.js';
import { text } from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import { WEBHOOK_FAILURES } from '../webhook/failures.js';
import FILE from './verbs.json' with { type: 'json' };
import WORDS from './vocabulary.json' with { type: 'json' };

/** How much harm an action can do, mildest first. */
export const RISK_LEVELS = vocabularyIn(WORDS, 'ToolRisk');

/** A level of risk. */
export type RiskLevel = CodeOf<typeof RISK_LEVELS>;

/** How many records a verb touches where the contract does not say where to read it. */
export type VerbScope = 'none' | 'one' | 'many';

/** The kinds of verbs: what a contract need not say about a verb because its kind does. */
const KINDS = {
  reads: { risk: 'low', destructive: false, scope: 'none', money: false },
  exports: { risk: 'medium', destructive: false, scope: 'none', money: false },
  notes: { risk: 'low', destructive: false, scope: 'one', money: false },
  changes: { risk: 'medium', destructive: false, scope: 'one', money: false },
  removes: { risk: 'high', destructive: true, scope: 'one', money: false },
  pays: { risk: 'high', destructive: false, scope: 'one', money: true },
  bulk: { risk: 'high', destructive: false, scope: 'many', money: false },
  bulkRemoves: { risk: 'critical', destructive: true, scope: 'many', money: false },
  operates: { risk: 'high', destructive: false, scope: 'many', money: false },
} as const satisfies Readonly<
  Record<string, { risk: RiskLevel; destructive: boolean; scope: VerbScope; money: boolean }>
>;

/**
 * The verbs that contracts may use, each with what holds unless the contract says otherwise.
 * `scope` is the number of records that a call changes: none, one, or many. `money` verbs move
 * money, so their amount must be known.
 */
export const VERBS = vocabulary(
  'ToolVerbCode',
  'The verbs that contracts may use.',
  Object.entries(KINDS).flatMap(([kind, meaning]) =>
    dataRows<string>(FILE[kind as keyof typeof KINDS]).map((verb) => ({ ...verb, ...meaning })),
  ),
);

/** What carries an action out. A connector on the roadmap cannot be used yet. */
export const CONNECTORS = vocabularyIn(WORDS, 'ToolConnector', {
  status: text('Whether it can be used, or is on the roadmap.'),
});

/** A connector. */
export type ConnectorCode = CodeOf<typeof CONNECTORS>;

/** Where a figure of a blast radius comes from. */
export const FIGURE_BASES = vocabularyIn(WORDS, 'ToolFigureBasis');

/** What the action policy can decide. */
export const DECISIONS = vocabularyIn(WORDS, 'ToolDecision');

/** A decision of the action policy. */
export type ActionDecision = CodeOf<typeof DECISIONS>;

/** How far the approval of a call is. */
export const APPROVAL_STATUSES = vocabularyIn(WORDS, 'ToolApprovalStatus');

/** The status of a call's approval. */
export type CallApprovalStatus = CodeOf<typeof APPROVAL_STATUSES>;

/** How far a call is. */
export const CALL_STATUSES = vocabularyIn(WORDS, 'ToolCallStatus');

/** The status of a call. */
export type CallStatus = CodeOf<typeof CALL_STATUSES>;

const BY_ITSELF = { recordsMax: 100, amountMicroMax: 10_000n * MICRO_PER_RUB };

/** Why a call has failed or was voided. */
export const CALL_FAILURES = vocabulary('ToolCallFailure', 'Why a call failed or was voided.', [
  {
    code: 'decision_outdated',
    description: 'Contract, arguments or decision changed since the call was decided on.',
  },
  {
    code: 'execution_given_up',
    description: 'Every attempt broke off; whether the tool has done it is not known.',
  },
  ...WEBHOOK_FAILURES,
]);

/** A reason of failure. */
export type CallFailure = CodeOf<typeof CALL_FAILURES>;

/** Who asks, as the decision table sees it, and how much each may do without an approval. */
export const CALLER_LIMITS = {
  member: { description: 'A member with a token.', ...BY_ITSELF },
  standard: { description: 'A key of the type standard.', ...BY_ITSELF },
  service: { description: 'A key of the type service.', ...BY_ITSELF },
  agent: {
    description: 'A key of the type agent.',
    recordsMax: 10,
    amountMicroMax: 1_000n * MICRO_PER_RUB,
  },
} as const;

/** The kind of a caller. */
export type CallerKind = keyof typeof CALLER_LIMITS;

/** More records than this are not changed by one call, whoever approves. */
export const RECORDS_MAX = 10_000;

/** Bounds of what a contract and a call may say; what is beyond them is refused. */
export const BOUNDS = {
  toolKeyCharactersMax: 64,
  nameCharactersMax: 120,
  descriptionCharactersMax: 1_000,
  reasonCharactersMax: 1_000,
  sessionIdCharactersMax: 128,
  pointerCharactersMax: 200,
  timeoutMsMin: 1_000,
  timeoutMsMax: 60_000,
  approvalExpiresSecondsMin: 60,
  approvalExpiresSecondsMax: 604_800,
  schemaBytesMax: 8_192,
  schemaNodesMax: 200,
  argumentBytesMax: 65_536,
  argumentValuesMax: 2_000,
  jsonLevelsMax: 16,
  resultBytesMax: 16_384,
  toolsMax: 500,
} as const;

/** What holds where a contract does not say. */
export const DEFAULTS = {
  timeoutMs: 10_000,
  approvalExpiresSeconds: 86_400,
} as const;
