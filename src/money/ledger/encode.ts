import type {
  ChargeOp,
  CheckpointOp,
  HoldOp,
  Overrun,
  ReleaseOp,
  RequestRef,
  SettleOp,
} from './ledger.js';
import type { KnownUsage, PricesUsed, UsageRecord } from './usage-record.js';
import type { Encoded } from './waiting.js';

// An operation is turned into its JSON text when it is accepted. The same text goes into every
// attempt of its batch and into the write-ahead file.

/** A hold that counts against no budget is a common one. */
export function encodeHold(op: HoldOp): Encoded {
  const amount = op.amountMicro.toString();
  const text = storable({
    kind: 'hold',
    account: op.accountId,
    request: op.requestId,
    amount,
    key: op.keyId,
    member: op.userId,
    budgets: op.budgetIds,
    beyond: op.beyondBudgetIds,
    controls: op.controls,
    usage: op.usage && knownRow(op.usage),
  });
  return { kind: 'hold', lane: op.budgetIds.length > 0 ? 'rest' : 'hold', amount, text };
}

/** A charge that writes no more than its usage row is a common one. */
export function encodeSettle(op: SettleOp): Encoded {
  const amount = op.amountMicro.toString();
  const text = storable({
    kind: 'finalize',
    account: op.accountId,
    request: op.requestId,
    amount,
    final: op.delivered === true ? true : undefined,
    usage: usageRow(op.usage),
    overrun: op.overrun && overrunRow(op.overrun),
    answer: op.answer?.toString('base64'),
  });
  return { kind: 'finalize', lane: op.overrun || op.answer ? 'rest' : 'charge', amount, text };
}

/** The charge of what was not held before. It becomes final by a mark of its own. */
export function encodeCharge(op: ChargeOp): Encoded {
  const amount = op.amountMicro.toString();
  const text = storable({
    kind: 'finalize',
    account: op.accountId,
    request: op.requestId,
    amount,
    own_hold: true,
    key: op.keyId,
    member: op.userId,
    controls: op.controls,
    usage: usageRow(op.usage),
    overrun: op.overrun && overrunRow(op.overrun),
  });
  return { kind: 'charge', lane: op.overrun ? 'rest' : 'charge', amount, text };
}

const CHARGES = '{"kind":"finalize"';

/** The same as the two operations that it stands for: its hold, and what charges it. */
export function inTwo(charge: string): string {
  return `{"kind":"hold"${charge.slice(CHARGES.length)},${charge}`;
}

const MOSCOW_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Moscow' });

const DATED = '{"supplied_on":';

/**
 * The same operation with its day of supply written into it: the tax follows that day, also when
 * the database takes the operation on a later one.
 */
export function datedText(text: string, at: Date): string {
  if (text.startsWith(DATED)) return text;
  return `${DATED}"${MOSCOW_DAY.format(at)}",${text.slice(1)}`;
}

/** A release. */
export function encodeRelease(op: ReleaseOp): Encoded {
  const text = storable({
    kind: 'release',
    account: op.accountId,
    request: op.requestId,
    usage: op.usage && usageRow(op.usage),
  });
  return { kind: 'release', lane: 'rest', amount: null, text };
}

/** A checkpoint. */
export function encodeCheckpoint(op: CheckpointOp): Encoded {
  const text = storable({
    kind: 'checkpoint',
    account: op.accountId,
    request: op.requestId,
    amount: op.amountMicro.toString(),
    usage: usageRow(op.usage),
  });
  return { kind: 'checkpoint', lane: 'rest', amount: null, text };
}

/** The mark that the last byte of an answer has left. */
export function encodeDelivered({ accountId, requestId }: RequestRef): Encoded {
  const text = JSON.stringify({ kind: 'delivered', account: accountId, request: requestId });
  return { kind: 'delivered', lane: 'mark', amount: null, text };
}

const INT8_MAX = 9_223_372_036_854_775_807n;

/** What an upstream claims may be any number; a row takes those of 64 bits. */
function overrunRow(overrun: Overrun): Record<string, unknown> {
  const costMicro = overrun.costMicro > INT8_MAX ? INT8_MAX : overrun.costMicro;
  return {
    cost: costMicro.toString(),
    provider: overrun.provider,
    model: overrun.model,
    raw_usage: figuresOf(overrun.rawUsage),
    input_tokens_max: overrun.inputTokensMax,
    output_tokens_max: overrun.outputTokensMax,
  };
}

function knownRow(usage: KnownUsage): Record<string, unknown> {
  return {
    project_id: usage.projectId,
    key_id: usage.keyId,
    user_id: usage.userId,
    operation: usage.operation,
    requested_model: usage.requestedModel,
    model: usage.model,
    provider: usage.provider,
    route: usage.route,
    simulated: usage.simulated,
    feature: usage.feature,
    environment: usage.environment,
    client_id: usage.clientId,
    streamed: usage.streamed,
    data_class: usage.dataClass,
    metadata: usage.metadata,
  };
}

