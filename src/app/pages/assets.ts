import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { COCKPIT_JS } from './cockpit-script.js';
import { EXPLORER_JS } from './explorer-script.js';
import { REFERENCE_JS } from './reference-script.js';
import { ICON_SVG, PAGES_CSS } from './style.js';

/** A file for browsers, ready to be sent. */
interface Asset {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
  readonly etag: string;
}

interface Source {
  readonly contentType: string;
  read(): Promise<Buffer | string>;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const require = createRequire(import.meta.url);
const compress = promisify(gzip);

/** All of them lie in this tree or in installed packages: nothing comes from another host. */
const SOURCES: Readonly<Record<string, Source>> = {
  'pages.css': { contentType: STYLE, read: async () => PAGES_CSS },
  'icon.svg': { contentType: 'image/svg+xml', read: async () => ICON_SVG },
  'cockpit.js': { contentType: SCRIPT, read: async () => COCKPIT_JS },
  'reference.js': { contentType: SCRIPT, read: async () => REFERENCE_JS },
  'scalar.js': { contentType: SCRIPT, read: () => readFile(scalarFile()) },
  'explorer.js': { contentType: SCRIPT, read: async () => EXPLORER_JS },
  'graphql-ws.js': { contentType: SCRIPT, read: () => readFile(graphqlWsFile()) },
  'graphiql.js': { contentType: SCRIPT, read: async () => (await graphiql()).js },
  'graphiql.css': { contentType: STYLE, read: async () => (await graphiql()).css },
  'editor-worker.js': {
    contentType: SCRIPT,
    read: async () => (await graphiql()).editorWorkerService,
  },
  'json-worker.js': { contentType: SCRIPT, read: async () => (await graphiql()).jsonWorker },
  'graphql-worker.js': { contentType: SCRIPT, read: async () => (await graphiql()).graphqlWorker },
};

function scalarFile(): string {
  return require.resolve('@scalar/api-reference/browser/standalone.js');
}

/** The package's build for a script element lies beside the one that Node resolves. */
function graphqlWsFile(): string {
  return join(dirname(require.resolve('graphql-ws')), '..', 'umd', 'graphql-ws.min.js');
}

/** Nine megabytes of text, so it is only loaded when somebody opens the explorer. */
function graphiql() {
  return import('@graphql-yoga/render-graphiql/graphiql');
}

async function load(source: Source): Promise<Asset> {
  const content = await source.read();
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const compressed = await compress(bytes);
  return { contentType: source.contentType, bytes, compressed, etag };
}

const loaded = new Map<string, Promise<Asset>>();

/** Read and compressed once; a file that could not be read is tried again by the next request. */
function assetOf(name: string, source: Source): Promise<Asset> {
  const loading = loaded.get(name) ?? load(source);
  loaded.set(name, loading);
  loading.catch(() => loaded.delete(name));
  return loading;
}

/**
 * Sends a file by its name.
 * @returns false when there is none of that name
 */
export async function sendAsset(
  name: string,
  request: Request,
  response: Response,
): Promise<boolean> {
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (!source) return false;
  const asset = await assetOf(name, source);
  response.set({ etag: asset.etag, vary: 'accept-encoding', 'content-type': asset.contentType });
  if (request.fresh) {
    response.status(304).end();
    return true;
  }
  const compressed = request.acceptsEncodings('gzip') === 'gzip';
  if (compressed) response.set('content-encoding', 'gzip');
  const body = compressed ? asset.compressed : asset.bytes;
  response.set('content-length', String(body.length));
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
