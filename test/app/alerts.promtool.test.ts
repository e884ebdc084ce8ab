import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { alerts, dashboard, RULES_FILE } from '../support/operator-views.js';

const folder = mkdtempSync(join(tmpdir(), 'gw-rules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, stringify(content));
  return file;
}

/** What promtool says of faults, and its exit code. */
function promtool(...words: string[]) {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
  return { status, said: status === 0 ? '' : stdout + stderr };
}

const WELL = { status: 0, said: '' };
const HOURS = 7;
const flat = (value: number) => `${value}+0x${HOURS * 60}`;
const rising = (step: number) => `0+${step}x${HOURS * 60}`;

const OF = 'instance="a",job="gw"';
const MODEL = `${OF},provider="p",model="m"`;

/** One series of each metric, as a node shows it that is well: what is named otherwise is told. */
const WELL_SERIES: Readonly<Record<string, string>> = {
  [`up{${OF}}`]: flat(1),
  [`process_start_time_seconds{${OF}}`]: flat(0),
  [`gw_ledger_invariant_violations{${OF}}`]: flat(0),
  [`gw_ledger_invariants_unchecked{${OF}}`]: flat(0),
  [`gw_ledger_healthy{${OF}}`]: flat(1),
  [`gw_ledger_journaled_operations{${OF}}`]: flat(0),
  [`gw_ledger_lost_holds_total{${OF}}`]: flat(3),
  [`gw_ledger_lost_settles_total{${OF}}`]: flat(3),
  [`gw_ledger_overruns_total{${OF}}`]: flat(3),
  [`gw_upstream_usage_faults_total{${MODEL},fault="parts_exceed_whole"}`]: flat(8),
  [`gw_upstream_breaker_state{${MODEL},state="open"}`]: flat(0),
  [`gw_model_requests_total{${MODEL},outcome="complete"}`]: rising(1_000),
  [`gw_model_requests_total{${MODEL},outcome="failed"}`]: rising(1),
  [`gw_model_requests_total{${MODEL},outcome="refused"}`]: rising(5_000),
  [`gw_model_first_token_seconds_bucket{${MODEL},le="3"}`]: rising(990),
  [`gw_model_first_token_seconds_count{${MODEL}}`]: rising(1_000),
  [`gw_model_overhead_seconds_bucket{${OF},le="0.25"}`]: rising(1_000),
  [`gw_model_overhead_seconds_bucket{${OF},le="1"}`]: rising(1_000),
  [`gw_model_overhead_seconds_bucket{${OF},le="+Inf"}`]: rising(1_000),
  [`gw_http_errors_total{${OF},code="overloaded"}`]: flat(8),
  [`gw_http_errors_total{${OF},code="internal_error"}`]: flat(8),
  [`gw_workers_ended_total{${OF}}`]: flat(8),
  [`gw_workers_killed_total{${OF}}`]: flat(1),
  [`gw_requests_in_flight{${OF}}`]: flat(500),
  [`gw_requests_in_flight_limit{${OF}}`]: flat(2_000),
  [`gw_event_loop_busy_seconds_total{${OF}}`]: rising(30),
  [`nodejs_eventloop_lag_mean_seconds{${OF}}`]: flat(1.01),
  [`gw_data_folder_free_bytes{${OF}}`]: flat(50),
  [`gw_data_folder_disk_bytes{${OF}}`]: flat(100),
  [`gw_rows_beyond_months{${OF}}`]: flat(0),
  [`gw_log_witness_refusals_total{${OF},witness="w.example"}`]: flat(3),
  [`gw_spend_anomalies_total{${OF},severity="critical"}`]: flat(2),
};

const FAILING = { [`gw_model_requests_total{${MODEL},outcome="failed"}`]: rising(40) };

/** What lets each alert fire. */
const CAUSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GwBooksDisagree: { [`gw_ledger_invariant_violations{${OF}}`]: flat(1) },
  GwBooksUnchecked: { [`gw_ledger_invariants_unchecked{${OF}}`]: flat(1) },
  GwLedgerUnavailable: { [`gw_ledger_healthy{${OF}}`]: flat(0) },
  GwLedgerJournaled: { [`gw_ledger_journaled_operations{${OF}}`]: flat(1) },
  GwLedgerLostHolds: { [`gw_ledger_lost_holds_total{${OF}}`]: rising(1) },
  GwLedgerLostSettles: { [`gw_ledger_lost_settles_total{${OF}}`]: rising(1) },
  GwUpstreamOverruns: { [`gw_ledger_overruns_total{${OF}}`]: rising(1) },
  GwUsageDrifts: {
    [`gw_upstream_usage_faults_total{${MODEL},fault="parts_exceed_whole"}`]: rising(1),
  },
  GwBreakerOpen: { [`gw_upstream_breaker_state{${MODEL},state="open"}`]: flat(1) },
  GwErrorBudgetBurns: FAILING,
  GwErrorBudgetBurnsFast: {
    [`gw_model_requests_total{${MODEL},outcome="failed"}`]: `0+1x350 1+100x70`,
  },
  GwFirstTokenBudgetBurns: {
    [`gw_model_first_token_seconds_bucket{${MODEL},le="3"}`]: rising(600),
  },
  GwDown: { [`up{${OF}}`]: flat(0) },
  GwWorkersEnd: { [`gw_workers_ended_total{${OF}}`]: rising(1) },
  GwWorkerHangs: { [`gw_workers_killed_total{${OF}}`]: rising(1) },
  GwSheds: { [`gw_http_errors_total{${OF},code="overloaded"}`]: rising(1) },
  GwNearItsLimit: { [`gw_requests_in_flight{${OF}}`]: flat(1_900) },
  GwEventLoopBusy: { [`gw_event_loop_busy_seconds_total{${OF}}`]: rising(58) },
  GwEventLoopLate: { [`nodejs_eventloop_lag_mean_seconds{${OF}}`]: flat(1.2) },
  GwOverheadHigh: { [`gw_model_overhead_seconds_bucket{${OF},le="0.25"}`]: rising(900) },
  GwInternalErrors: { [`gw_http_errors_total{${OF},code="internal_error"}`]: rising(1) },
  GwDataDiskFull: { [`gw_data_folder_free_bytes{${OF}}`]: flat(5) },
  GwRowsBeyondMonths: { [`gw_rows_beyond_months{${OF}}`]: flat(1) },
  GwWitnessRefuses: { [`gw_log_witness_refusals_total{${OF},witness="w.example"}`]: rising(1) },
  GwSpendAnomalies: { [`gw_spend_anomalies_total{${OF},severity="critical"}`]: rising(1) },
};

