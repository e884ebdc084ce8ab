import { statfs } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { passwordQueue } from '../access/auth/passwords.js';
import type { Services } from '../graph/ctx.js';
import type { Metric, Sample } from '../platform/exposition.rules.js';
import type { ReadFigure } from '../platform/metrics.js';
import type { Load } from './load/load.js';

/** Errors on which an operator is told: shown before the first one, so that a rise is seen. */
const EXPECTED_CODES = ['overloaded', 'ledger_unavailable', 'internal_error'] as const;

const BREAKER_STATES = ['closed', 'half_open', 'open'] as const;

type Figures = Readonly<Record<string, readonly [help: string, read: ReadFigure['read']]>>;

/** What the process does now, and what it has counted since it started. */
export function registerMetrics(services: Services, load: Load): void {
  const { metrics, modelMetrics } = services;
  for (const [name, [help, read]] of Object.entries(gauges(services, load))) {
    metrics.gauge({ name, help, read });
  }
  for (const [name, [help, read]] of Object.entries(counters(services))) {
    metrics.counter({ name, help, read });
  }
  const help = 'Requests that were refused as overloaded, by class.';
  metrics.counters({ name: 'gw_requests_shed_total', help, label: 'class', read: () => load.shed });
  metrics.counters({
    name: 'gw_log_witness_refusals_total',
    help: 'Checkpoints of published logs that a witness was asked for and did not cosign.',
    label: 'witness',
    read: () => services.witnessRounds.refusals,
  });
  metrics.expectCodes(EXPECTED_CODES);
  metrics.add(() => modelMetrics.metrics());
  metrics.add(() => [breakers(services), anomalies(services)]);
}

function gauges(services: Services, load: Load): Figures {
  const { ledger, upstream, pool, platformPool, webhooks, openRequests, config } = services;
  return {
    gw_requests_in_flight: ['Requests under way.', () => load.inFlight],
    gw_requests_in_flight_limit: ['Requests beyond it are refused.', () => load.inFlightMax],
    gw_requests_at_work: [
      'Requests that wait neither for a provider nor for an event.',
      () => load.atWork,
    ],
    gw_requests_at_work_limit: [
      'How many may be at work; it falls while the node is late.',
      () => load.atWorkMax,
    ],
    gw_password_hashes_waiting: ['Passwords that wait to be hashed.', () => passwordQueue().size],
    gw_holds_open: ['Requests that hold funds, a slot or tokens.', () => openRequests.size],
    gw_ledger_queued_operations: ['Waiting for a batch.', () => ledger.gauges().queuedOps],
    gw_ledger_batch_seconds: ['The last batch.', () => ledger.gauges().lastBatchMs / 1_000],
    gw_ledger_journaled_operations: [
      'On disk until the database returns.',
      () => ledger.gauges().journaledOps,
    ],
    gw_ledger_healthy: ['1 when the ledger is written.', () => (ledger.healthy() ? 1 : 0)],
    gw_database_connections: ['Open connections.', () => pool.totalCount + platformPool.totalCount],
    gw_data_folder_free_bytes: [
      'Room on the disk of the data folder, for whom the process runs as.',
      async () => {
        const { bavail, bsize } = await statfs(config.dataDir);
        return bavail * bsize;
      },
    ],
    gw_data_folder_disk_bytes: [
      'Size of the disk of the data folder.',
      async () => {
        const { blocks, bsize } = await statfs(config.dataDir);
        return blocks * bsize;
      },
    ],
    gw_webhook_worker: [
      '1 on the node that delivers webhooks; 0 on all while no endpoint is active.',
      () => (webhooks.delivers ? 1 : 0),
    ],
    gw_webhook_attempts: ['Attempts under way.', () => webhooks.attemptsUnderWay],
    gw_upstream_breakers_open: [
      'Deployments that are not called.',
      () => upstream.health().filter(({ state }) => state === 'open').length,
    ],
    gw_upstream_asked_last: [
      'Deployments that are set aside: slow, silent, failing or refusing our key.',
      () => upstream.health().filter(({ aside }) => aside !== null).length,
    ],
  };
}

function counters({ ledger }: Services): Figures {
  return {
    gw_event_loop_busy_seconds_total: [
      'Time in which the event loop had work; its rate is the share of a core.',
      () => performance.eventLoopUtilization().active / 1_000,
    ],
    gw_password_hashes_refused_total: [
      'Passwords that were not hashed, because too many waited.',
      () => passwordQueue().refused,
    ],
    gw_ledger_operations_total: ['Written since start.', () => ledger.gauges().ops],
    gw_ledger_batches_total: ['Committed since start.', () => ledger.gauges().batches],
    gw_ledger_overruns_total: [
      'Requests for which an upstream reported more than they allowed.',
      () => ledger.gauges().overruns,
    ],
    gw_ledger_lost_holds_total: [
      'Open holds whose request was gone; each is a fault of the gateway.',
      () => ledger.gauges().lostHolds,
    ],
    gw_ledger_lost_settles_total: [
      'Answers whose hold was released before their charge: produced and not charged.',
      () => ledger.gauges().lostSettles,
    ],
  };
}

/** One series for each state of each deployment, of which one is 1. */
function breakers({ upstream, registry }: Services): Metric {
  const samples = upstream.health().flatMap(({ deployment: key, state }): Sample[] => {
    const deployment = registry.deploymentsByKey.get(key);
    if (!deployment) return [];
    const { providerId: provider, id: model } = deployment;
    return BREAKER_STATES.map((each) => ({
      labels: { provider, model, state: each },
      value: each === state ? 1 : 0,
    }));
  });
  return {
    name: 'gw_upstream_breaker_state',
    help: '1 for the state in which the breaker of a deployment is, 0 for the others.',
    type: 'gauge',
    samples,
  };
}

function anomalies({ anomalyCounts }: Services): Metric {
  return {
    name: 'gw_spend_anomalies_total',
    help: 'Anomalies of spending that this node has found, by severity.',
    type: 'counter',
    samples: anomalyCounts.entries().map(([severity, value]) => ({ labels: { severity }, value })),
  };
}
