import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { AdapterFactory } from './adapter.mjs';
import { createDatabase, dropDatabase, requiredUrl } from './connection.mjs';

const require = createRequire(import.meta.url);

/** The code of every engine error in JSON-RPC; what it is about stands in `data`. */
const ENGINE_ERROR = 4466;

/** Answers the requests on standard input one after the other until it closes. */
export function serve(options) {
  const adapter = bindMigrationAwareSqlAdapterFactory(new AdapterFactory(options.datasource));
  let started;
  const engine = () => {
    started ??= startEngine(options.datamodels, adapter);
    return started;
  };
  const methods = methodsOf(options.datasource, engine);
  let queue = Promise.resolve();
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    const request = line.trim() ? JSON.parse(line) : {};
    // Without a method it is the answer to a `print` request of ours.
    if (request.method) queue = queue.then(() => reply(request, methods, engine, adapter));
  });
  lines.on('close', () => queue.finally(() => process.exit(0)));
}

async function startEngine(datamodels, adapter) {
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const folder = dirname(require.resolve('@prisma/schema-engine-wasm'));
  const binary = readFileSync(join(folder, 'schema_engine_bg.wasm'));
  const imports = { './schema_engine_bg.js': glue };
  const { instance } = await WebAssembly.instantiate(binary, imports);
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  const files = datamodels.map((path) => [resolve(path), readFileSync(path, 'utf8')]);
  const logLine = (line) => process.stderr.write(`${line}\n`);
  return glue.SchemaEngine.new(
    { datamodels: files.length > 0 ? files : undefined },
    logLine,
    adapter,
  );
}

/** The methods that the WASM build names or shapes otherwise than the protocol. */
function methodsOf(datasource, engine) {
  let printed = 0;
  return {
    createDatabase: async () => ({
      databaseName: await createDatabase(requiredUrl(datasource)),
    }),
    dropDatabase: async () => {
      await dropDatabase(requiredUrl(datasource));
      return {};
    },
    getDatabaseVersion: async (parameters) => (await engine()).version(parameters),
    ensureConnectionValidity: async (parameters) => {
      await (await engine()).ensureConnectionValidity(parameters);
      return {};
    },
    diff: async (parameters) => {
      const { stdout, ...result } = await (await engine()).diff(parameters);
      if (stdout !== undefined && stdout !== null) {
        printed += 1;
        send({ id: printed, method: 'print', params: { content: stdout } });
      }
      return result;
    },
  };
}

async function reply({ id, method, params }, methods, engine, adapter) {
  try {
    const result = await call(method, params, methods, engine);
    send({ id, result: result ?? null });
  } catch (error) {
    const message = 'An error happened. Check the data field for details.';
    send({ id, error: { code: ENGINE_ERROR, message, data: errorData(error, adapter) } });
  }
}

async function call(method, parameters, methods, engine) {
  if (Object.hasOwn(methods, method)) return methods[method](parameters);
  const target = await engine();
  if (typeof target[method] !== 'function') throw new Error(`method ${method} is not available`);
  return target[method](parameters);
}

/** An error of the adapter comes back from the engine as a number; the registry has the error. */
function errorData(error, adapter) {
  const id = typeof error?.cause === 'object' ? error.cause?.id : undefined;
  const original = id === undefined ? undefined : adapter.errorRegistry.consumeError(id)?.error;
  return {
    is_panic: false,
    message: original?.message ?? String(error?.message ?? error),
    meta: error?.meta ?? null,
    error_code: error?.code ?? null,
  };
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
