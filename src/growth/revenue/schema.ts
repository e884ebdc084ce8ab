import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { code, defaulting, object, optional, text, uuid } from '../../kernel/fields/field.js';
import { partnerSummary, registerAttribution } from './attributions.js';
import { recordLeadEvent } from './events.js';
import { type PipelineWithRows, readPipeline } from './pipeline.js';
import { createQuote } from './quotes.js';
import { QUOTES } from './records.js';
import './reference.js';
import { scoreAccount } from './score.js';
import { adviceOf, type Derived, deriveSignals, resolveSignal } from './signals.js';
import {
  ACCOUNT,
  ATTRIBUTION_INPUT,
  EVENT_INPUT,
  PARTNER_SUMMARY,
  PIPELINE_FIELDS,
  QUOTE_INPUT,
  RECORDED_ATTRIBUTION,
  RECORDED_EVENT,
  RESOLVE_INPUT,
  SCORE,
  SIGNAL_ADVICE,
  SIGNAL_FIELDS,
} from './tables.js';
import { REF_LENGTH_MAX, SIGNAL_STATUSES } from './vocabulary.js';

const READ = { can: 'revenue.read' } as const;
const WRITE = { can: 'revenue.write' } as const;
/** Scores and pipelines read sums over usage. */
const REPORT = { field: 30, multiplier: 1 } as const;

const RevenueSignal = builder.prismaNode('RevenueSignal', {
  id: { field: 'id', description: 'The id of the signal.' },
  description: 'What events of an account amount to, and what to do about it.',
  fields: (t) => ({
    ...storedFields(t, SIGNAL_FIELDS),
    ...shownFields(t, SIGNAL_ADVICE, adviceOf),
  }),
});

const DerivedSignals = builder.objectRef<Derived>('RevenueDerivation').implement({
  description: 'What the events of an account amount to.',
  fields: (t) => ({
    accountRef: t.exposeString('accountRef', { description: ACCOUNT.description }),
    events: t.exposeInt('events', {
      description: 'Events that were looked at: the latest thousand of the last 90 days.',
    }),
    derived: t.field({
      type: [RevenueSignal],
      description: 'Signals that were not there before; empty where nothing new has happened.',
      resolve: ({ derived }) => derived as never,
    }),
    open: t.field({
      type: [RevenueSignal],
      description: 'All signals of the account that nobody has closed, the newest first.',
      resolve: ({ open }) => open as never,
    }),
  }),
});

const PipelineType = builder.objectRef<PipelineWithRows>('RevenuePipeline').implement({
  description: 'Stages, signals and quotes of all accounts with events, and what may be sold.',
  fields: (t) => ({
    ...shownFields(t, PIPELINE_FIELDS, ({ pipeline }) => pipeline),
    topSignals: t.field({
      type: [RevenueSignal],
      description: 'Signals that nobody has closed, the newest first; at most 20.',
      resolve: ({ topSignals }) => topSignals as never,
    }),
    quotes: t.field({
      type: [QUOTES.type],
      description: 'The latest quote of each account that is shown.',
      resolve: ({ quotes }) => [...quotes],
    }),
  }),
});

ownList({
  field: 'revenueSignals',
  type: RevenueSignal,
  description: 'Signals, open ones unless asked otherwise, newest first.',
  permission: 'revenue.read',
  by: {
    status: defaulting(code(SIGNAL_STATUSES, 'Only signals that stand so.'), 'open'),
    accountRef: optional(text('Only signals of this account.', { max: REF_LENGTH_MAX })),
  },
});

builder.queryFields((t) => ({
  revenueScore: t.field({
    type: outputOf(SCORE),
    description: 'The score of an account from fit, intent, usage and trust, and its stage.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, { accountRef: ACCOUNT }),
    resolve: (_root, { accountRef }, ctx) => scoreAccount(authorized(ctx), accountRef),
  }),
  revenuePartnerSummary: t.field({
    type: outputOf(PARTNER_SUMMARY),
    description: 'What the attributions of a partner amount to.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, { partnerRef: text('The partner, as you call it.', { max: REF_LENGTH_MAX }) }),
    resolve: (_root, { partnerRef }, ctx) => partnerSummary(authorized(ctx), partnerRef),
  }),
  revenuePipeline: t.field({
    type: PipelineType,
    description: 'Where the accounts of the organization are, and what may be sold.',
    authScopes: READ,
    complexity: REPORT,
    resolve: (_root, _args, ctx) => readPipeline(authorized(ctx)),
  }),
}));

builder.mutationFields((t) => ({
  revenueEventRecord: t.field({
    type: outputOf(RECORDED_EVENT),
    description:
      'Records an event of the own account or of a client; a named one is recorded once.',
    authScopes: { can: 'revenue.record' },
    args: argsOf(t, { input: object(EVENT_INPUT, 'What has happened.') }),
    resolve: (_root, { input }, ctx) => recordLeadEvent(authorized(ctx), input),
  }),
  revenueSignalsDerive: t.field({
    type: DerivedSignals,
    description: 'Derives the signals of an account; an event serves a rule once.',
    authScopes: WRITE,
    args: argsOf(t, { accountRef: ACCOUNT }),
    resolve: (_root, { accountRef }, ctx) => deriveSignals(authorized(ctx), accountRef),
  }),
  revenueSignalResolve: t.field({
    type: RevenueSignal,
    description: 'Closes a signal as won, lost or dismissed, once.',
    authScopes: WRITE,
    args: argsOf(t, {
      id: uuid('The signal, by its id.'),
      input: object(RESOLVE_INPUT, 'What became of it.'),
    }),
    resolve: (_root, { id, input }, ctx) => resolveSignal(authorized(ctx), id, input) as never,
  }),
  revenueQuoteCreate: t.field({
    type: QUOTES.type,
    description: 'Makes a quote of a package; a margin below 25 percent is warned of.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(QUOTE_INPUT, 'What is offered to whom.') }),
    resolve: (_root, { input }, ctx) => createQuote(authorized(ctx), input),
  }),
  partnerAttributionRegister: t.field({
    type: outputOf(RECORDED_ATTRIBUTION),
    description: 'Attributes a client to a partner, once for each source.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(ATTRIBUTION_INPUT, 'What the partner did.') }),
    resolve: (_root, { input }, ctx) => registerAttribution(authorized(ctx), input),
  }),
}));
