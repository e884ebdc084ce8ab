import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { MicroRub } from '../../kernel/money.js';
import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { measuredFrom } from '../../records/measured.js';
import { comparedWindow, rowFaults, statedWindow } from './question.rules.js';
import { type Narrowing, type SumsRow, usageSums } from './read.js';
import { reportOf, SKETCHES_OF } from './report.rules.js';
import { REPORT_QUESTION, type Report, type ReportQuestion } from './tables.js';
import { type Dimension, ORDERS } from './vocabulary.js';

/**
 * A report over the usage of the organization, exact at every moment.
 * @throws invalid_request with every fault, report_too_wide
 */
export async function usageReport(ctx: AuthorizedCtx, given: GivenValues): Promise<Report> {
  const question = inputValues(REPORT_QUESTION, given);
  const { faults, ...window } = statedWindow(question, sharedNow());
  failOnFaults([...inputFaults(REPORT_QUESTION, question, ''), ...faults]);
  const compared = question.compareTo ? comparedWindow(window, question.compareTo) : null;
  const { groupBy, period, timeZone, metrics, top } = question;
  const read = () =>
    usageSums(ctx.services, {
      tenantId: ctx.who.tenantId,
      windows: compared ? [window, compared] : [window],
      groupBy: [...new Set(groupBy)],
      period,
      timeZone,
      narrowings: narrowingsOf(question.filter),
      sketches: metrics.flatMap((each) => SKETCHES_OF[each] ?? []),
      orderBy: ORDERS.find(question.orderBy)?.sum ?? 'amount_micro',
      top,
    });
  const { value, provenance } = await measuredFrom(ctx, read, (rows) => {
    failOnFaults(rowFaults(rows.length));
    return reportOf(rows, { question, window, compared });
  });
  return { ...value, provenance };
}

const FILTERED: Readonly<Record<string, Dimension>> = {
  features: 'feature',
  clients: 'client',
  models: 'model',
  providers: 'provider',
  routes: 'route',
  keys: 'key',
  projects: 'project',
  environments: 'environment',
  operations: 'operation',
  promptVersions: 'prompt_version',
  origins: 'origin',
};

/** The empty text stands for requests that have no value. */
function narrowingsOf(filter: ReportQuestion['filter']): readonly Narrowing[] {
  if (!filter) return [];
  const { simulated, ...lists } = filter;
  const narrowings = Object.entries(lists).flatMap(([name, values]) => {
    const dimension = FILTERED[name];
    if (!dimension || values === null) return [];
    return [{ dimension, values: values.map((each) => (each === '' ? null : each)) }];
  });
  if (simulated === null) return narrowings;
  return [...narrowings, { dimension: 'simulated', values: [String(simulated)] }];
}

/** What the requests of one group cost and how they ended, all of it `live_measured`. */
export interface UsageTotals {
  readonly requests: bigint;
  readonly failed: bigint;
  /** Answers that came from the response cache. */
  readonly cached: bigint;
  /** Tokens in, cached ones and those written to a cache among them. */
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  /** What was paid, VAT inside: charges less the refunds that were posted in the window. */
  readonly amountMicro: MicroRub;
  /** What those refunds gave back, VAT inside. */
  readonly refundedMicro: MicroRub;
  readonly vatMicro: MicroRub;
  readonly netMicro: MicroRub;
}

/** A group by its values in the order of the dimensions; null is for rows that have none. */
export interface UsageGroup {
  readonly values: readonly (string | null)[];
  readonly totals: UsageTotals;
}

/** Groups told apart, the most expensive first; what lies beyond them is together in `others`. */
export interface UsageByDimensions {
  readonly groups: readonly UsageGroup[];
  readonly others: UsageTotals | null;
}

const GROUPS_MAX = 10_000;

/**
 * Sums of the organization's usage in a window by dimensions, less refunds, exact at every moment:
 * from the kept sums, the rows that came after them and the ledger.
 * @throws report_too_wide where no sums are kept by these dimensions and too many rows are there
 */
export async function usageBy(
  ctx: AuthorizedCtx,
  question: {
    readonly dimensions: readonly Dimension[];
    readonly window: Window;
    readonly narrowings?: readonly Narrowing[];
  },
): Promise<UsageByDimensions> {
  const { dimensions, window, narrowings = [] } = question;
  const rows = await usageSums(ctx.services, {
    tenantId: ctx.who.tenantId,
    windows: [window],
    groupBy: dimensions,
    period: null,
    timeZone: TIME_ZONE_DEFAULT,
    narrowings,
    sketches: [],
    orderBy: 'amount_micro',
    top: GROUPS_MAX,
  });
  const others = rows.find(({ place }) => place > GROUPS_MAX);
  return {
    groups: rows
      .filter(({ place }) => place <= GROUPS_MAX)
      .map(({ group, sums }) => ({
        values: dimensions.map((each) => group[each] ?? null),
        totals: totalsOf(sums),
      })),
    others: others ? totalsOf(others.sums) : null,
  };
}

function totalsOf(sums: SumsRow['sums']): UsageTotals {
  return {
    requests: sums.requests,
    failed: sums.failed,
    cached: sums.cached,
    inputTokens: sums.input_uncached + sums.input_cached + sums.cache_write,
    outputTokens: sums.output_text + sums.output_reasoning,
    amountMicro: sums.amount_micro,
    refundedMicro: sums.refunded_micro,
    vatMicro: sums.vat_micro,
    netMicro: sums.amount_micro - sums.vat_micro,
  };
}