/** One object in one literal: spreading the known part into it takes longer than all the rest. */
function usageRow(usage: UsageRecord): Record<string, unknown> {
  const { tokens } = usage;
  return {
    project_id: usage.projectId,
    key_id: usage.keyId,
    user_id: usage.userId,
    operation: usage.operation,
    requested_model: usage.requestedModel,
    model: usage.model,
    provider: usage.provider,
    route: usage.route,
    simulated: usage.simulated,
    feature: usage.feature,
    environment: usage.environment,
    client_id: usage.clientId,
    input_uncached: int4(tokens.inputUncached),
    input_cached: int4(tokens.inputCached),
    cache_write: int4(tokens.cacheWrite),
    output_text: int4(tokens.outputText),
    output_reasoning: int4(tokens.outputReasoning),
    raw_usage: figuresOf(usage.rawUsage),
    usage_source: usage.usageSource,
    prices: pricesRow(usage.prices),
    status: usage.status,
    error_code: usage.errorCode,
    http_status: int4(usage.httpStatus),
    finish_reason: finishReason(usage.finishReason),
    streamed: usage.streamed,
    latency_ms: int4(usage.latencyMs),
    time_to_first_token_ms: optionalInt4(usage.timeToFirstTokenMs),
    upstream_ms: optionalInt4(usage.upstreamMs),
    overhead_us: int4(usage.overheadUs),
    attempts: int4(usage.attempts),
    policy_versions: usage.policyVersions,
    data_class: usage.dataClass,
    firewall_findings: usage.firewallFindings,
    metadata: usage.metadata,
  };
}

function pricesRow(prices: PricesUsed): Record<string, string> {
  return {
    effective_from: prices.effectiveFrom,
    input_uncached: prices.inputUncached.toString(),
    input_cached: prices.inputCached.toString(),
    cache_write: prices.cacheWrite.toString(),
    output_text: prices.outputText.toString(),
    output_reasoning: prices.outputReasoning.toString(),
  };
}

const INT4_MAX = 2_147_483_647;

/** A count that an int4 column takes: a fraction or a NaN must not make the charge fail. */
function int4(value: number): number {
  return value > 0 ? Math.min(INT4_MAX, Math.round(value)) : 0;
}

function optionalInt4(value: number | undefined): number | undefined {
  return value === undefined ? undefined : int4(value);
}

const RAW_CHARACTERS_MAX = 16_384;
const RAW_MEMBER_CHARACTERS_MAX = 512;
const RAW_MEMBERS_MAX = 32;

const RAW_LEVELS_MAX = 4;
const RAW_NAME = /^[a-z][a-z_]{0,63}$/i;

/**
 * The figures that an upstream claims, under names that could be those of figures. Books are never
 * erased, so no text of an upstream may stand in them: it may repeat a prompt.
 */
function figuresOf(raw: unknown): unknown {
  const figures = figuresIn(raw, RAW_LEVELS_MAX) ?? null;
  const length = (value: unknown) => JSON.stringify(value)?.length ?? 0;
  if (typeof figures !== 'object' || figures === null) return null;
  if (length(figures) <= RAW_CHARACTERS_MAX) return figures;
  const short = Object.entries(figures).filter(
    ([name, value]) => name.length + length(value) <= RAW_MEMBER_CHARACTERS_MAX,
  );
  return Object.fromEntries(short.slice(0, RAW_MEMBERS_MAX));
}

/** What of a value is figures; undefined for what holds none. */
function figuresIn(value: unknown, levels: number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || levels === 0) return undefined;
  const isList = Array.isArray(value);
  const members = Object.entries(value)
    .filter(([name]) => isList || RAW_NAME.test(name))
    .map(([name, member]) => [name, figuresIn(member, levels - 1)] as const)
    .filter(([, member]) => member !== undefined);
  return isList ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** Why answers end, as upstreams call it. What none of them says is a text that may be any. */
const FINISH_REASONS: ReadonlySet<string> = new Set([
  ...['stop', 'length', 'tool_calls', 'function_call', 'content_filter', 'error'],
  ...['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal', 'eos'],
  ...['blacklist', 'safety', 'recitation', 'insufficient_system_resource', 'alternative'],
]);

function finishReason(given: string | undefined): string | undefined {
  return given === undefined || FINISH_REASONS.has(given.toLowerCase()) ? given : 'other';
}

/** As JSON.stringify spells them. */
const NOT_STORABLE = /\\u0000|\\ud[89a-f]/;

/**
 * JSON that jsonb takes. It refuses NUL and halves of surrogate pairs, which client metadata or an
 * upstream's usage object may hold; they must not make the charge fail either.
 */
function storable(value: Record<string, unknown>): string {
  const text = JSON.stringify(value);
  // Most rows have no escape at all, which is found out faster.
  const isStorable = !text.includes('\\u') || !NOT_STORABLE.test(text);
  return isStorable ? text : JSON.stringify(clean(value));
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [cleanText(name), clean(member)]),
  );
}

/** Through UTF-8 and back, halves of surrogate pairs become U+FFFD. */
function cleanText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '');
}
