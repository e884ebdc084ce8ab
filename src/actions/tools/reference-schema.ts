import { builder } from '../../graph/builder.js';
import type { VocabularyRow } from '../../graph/enums.js';
import { parseRub } from '../../kernel/money.js';
import { ToolDecisionEnum, ToolRiskEnum } from './enums.js';
import { CALL_FAILURES } from './outcome.js';
import {
  PUBLISHED_GUARDS,
  PUBLISHED_LIMITS,
  type PublishedGuard,
  type PublishedLimit,
} from './references.js';
import {
  APPROVAL_STATUSES,
  CALL_STATUSES,
  CONNECTORS,
  DECISIONS,
  RISK_LEVELS,
  VERBS,
} from './vocabulary.js';

const Word = builder.objectRef<VocabularyRow<string>>('ToolReferenceEntry').implement({
  description: 'A value of a published list.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The value on the wire.' }),
    description: t.exposeString('description', { description: 'What it means.' }),
  }),
});

const Verb = builder.objectRef<(typeof VERBS)[number]>('ToolVerb').implement({
  description: 'A verb that contracts may use, with what holds unless a contract says otherwise.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The verb.' }),
    description: t.exposeString('description', { description: 'What it does.' }),
    risk: t.field({ type: ToolRiskEnum, description: 'Its risk.', resolve: ({ risk }) => risk }),
    destructive: t.exposeBoolean('destructive', { description: 'It destroys something.' }),
    scope: t.exposeString('scope', {
      description: 'How many records a call changes: `none`, `one` or `many`.',
    }),
    money: t.exposeBoolean('money', {
      description: 'It moves money, so the contract should name its `amount_field`.',
    }),
  }),
});

const Connector = builder.objectRef<(typeof CONNECTORS)[number]>('ToolConnectorEntry').implement({
  description: 'What can carry actions out.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The connector.' }),
    status: t.exposeString('status', {
      description: '`available`, or `roadmap`: announced, and refused until it is built.',
    }),
    description: t.exposeString('description', { description: 'What it does.' }),
  }),
});

const DecisionGuard = builder.objectRef<PublishedGuard>('ToolDecisionGuard').implement({
  description: 'A row of the decision table; the first one that applies decides.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Its name, as decisions give it.' }),
    outcome: t.field({
      type: ToolDecisionEnum,
      description: 'What follows where it applies.',
      resolve: ({ outcome }) => outcome,
    }),
    description: t.exposeString('description', { description: 'When it applies.' }),
  }),
});

const CallerLimit = builder.objectRef<PublishedLimit>('ToolCallerLimit').implement({
  description: 'What a kind of caller may do without an approval.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The kind of caller.' }),
    description: t.exposeString('description', { description: 'Who that is.' }),
    recordsMax: t.exposeInt('records_max', { description: 'Records changed in one call.' }),
    amountRubMax: t.field({
      type: 'Rub',
      description: 'Money moved in one call, unless the contract says its own.',
      resolve: ({ amount_rub_max: text }) => parseRub(text) ?? 0n,
    }),
  }),
});

/** Nothing but the lists that the rules read. */
const REFERENCE = {};

const ToolsReference = builder.objectRef<typeof REFERENCE>('ToolsReference').implement({
  description: 'The lists that contracts, decisions and calls are made of.',
  fields: (t) => {
    const words = (description: string, rows: readonly VocabularyRow<string>[]) =>
      t.field({ type: [Word], description, resolve: () => [...rows] });
    return {
      verbs: t.field({
        type: [Verb],
        description: 'The verbs that contracts may use.',
        resolve: () => [...VERBS],
      }),
      riskLevels: words('Levels of risk, mildest first.', RISK_LEVELS),
      approvalStatuses: words('How far the approval of a call can be.', APPROVAL_STATUSES),
      callStatuses: words('How far a call can be.', CALL_STATUSES),
      decisions: words('What the action policy can decide.', DECISIONS),
      failures: words('Why a call can fail or be voided.', CALL_FAILURES),
      connectors: t.field({
        type: [Connector],
        description: 'The connector registry.',
        resolve: () => [...CONNECTORS],
      }),
      decisionTable: t.field({
        type: [DecisionGuard],
        description: 'The action policy, in the order in which it decides.',
        resolve: () => [...PUBLISHED_GUARDS],
      }),
      callerLimits: t.field({
        type: [CallerLimit],
        description: 'What each kind of caller may do without an approval.',
        resolve: () => [...PUBLISHED_LIMITS],
      }),
    };
  },
});

builder.queryField('toolsReference', (t) =>
  t.field({
    type: ToolsReference,
    description: 'Verbs, risk levels, statuses, connectors and the decision table of tools.',
    complexity: { field: 1, multiplier: 1 },
    resolve: () => REFERENCE,
  }),
);
