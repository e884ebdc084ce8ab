import { timingSafeEqual } from 'node:crypto';
import type { Express } from 'express';
import express from 'express';
import type { Services } from '../graph/ctx.js';
import { docUrl } from '../kernel/errors/doc-url.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { baseUrlOf } from './context.js';
import type { Load } from './load/load.js';
import type { RunningVersion } from './version.js';

/**
 * What the operator's probes ask: alive, ready, what runs, metrics, public keys of tokens.
 * @param figures the metrics as text, where those of this process are not all
 */
export function createOperations(
  services: Services,
  load: Load,
  version: () => RunningVersion,
  figures: () => Promise<string> = () => services.metrics.text(),
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set(services.config.site.headers);
    next();
  });
  app.get('/livez', (_request, response) => {
    response.json({ status: 'alive' });
  });
  app.get('/readyz', async (_request, response) => {
    const reasons = await notReady(services, load);
    response.status(reasons.length === 0 ? 200 : 503);
    const { state, checkedAt } = services.booksMonitor.standing();
    response.json({
      status: reasons.length === 0 ? 'ready' : 'not_ready',
      reasons,
      // Told and not a reason: a node whose books are not in order still serves.
      books: { state, checked_at: checkedAt },
    });
  });
  app.get('/version', (_request, response) => {
    response.set('cache-control', 'no-store').json(version());
  });
  app.get('/metrics', async (request, response) => {
    const { authorization } = request.headers;
    if (!mayRead(services, authorization)) {
      const shown = authorization ? 'unusable_credential' : 'missing_credential';
      const { code, row, status } = new GatewayError(shown);
      const message = refusalOfMetrics(services, authorization);
      const doc_url = docUrl(baseUrlOf(services, request), code);
      const request_id = response.get('x-request-id');
      const error = { message, type: row.type, param: null, code, request_id, doc_url };
      response.status(status).json({ error });
      return;
    }
    response.type(services.metrics.contentType).send(await figures());
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

/** What helps the operator, who alone is let in: no key and no token of a member is. */
function refusalOfMetrics({ config }: Services, authorization: string | undefined): string {
  if (config.GW_OPERATOR_TOKEN === undefined) {
    return 'The metrics are closed in production until GW_OPERATOR_TOKEN is set.';
  }
  const sent = authorization ? 'something else was sent' : 'none was sent';
  return `The metrics are read with GW_OPERATOR_TOKEN as bearer token alone: ${sent}.`;
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
