import { KEY_OUTLIVING } from '../../access/keys/outliving.js';
import { ANOMALY_TOLD, PAUSE_TOLD } from '../../finops/anomalies/feed-payload.js';
import { ANOMALY_EVENTS } from '../../finops/anomalies/vocabulary.js';
import { ALERT_FACTS } from '../../finops/budgets/alert-feed.js';
import { PRICE_CHANGE_TOLD } from '../../finops/costs/price-notice-payload.js';
import type { Permission } from '../../graph/permissions.js';
import {
  bigInteger,
  code,
  type FieldTable,
  fieldTable,
  flag,
  instant,
  integer,
  money,
  optional,
  sha256,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { type VocabularyRow, vocabulary } from '../../kernel/vocabulary.js';
import { LEDGER_TYPES, USAGE_OPERATIONS, USAGE_STATUSES } from '../../money/billing/vocabulary.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { APPROVAL_EVENTS } from '../../records/approvals/events.js';
import { APPROVAL_EXECUTIONS, APPROVAL_STATUSES } from '../../records/approvals/vocabulary.js';
import { DISABLE_REASONS } from './vocabulary.js';

/** What a type of events carries in `data`, and where it comes from. */
interface EventTypeRow extends VocabularyRow {
  /** The feed that it comes from; null for what is not in a feed. */
  readonly feed: string | null;
  /** What whoever subscribes to it must be able to read anyway. */
  readonly permission: Permission;
  /** Part of what an endpoint gets that names no types. */
  readonly byDefault: boolean;
  readonly data: FieldTable;
}

/** The approval as it was right after the event; free text of people is read by its id. */
export const APPROVAL_DATA = fieldTable('WebhookApprovalData', 'An approval after an event.', {
  approvalId: uuid('The approval; GET /v1/gw/approvals/{id} shows what is asked.'),
  kind: text('What kind of thing waits: a code of the reference `approvals.kind`.'),
  subjectId: text('What waits: the id of the call, action, migration or exception.'),
  status: code(APPROVAL_STATUSES, 'Whether it waits, and how it was decided.'),
  execution: code(APPROVAL_EXECUTIONS, 'How far the execution of what was approved has come.'),
  requestedBy: uuid('The member or key that asked.'),
  decidedBy: optional(uuid('Who decided; null while nobody has.')),
  selfApproved: flag('True when the requester decided because nobody else could.'),
});

/** A receipt that was sealed. */
export const RECEIPT_DATA = fieldTable('WebhookReceiptData', 'A receipt that was sealed.', {
  receiptId: uuid('The receipt; `node(id)` and the path of its kind show its content.'),
  kind: text('The kind of the receipt, such as `tool_call`.'),
  type: text('Its GraphQL type, such as `ToolCallReceipt`.'),
  position: bigInteger('Its place in the chain of the organization, from 1.'),
  sha256: sha256('Of its content.'),
  sealedAt: instant('When it was sealed.'),
});

/** A line of the ledger that moved funds. */
export const LEDGER_DATA = fieldTable('WebhookLedgerData', 'A line of the ledger.', {
  requestId: uuid('The request or operation it belongs to; with the type it is unique.'),
  type: code(LEDGER_TYPES, 'The kind of operation.'),
  chargedRequestId: optional(uuid('The request whose charge a refund gives back.')),
  sequence: bigInteger('Position in the ledger of the account, without gaps.'),
  amountMicro: money('The amount, VAT included.'),
  vatMicro: money('The VAT inside the amount.'),
  postedDeltaMicro: money('Change of what the account owns.'),
  postedAfterMicro: money('What the account owned after it.'),
});

/** One request as it was billed: never prompt or answer. */
export const USAGE_DATA = fieldTable('WebhookUsageData', 'A request as it was billed.', {
  requestId: uuid('The request; joins to the ledger.'),
  projectId: uuid('The project that the request was made in.'),
  keyId: optional(uuid('The key, if one.')),
  userId: optional(uuid('The member, if one asked with a token.')),
  operation: code(USAGE_OPERATIONS, 'What was asked of a model.'),
  requestedModel: text('The model asked for.'),
  model: text('The model that answered.'),
  provider: text('The provider that answered.'),
  simulated: flag('True when the sandbox answered.'),
  inputTokens: integer('Prompt tokens of every price class.'),
  outputTokens: integer('Tokens of the answer, reasoning among them.'),
  amountMicro: money('Charged, VAT included.'),
  vatMicro: money('The VAT inside the amount.'),
  status: code(USAGE_STATUSES, 'How the request ended.'),
  errorCode: optional(text('The error code of a failed request.')),
  latencyMs: integer('From arrival to the last byte.'),
});

/** A soft alert of a budget; what the budget is called is read by its id. */
export const ALERT_DATA = fieldTable('WebhookBudgetAlertData', 'A soft alert of a budget.', {
  alertId: uuid('The alert.'),
  ...ALERT_FACTS,
});

/** An endpoint that the gateway has stopped to deliver to. */
export const DISABLED_DATA = fieldTable('WebhookDisabledData', 'An endpoint that was disabled.', {
  endpointId: uuid('The endpoint that gets nothing any more.'),
  reason: code(DISABLE_REASONS, 'Why the gateway has stopped.'),
  failingSince: optional(instant('The first failure since its last success.')),
});

/** The same in the feed, whose subject is the endpoint. */
export const DISABLED_FACTS = fieldTable('WebhookDisabledFacts', 'Why an endpoint was disabled.', {
  reason: code(DISABLE_REASONS, 'Why the gateway has stopped.'),
  failingSince: optional(instant('The first failure since its last success.')),
});

/** What a test sends. */
export const TEST_DATA = fieldTable('WebhookTestData', 'A message that tests an endpoint.', {
  endpointId: uuid('The endpoint that is tested.'),
  sentBy: uuid('The member or key that asked for the test.'),
});

/** The type of the event that a test sends. */
export const TEST_EVENT = 'webhook.test';
/** The feed of what happens to endpoints, and its event. */
export const ENDPOINT_FEED = 'webhooks';
export const ENDPOINT_DISABLED = 'webhook_endpoint.disabled';

const APPROVALS = APPROVAL_EVENTS.map(
  (event): EventTypeRow => ({
    code: `approval.${event.code}`,
    description: event.description,
    feed: 'approvals',
    permission: 'approvals.read',
    byDefault: true,
    data: APPROVAL_DATA as unknown as FieldTable,
  }),
);

/** How an event of the feed of anomalies is called among the types; each has a table of its own. */
export const ANOMALY_TYPES_SENT = new Map<string, { type: string; data: FieldTable }>([
  ['anomaly', { type: 'anomaly.found', data: ANOMALY_TOLD as unknown as FieldTable }],
  ['budget_alert', { type: 'budget.alert', data: ALERT_DATA as unknown as FieldTable }],
  ...(['key_outlives_maker', 'key_outliving_ended'] as const).map(
    (event) =>
      [
        event,
        { type: event.replace('_', '.'), data: KEY_OUTLIVING as unknown as FieldTable },
      ] as const,
  ),
  ...(['price_change', 'price_change_withdrawn'] as const).map(
    (event) =>
      [
        event,
        {
          type: event === 'price_change' ? 'price.announced' : 'price.withdrawn',
          data: PRICE_CHANGE_TOLD as unknown as FieldTable,
        },
      ] as const,
  ),
  ...['paused', 'under_review', 'resumed', 'cleared'].map(
    (event) =>
      [event, { type: `spend.${event}`, data: PAUSE_TOLD as unknown as FieldTable }] as const,
  ),
]);

const ANOMALIES = ANOMALY_EVENTS.rows.flatMap((event): EventTypeRow[] => {
  const sent = ANOMALY_TYPES_SENT.get(event.code);
  if (!sent) return [];
  return [
    {
      code: sent.type,
      description: event.description,
      feed: ANOMALY_FEED.name,
      permission: 'anomalies.read',
      byDefault: true,
      data: sent.data,
    },
  ];
});

const OTHERS: readonly EventTypeRow[] = [
  {
    code: 'receipt.sealed',
    description: 'A receipt was sealed, of whatever kind.',
    feed: 'receipts',
    permission: 'receipts.read',
    byDefault: true,
    data: RECEIPT_DATA as unknown as FieldTable,
  },
  {
    code: ENDPOINT_DISABLED,
    description: 'The gateway has stopped to deliver to an endpoint of the organization.',
    feed: ENDPOINT_FEED,
    permission: 'webhooks.read',
    byDefault: true,
    data: DISABLED_DATA as unknown as FieldTable,
  },
  {
    code: 'ledger.posted',
    description: 'The funds of the account have changed: a top-up, charge, credit or correction.',
    feed: 'ledger',
    permission: 'billing.read',
    byDefault: false,
    data: LEDGER_DATA as unknown as FieldTable,
  },
  {
    code: 'usage.settled',
    description: 'A request was settled; one event for each request.',
    feed: 'usage',
    permission: 'usage.read',
    byDefault: false,
    data: USAGE_DATA as unknown as FieldTable,
  },
  {
    code: TEST_EVENT,
    description: 'Somebody tests the endpoint; every endpoint gets its own tests unasked.',
    feed: null,
    permission: 'webhooks.read',
    byDefault: false,
    data: TEST_DATA as unknown as FieldTable,
  },
];

/** All types of events that are sent: which feed each comes from, and what it carries. */
export const EVENT_TYPES = vocabulary('WebhookEventType', 'What an endpoint can be told of.', [
  ...APPROVALS,
  ...ANOMALIES,
  ...OTHERS,
]);

/** What an endpoint can ask for: everything that comes from a feed. */
export const SUBSCRIBABLE = vocabulary(
  'WebhookSubscribableType',
  'What an endpoint can subscribe to.',
  EVENT_TYPES.rows.filter(({ feed }) => feed !== null),
);

/** What an endpoint gets that names no types. */
export const DEFAULT_TYPES: readonly string[] = SUBSCRIBABLE.rows.flatMap((row) =>
  row.byDefault ? [row.code] : [],
);

/** The feeds that types of events come from, each once. */
export function feedsOf(types: readonly string[]): string[] {
  return [...new Set(types.flatMap((type) => EVENT_TYPES.find(type)?.feed ?? []))];
}
