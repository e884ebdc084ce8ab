import type { PoolClient } from 'pg';
import { sharedNowMs } from '../../kernel/clock.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { named } from '../../platform/database/pool.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { publishBy } from '../../records/feed-writer.js';
import { EACH_REF, EVERY_REF } from '../budgets/vocabulary.js';
import { ANOMALY_TOLD } from './feed-payload.js';
import { type Judged, judge, typeRow } from './judge.rules.js';
import { STANDING_RULES } from './standing-rules.js';
import type { Severity } from './vocabulary.js';
import {
  addHours,
  forecastsOf,
  keepStates,
  type OwnRule,
  rulesOf,
  statesOf,
  weeksOf,
} from './watch-store.js';
import type { WatchedScope } from './watched-usage.js';
import {
  comparedIn,
  driversIn,
  folded,
  requestsIn,
  type WatchState,
  type Window,
} from './window.rules.js';

/** Requests older than this when they are read are remembered and no longer judged. */
const LIVE_MINUTES = 15;

/** A rule with who published it; nobody has published a standing one. */
interface Applied {
  readonly rule: OwnRule['rule'];
  readonly by: string | null;
}

interface Found extends Applied {
  readonly scope: WatchedScope;
  readonly judged: Judged;
  readonly severity: Severity;
  readonly window: Window;
}

/**
 * Judges the scopes that the requests of a batch of usage name by the standing rules and those of
 * their organizations, and writes what it finds with its events. A rule that is triggered for a
 * scope rests for the length of its window.
 * @returns how grave each is that was found
 * @param client sees the rows of all tenants, in the transaction that moves the mark
 */
export async function findAnomalies(
  client: PoolClient,
  scopes: readonly WatchedScope[],
): Promise<readonly Severity[]> {
  if (scopes.length === 0) return [];
  const before = await statesOf(client, scopes);
  const states = scopes.map(({ requests }, index) => folded(before.get(index), requests));
  const rules = await rulesOf(client, [...new Set(scopes.map(({ tenantId }) => tenantId))]);
  const minute = Math.floor(sharedNowMs() / 60_000);
  const weeks = await weeksOf(client, scopes, Math.floor(minute / 60));
  const asksForecast = [...rules.values()].flat().some(({ rule }) => isOfForecast(rule));
  const forecasts = asksForecast ? await forecastsOf(client, scopes) : new Map();
  const found: Found[] = [];
  const kept = scopes.map((scope, index) => {
    const state = states[index] ?? folded(undefined, scope.requests);
    const around = { weeks: weeks.get(index) ?? [], forecast: forecasts.get(index) };
    const own = judgedScope(scope, state, around, { minute, own: rules.get(scope.tenantId) ?? [] });
    found.push(...own);
    const fired = Object.fromEntries(own.map(({ rule, window }) => [rule.ruleKey, window.minute]));
    return { ...state, fired: { ...state.fired, ...fired } };
  });
  await keepStates(client, scopes, kept);
  await addHours(client, scopes);
  for (const each of found) await write(client, each);
  return found.map(({ severity }) => severity);
}

function isOfForecast({ type }: OwnRule['rule']): boolean {
  return type === 'spend_over_forecast';
}

/**
 * `each` follows each reference for itself, as `*` did in rules that were published before the two
 * were told apart; what is taken together has the reference `*` itself.
 */
function concernsRef({ scopeRef, together }: OwnRule['rule'], ref: string): boolean {
  const isOfEach = scopeRef === EACH_REF || (scopeRef === EVERY_REF && together !== true);
  return isOfEach ? ref !== EVERY_REF : scopeRef === ref;
}

interface Judging {
  readonly minute: number;
  readonly own: readonly OwnRule[];
}

function judgedScope(
  scope: WatchedScope,
  state: WatchState,
  around: Pick<Window, 'weeks' | 'forecast'>,
  { minute: now, own }: Judging,
): Found[] {
  const minute = scope.requests.at(-1)?.minute ?? 0;
  if (minute < now - LIVE_MINUTES) return [];
  const standing = STANDING_RULES.map((rule) => ({ rule, by: null }));
  return [...standing, ...own].flatMap((applied: Applied): Found[] => {
    const { rule } = applied;
    const { windowMinutes, requestsMin, type, threshold, ruleKey } = rule;
    const concerns = rule.scope === scope.scope && concernsRef(rule, scope.ref);
    const rests = (state.fired[ruleKey] ?? Number.NEGATIVE_INFINITY) > minute - windowMinutes;
    if (!concerns || rests) return [];
    const fresh = scope.requests.length;
    const window = { state, minute, windowMinutes, fresh, ...around };
    const compared = requestsIn(type, window) < requestsMin ? undefined : comparedIn(type, window);
    const judged = compared && judge(type, threshold, compared);
    const severity = judged?.triggered ? judged.severity : null;
    return judged && severity ? [{ ...applied, scope, judged, severity, window }] : [];
  });
}

const WRITE_SQL = `
  INSERT INTO anomaly (id, tenant_id, rule_key, type, scope_kind, scope_ref, metric, observed,
    expected, threshold, method, severity, action, rule_by, window_start, window_end, request_ids)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
    to_timestamp($15::bigint * 60), clock_timestamp(), $16::uuid[])`;

async function write(client: PoolClient, { scope, rule, by, judged, severity, window }: Found) {
  const id = newId('Anomaly');
  const metric = metricOf(rule.type);
  const { observed, expected, limit, method } = judged;
  const { tenantId, scope: kind, ref } = scope;
  const requestIds = driversIn(rule.type, window);
  await named(client, 'anomaly_write', WRITE_SQL, [
    ...[id, tenantId, rule.ruleKey, rule.type, kind, ref, metric],
    ...[observed, expected, limit, method, severity, rule.action, by],
    ...[window.minute - window.windowMinutes + 1, requestIds],
  ]);
  const payload = sealedContent(ANOMALY_TOLD.fields, {
    anomalyId: id,
    ruleKey: rule.ruleKey,
    type: rule.type,
    scope: kind,
    scopeRef: ref,
    ...{ metric, observed, expected, limit, method, severity },
    action: rule.action,
    requestIds,
  });
  const event = { feed: ANOMALY_FEED.name, type: 'anomaly', subjectId: id, payload };
  await publishBy(client, { tenantId, ...event }, requestIds.at(-1) ?? null);
}

/** The metric under its name on the wire; what is compared live is in rubles, tokens or counts. */
function metricOf(type: OwnRule['rule']['type']): string {
  const { observed } = typeRow(type);
  return observed
    .replace(/Micro$/, 'Rub')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
