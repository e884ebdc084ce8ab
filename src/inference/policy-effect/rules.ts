import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import {
  UNREAD_KINDS,
  type UnreadKind,
  type UnreadMode,
  unreadDataClass,
} from '../../kernel/firewall/contents.js';
import { type DataClassSource, highestDataClass } from '../../kernel/firewall/data-class.rules.js';
import type { DataClass, FindingClass } from '../../kernel/firewall/vocabulary.js';
import type { MicroRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { MemoryCounters } from '../../platform/counters/memory.js';
import { isAutomatic } from '../../routing/automatic.js';
import { openRoutes } from '../../routing/data-routes.rules.js';
import type { FindingCount } from '../firewall/finding.js';
import { remainingDataClass } from '../firewall/finding.js';
import { isAllowed, limitsOf, refusalOf } from '../stages/admit.js';
import type { EffectKind, REASON_FIELDS, TOTAL_FIELDS } from './tables.js';

/** A recorded request, as far as a policy can judge it. Times in epoch milliseconds. */
export interface PastRequest {
  readonly arrivedMs: number;
  readonly latencyMs: number;
  /** As the client named it; of an alias, what it stood for. */
  readonly requestedModel: string;
  readonly model: string;
  readonly route: string;
  readonly tokens: number;
  readonly outputTokens: number;
  readonly amountMicro: bigint;
  /** The highest class of all sources. */
  readonly dataClass: DataClass;
  /** Who said which class; null where only the firewall did. */
  readonly sources:
    | readonly { readonly source: DataClassSource; readonly data_class: DataClass }[]
    | null;
  readonly findings: Readonly<Partial<Record<FindingClass, number>>>;
  /** How much content nothing read, by kind; null where there was none. */
  readonly unread: Readonly<Partial<Record<UnreadKind, number>>> | null;
}

/** Sources whose class follows from the policies, or from what the firewall found under them. */
const DECIDED_ANEW: ReadonlySet<DataClassSource> = new Set([
  'firewall',
  'project_policy',
  'unread',
]);

/** Caps of the policies together: each is checked for itself, as the ledger does. */
export interface Caps {
  readonly dailyMicro: readonly bigint[];
  readonly monthlyMicro: readonly bigint[];
}

/** What a policy would have done to a request; undefined where it would have passed as it did. */
type PastVerdict = { readonly kind: EffectKind; readonly reason: string } | undefined;

/**
 * Judges recorded requests in the order of their arrival by the code that enforces policies: the
 * same limits on the same buckets with the clock of the records, the same routes, the same modes.
 * Only what a blocked request would have changed later stays unknown: it is taken as not retried.
 */
class PolicyReplay {
  private nowMs = 0;
  private readonly counters = new MemoryCounters(() => this.nowMs);
  private readonly spent = new Map<string, bigint>();

  constructor(
    private readonly policy: EffectivePolicy,
    private readonly caps: Caps,
  ) {}

  /** The verdict on the next request; a request that passes uses up limits and budgets. */
  judge(request: PastRequest): PastVerdict {
    this.nowMs = request.arrivedMs;
    return (
      this.judgeModel(request) ??
      this.judgeLimits(request) ??
      this.judgeData(request) ??
      this.judgeBudgets(request) ??
      this.judgeOutput(request)
    );
  }

  private judgeModel(request: PastRequest): PastVerdict {
    if (!isAllowed(this.policy, request.requestedModel)) {
      return { kind: 'blocked', reason: 'model_not_allowed' };
    }
    const other = this.policy.allowedModels?.has(request.model) === false;
    if (other && isAutomatic(request.requestedModel)) {
      return { kind: 'degraded', reason: 'another_model' };
    }
    return undefined;
  }

  private judgeLimits(request: PastRequest): PastVerdict {
    const limits = limitsOf(this.policy, {
      projectId: 'replay',
      slot: String(this.nowMs) + request.model,
      leaseMs: request.latencyMs,
      tokens: request.tokens,
    });
    const { refused } = this.counters.take(limits);
    if (refused === undefined) return undefined;
    return { kind: 'blocked', reason: refusalOf(limits[refused]) };
  }

  private judgeData(request: PastRequest): PastVerdict {
    const findings = Object.entries(request.findings).map(
      ([name, count]): FindingCount => ({
        class: name as FindingClass,
        count: count ?? 0,
        confidence: 'confirmed',
      }),
    );
    const blocked = findings.some((finding) => this.policy.firewall[finding.class] === 'block');
    if (blocked) return { kind: 'blocked', reason: 'firewall_blocked' };
    const unread = this.unreadOf(request);
    if (unread.includes('refuse')) return { kind: 'blocked', reason: 'content_unread' };
    const dataClass = this.classOf(request, findings, unread);
    if (openRoutes(this.policy, dataClass).some((route) => route === request.route)) {
      return undefined;
    }
    if (isAutomatic(request.requestedModel)) return { kind: 'degraded', reason: 'another_route' };
    return { kind: 'blocked', reason: 'data_route_forbidden' };
  }

  /** By the policy's own least class and modes, and by other sources; what it said then is over. */
  private classOf(
    { dataClass, sources }: PastRequest,
    findings: readonly FindingCount[],
    unread: readonly UnreadMode[],
  ): DataClass {
    const { hybrid, firewall, dataClassMin } = this.policy;
    const said = sources ?? [{ source: 'firewall', data_class: dataClass } as const];
    const found = said.find(({ source }) => source === 'firewall')?.data_class;
    const stated = said.filter(({ source }) => !DECIDED_ANEW.has(source));
    return (
      highestDataClass([
        ...stated.map(({ data_class: each }) => each),
        dataClassMin,
        hybrid === 'any' ? remainingDataClass(findings, firewall) : found,
        ...unread.map(unreadDataClass),
      ]) ?? 'C0'
    );
  }

  private unreadOf({ unread }: PastRequest): readonly UnreadMode[] {
    if (unread === null) return [];
    const kinds = UNREAD_KINDS.filter(({ code }) => unread[code]);
    return kinds.map(({ code }) => this.policy.unread[code]);
  }

  private judgeBudgets(request: PastRequest): PastVerdict {
    const day = moscowDay(request.arrivedMs);
    const periods: [string, readonly bigint[]][] = [
      [day, this.caps.dailyMicro],
      [day.slice(0, 7), this.caps.monthlyMicro],
    ];
    for (const [period, caps] of periods) {
      const after = (this.spent.get(period) ?? 0n) + request.amountMicro;
      if (caps.some((cap) => after > cap)) return { kind: 'blocked', reason: 'budget_exhausted' };
    }
    for (const [period] of periods) {
      this.spent.set(period, (this.spent.get(period) ?? 0n) + request.amountMicro);
    }
    return undefined;
  }

  private judgeOutput(request: PastRequest): PastVerdict {
    const cap = this.policy.limits.maxOutputTokens;
    const cut = cap !== undefined && request.outputTokens > cap;
    return cut ? { kind: 'degraded', reason: 'shorter_answer' } : undefined;
  }
}

/** How often a reason applied, and what the requests had cost. */
export type ReasonTotal = ValuesOf<typeof REASON_FIELDS> & { readonly micro: MicroRub };

/** The effect of a policy on recorded traffic. */
export type EffectTotals = ValuesOf<typeof TOTAL_FIELDS> & {
  /** Most frequent first. */
  readonly reasons: readonly ReasonTotal[];
};

/** Replays requests, oldest first, and adds the verdicts up. */
export function replay(
  requests: Iterable<PastRequest>,
  policy: EffectivePolicy,
  caps: Caps,
): EffectTotals {
  const judge = new PolicyReplay(policy, caps);
  const reasons = new Map<string, ReasonTotal>();
  let count = 0;
  for (const request of requests) {
    count += 1;
    const verdict = judge.judge(request);
    if (!verdict) continue;
    const { requests: before, micro } = reasons.get(verdict.reason) ?? { requests: 0, micro: 0n };
    const total = { ...verdict, requests: before + 1, micro: micro + request.amountMicro };
    reasons.set(verdict.reason, total);
  }
  const rows = [...reasons.values()].sort((a, b) => b.requests - a.requests);
  const blocked = rows.filter((row) => row.kind === 'blocked');
  const degraded = rows.filter((row) => row.kind === 'degraded');
  return {
    requests: count,
    blocked: requestsOf(blocked),
    degraded: requestsOf(degraded),
    blockedMicro: blocked.reduce((sum, row) => sum + row.micro, 0n),
    reasons: rows,
  };
}

function requestsOf(rows: readonly ReasonTotal[]): number {
  return rows.reduce((sum, row) => sum + row.requests, 0);
}
