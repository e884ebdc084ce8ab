import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { SelfSigned } from '../../support/certificate.js';

/** A request that reached the endpoint. */
export interface Hit {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server of this machine that counts what reaches it. */
export interface Canary {
  readonly port: number;
  /** Sockets that were opened, also those that sent nothing. */
  connections(): number;
  readonly hits: readonly Hit[];
  stop(): Promise<void>;
}

/** Answers the hit of this number, from 1. */
export type Reply = (response: Parameters<RequestListener>[1], hitNumber: number, hit: Hit) => void;

/** Starts an endpoint; with a certificate it speaks TLS. */
export async function startCanary(
  reply: Reply = (response) => response.end('{"ok":true}'),
  certificate?: SelfSigned,
): Promise<Canary> {
  const hits: Hit[] = [];
  let connections = 0;
  const onRequest: RequestListener = async (request, response) => {
    hits.push(await hitOf(request));
    const hit = hits.at(-1);
    if (hit) reply(response, hits.length, hit);
  };
  const server: Server = certificate
    ? createTlsServer(certificate, onRequest)
    : createServer(onRequest);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    hits,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function hitOf(request: IncomingMessage): Promise<Hit> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
