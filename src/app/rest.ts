import { join } from 'node:path';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import { ALIASES } from '../../rest-compat/aliases.js';
import type { ServedDocument } from '../../rest-compat/hooks.js';
import { mountRest, type RestHandler } from '../../rest-compat/mount.js';
import { hashOfRows, readRouteFiles } from '../../rest-compat/route-file.js';
import type { RestTable } from '../../rest-compat/row.js';
import { loadTable, type TableOptions } from '../../rest-compat/table.js';
import { permissionOfField } from '../graph/builder.js';
import type { Services } from '../graph/ctx.js';
import { docUrl } from '../kernel/errors/doc-url.js';
import { newId } from '../kernel/ids.js';
import { PROVEN_ROWS } from '../platform/build-facts.js';
import { projectRoot } from '../platform/database/project-root.js';
import { addressOf, baseUrlOf, restContext } from './context.js';
import type { Load } from './load/load.js';
import { classOfRow } from './load/request-classes.js';
import { moduleOfPermission } from './pages/operation-errors.js';
import { restIdempotency } from './rest-idempotency.js';
import { openSchema } from './schema.js';

let loaded: Promise<RestTable> | undefined;

/**
 * Every REST row, checked against the schema; a wrong one stops the process. They are read and
 * compiled once: neither the schema nor the rows change while the process lives.
 */
export function loadRestTable(): Promise<RestTable> {
  loaded ??= readRestTable();
  return loaded;
}

/**
 * Validates every row, of which a start takes the word of the build.
 * @throws Error that lists every wrong row with file and line, or that says that the build hashed
 *   other rows than these
 */
export async function checkRestRows(): Promise<void> {
  const options = await tableOptions();
  loadTable(options);
  const files = readRouteFiles(join(options.directory, 'routes'), () => {});
  const isTheirs = PROVEN_ROWS === undefined || PROVEN_ROWS === hashOfRows(files);
  if (!isTheirs) throw new Error('rest-compat/routes was hashed otherwise by the build');
}

async function readRestTable(): Promise<RestTable> {
  return loadTable({ ...(await tableOptions()), proven: PROVEN_ROWS });
}

async function tableOptions(): Promise<TableOptions> {
  return {
    schema: await openSchema(),
    directory: join(projectRoot(), 'rest-compat'),
    aliases: ALIASES,
    authOf: (field) => (permissionOfField(field) === undefined ? 'P' : 'B'),
  };
}

/** The handler that stands in front of everything else. */
export function createRest(
  services: Services,
  table: RestTable,
  load: Load,
  described: ReadonlyMap<string, ServedDocument>,
): RestHandler {
  const { access, callers, log, metrics, telemetry } = services;
  const classOf = new Map(table.rows.map((row) => [row, classOfRow(row)]));
  return mountRest(table, {
    newRequestId: () => newId('Request'),
    site: services.config.site,
    docUrl: (code, request) => docUrl(baseUrlOf(services, request), code),
    contextFor: (request, arrival, credential) =>
      restContext(services, request, arrival, credential),
    admit: (request, row) =>
      load.admit(
        classOf.get(row) ?? 'general',
        callers.nameOf(request.headers, () => addressOf(services, request)),
      ),
    onDone(row, ctx, { status, code, elapsedMs }) {
      metrics.observe(row.name, status, elapsedMs, code);
      const operation = row.name;
      const { requestId } = ctx ?? {};
      const tenantId = ctx?.who?.tenantId;
      access.write({
        operation,
        requestId,
        tenantId,
        traceId: ctx?.transport.trace?.traceId,
        status,
        code,
        elapsedMs,
      });
      if (!ctx?.transport.spans) return;
      const { method, path: route } = row.contract;
      const { startedMs } = ctx;
      const end = { operation, requestId: ctx.requestId, tenantId, status, code, startedMs };
      telemetry?.ended(ctx.transport.spans, { ...end, method, route });
    },
    onFailure(error, arrival, row) {
      const facts = {
        err: error.cause ?? error,
        requestId: arrival.requestId,
        operation: row?.name,
      };
      log.error(facts, 'internal error');
    },
    idempotency: restIdempotency(services),
    addressOf: (request) => baseUrlOf(services, request),
    documents: described,
  });
}

/** The module whose right each operation asks for, by its root field. */
export function modulesOfOperations(
  { rows }: RestTable,
  schema: GraphQLSchema,
): (operationId: string) => string | undefined {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = Object.assign({}, ...roots.map((root) => root?.getFields())) as Fields;
  const found = rows.map(({ name, rootFields: [first = ''] }) => {
    const field = fields[first];
    const permission = field && permissionOfField(field);
    const id = name.charAt(0).toLowerCase() + name.slice(1);
    return [id, permission && moduleOfPermission(permission)] as const;
  });
  const byId = new Map(found);
  return (operationId) => byId.get(operationId);
}

type Fields = Readonly<Record<string, GraphQLField<unknown, unknown> | undefined>>;
