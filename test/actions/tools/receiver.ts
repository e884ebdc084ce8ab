import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as an endpoint received it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What an endpoint answers to the call of this number, from 0. */
export interface Reply {
  readonly status: number;
  readonly body?: string | Buffer;
}

/** An endpoint of a customer, on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Decides about answers; 200 with `{"ok":true}` until it is set. */
  reply: (call: Received, count: number) => Reply | Promise<Reply>;
  close(): Promise<void>;
}

/** Starts an endpoint; the gateway reaches it with GW_WEBHOOK_ALLOW=127.0.0.1. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { headers: request.headers, text: Buffer.concat(chunks).toString('utf8') };
      received.push(call);
      void answer(call, received.length - 1).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
  });
  const answer = async (call: Received, count: number): Promise<Reply> => {
    const reply = await receiver.reply(call, count);
    return { body: '{"ok":true}', ...reply };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    reply: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
