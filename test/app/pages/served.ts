import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPages, type PagesOptions } from '../../../src/app/pages/pages.js';

/** Pages on a port of their own. */
export interface ServedPages {
  readonly baseUrl: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}

/** A small description with what the texts are made from. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'LLM gateway', version: '1.0.0', description: 'Everything about it.' },
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'changeThing',
        tags: ['things'],
        summary: 'Changes a thing.',
        description: 'Twice the same is once.',
        security: [{ bearer: [] }],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { enum: ['small', 'large'], description: 'How large.' },
                  parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
                  spare: { anyOf: [{ $ref: '#/components/schemas/Part' }, { type: 'null' }] },
                },
              },
              example: { size: 'small' },
            },
          },
        },
        responses: {
          200: {
            description: 'Success.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Part' } } },
          },
          400: { description: 'Refused.' },
        },
      },
    },
    '/open': {
      get: {
        operationId: 'readOpen',
        tags: ['things'],
        summary: 'Reads what is open.',
        security: [],
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      Part: { type: 'object', properties: { name: { type: ['string', 'null'] } } },
    },
  },
};

/** Serves the pages over sources that are small enough to be compared whole. */
export async function servePages(given: Partial<PagesOptions> = {}): Promise<ServedPages> {
  const pages = createPages({
    baseUrlOf: (request: IncomingMessage) => `http://${request.headers.host}`,
    openapi: () => ({ json: JSON.stringify(OPENAPI), yaml: 'openapi: 3.1.0\n' }),
    schemaSdl: () => 'type Query {\n  a: Int\n}\n',
    moduleOf: () => 'access/policies',
    sharedReport: async () => undefined,
    ...given,
  });
  const server = createServer(pages);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    get: (path, headers = {}) => fetch(baseUrl + path, { headers, redirect: 'manual' }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