/** What fires after seven hours, in the words of `promtool test rules`. */
function firing(causes: Readonly<Record<string, string>>, names: readonly string[]) {
  const series = Object.entries({ ...WELL_SERIES, ...causes });
  return {
    interval: '1m',
    input_series: series.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${HOURS}h`,
        exp_samples: names.map((name) => ({
          labels: `{alertname="${name}"}`,
          value: 1,
        })),
      },
    ],
  };
}

describe('promtool', () => {
  it('finds no fault in the rules', () => {
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES_FILE)).toEqual(WELL);
  });

  it('reads every expression of the dashboard', () => {
    const rules = dashboard().drawn.map(({ expr }, index) => ({
      record: `drawn:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = written('drawn.yaml', { groups: [{ name: 'drawn', rules }] });
    expect(promtool('check', 'rules', file)).toEqual(WELL);
  });

  it('lets each alert fire by its own cause alone, and none on a node that is well', () => {
    expect(Object.keys(CAUSES).sort()).toEqual(
      alerts()
        .map(({ alert }) => alert)
        .sort(),
    );
    const tests = Object.entries(CAUSES).map(([name, causes]) => firing(causes, [name]));
    const file = written('firing.yaml', {
      rule_files: [RULES_FILE],
      evaluation_interval: '10m',
      tests: [firing({}, []), ...tests],
    });
    expect(promtool('test', 'rules', file)).toEqual(WELL);
  });
});
