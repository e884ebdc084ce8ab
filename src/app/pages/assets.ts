import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { projectRoot } from '../../platform/database/project-root.js';
import { installedFile } from '../../platform/installed-file.js';

/** A file for browsers, ready to be sent. */
interface Asset {
  readonly bytes: Buffer;
  readonly compressed: Buffer;
  readonly etag: string;
}

const require = createRequire(import.meta.url);
const compress = promisify(gzip);

/** Scripts, style and sign of our own pages; they are served as they are written. */
const BROWSER_FILES = join(projectRoot(), 'src', 'app', 'pages', 'browser');

/** All of them lie in this tree or in installed packages: nothing comes from another host. */
const SOURCES: Readonly<Record<string, (name: string) => Promise<Buffer | string>>> = {
  'frame.css': ownFile,
  'pages.css': ownFile,
  'explorer.css': ownFile,
  'copy.js': ownFile,
  'icon.svg': ownFile,
  'cockpit.js': ownFile,
  'reset.js': ownFile,
  'reference.js': ownFile,
  'explorer.js': ownFile,
  'beacon.js': ownFile,
  'scalar.js': () => readFile(installedFile('@scalar/api-reference/browser/standalone.js')),
  // The package's build for a script element lies beside the one that Node resolves.
  'graphql-ws.js': () =>
    readFile(join(dirname(require.resolve('graphql-ws')), '..', 'umd', 'graphql-ws.min.js')),
  'graphiql.js': async () => (await graphiql()).js,
  'graphiql.css': async () => (await graphiql()).css,
  'editor-worker.js': async () => (await graphiql()).editorWorkerService,
  'json-worker.js': async () => (await graphiql()).jsonWorker,
  'graphql-worker.js': async () => (await graphiql()).graphqlWorker,
};

function ownFile(name: string): Promise<Buffer> {
  return readFile(join(BROWSER_FILES, name));
}

/** Nine megabytes of text, so it is only loaded when somebody opens the explorer. */
function graphiql() {
  return import('@graphql-yoga/render-graphiql/graphiql');
}

async function load(content: Promise<Buffer | string>): Promise<Asset> {
  const bytes = Buffer.from(await content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, compressed: await compress(bytes), etag };
}

const loaded = new Map<string, Promise<Asset>>();

/**
 * Sends a file by its name. It is read and compressed once; one that could not be read is tried
 * again by the next request.
 * @returns false when there is none of that name
 */
export async function sendAsset(
  name: string,
  request: Request,
  response: Response,
): Promise<boolean> {
  const read = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (!read) return false;
  const loading = loaded.get(name) ?? load(read(name));
  loaded.set(name, loading);
  loading.catch(() => loaded.delete(name));
  const { bytes, compressed, etag } = await loading;
  response.set({ etag, vary: 'accept-encoding' }).type(extname(name));
  const compresses = request.acceptsEncodings('gzip') === 'gzip';
  if (compresses) response.set('content-encoding', 'gzip');
  response.send(compresses ? compressed : bytes);
  return true;
}
