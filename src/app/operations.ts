import { timingSafeEqual } from 'node:crypto';
import type { Express } from 'express';
import express from 'express';
import type { Services } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import type { Load } from './load.js';

/** What the operator's probes ask: alive, ready, metrics, public keys of tokens. */
export function createOperations(services: Services, load: Load): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/livez', (_request, response) => {
    response.json({ status: 'alive' });
  });
  app.get('/readyz', async (_request, response) => {
    const reasons = await notReady(services, load);
    response.status(reasons.length === 0 ? 200 : 503);
    response.json({ status: reasons.length === 0 ? 'ready' : 'not_ready', reasons });
  });
  app.get('/metrics', async (request, response) => {
    if (!mayRead(services, request.headers.authorization)) {
      const { message, code } = new GatewayError('missing_credential');
      response.status(401).json({ error: { message, type: 'authentication_error', code } });
      return;
    }
    response.type(services.metrics.contentType).send(await services.metrics.text());
  });
  app.get('/.well-known/jwks.json', (_request, response) => {
    response.set('cache-control', 'public, max-age=300').json(services.tokens.jwks());
  });
  return app;
}

/** In production the operator's metrics need the operator's token; without one they are closed. */
function mayRead({ config }: Services, authorization: string | undefined): boolean {
  const token = config.GW_OPERATOR_TOKEN;
  if (token === undefined) return config.NODE_ENV !== 'production';
  const shown = Buffer.from(authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

/** Why the node must get no requests; empty when it may. */
async function notReady({ ledger, pool }: Services, load: Load): Promise<string[]> {
  if (load.isDraining) return ['draining'];
  if (!ledger.healthy()) return ['the ledger cannot be written'];
  try {
    await pool.query('SELECT 1');
    return [];
  } catch {
    return ['the database does not answer'];
  }
}

/** Gauges of what the process does now. */
export function registerGauges(services: Services, load: Load): void {
  const { metrics, ledger, upstream, pool, platformPool, webhooks } = services;
  const gauges = {
    gw_requests_in_flight: ['Requests under way.', () => load.inFlight],
    gw_ledger_queued_operations: ['Waiting for a batch.', () => ledger.gauges().queuedOps],
    gw_ledger_operations_total: ['Written since start.', () => ledger.gauges().ops],
    gw_ledger_batches_total: ['Committed since start.', () => ledger.gauges().batches],
    gw_ledger_batch_milliseconds: ['The last batch.', () => ledger.gauges().lastBatchMs],
    gw_ledger_journaled_operations: [
      'On disk until the database returns.',
      () => ledger.gauges().journaledOps,
    ],
    gw_ledger_overruns_total: [
      'Requests for which an upstream reported more than they allowed.',
      () => ledger.gauges().overruns,
    ],
    gw_ledger_lost_holds_total: [
      'Open holds whose request was gone; each is a fault of the gateway.',
      () => ledger.gauges().lostHolds,
    ],
    gw_ledger_healthy: ['1 when the ledger is written.', () => (ledger.healthy() ? 1 : 0)],
    gw_database_connections: ['Open connections.', () => pool.totalCount + platformPool.totalCount],
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
  } as const;
  for (const [name, [help, read]] of Object.entries(gauges)) metrics.gauge({ name, help, read });
}
