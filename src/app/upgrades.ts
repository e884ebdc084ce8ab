import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { isWellAddressed } from './host-door.js';

/** What a socket is refused with that names no usable host. */
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';

/** Headers that speak of an upgrade alone. */
const OF_UPGRADES = new Set(['upgrade', 'http2-settings']);

/**
 * Takes upgrades to a socket, and answers requests that offer another protocol as if they offered
 * none (RFC 9110, 7.8): clients such as that of Java offer HTTP/2 with whatever they ask first. One
 * that offers before it has its last answer loses the connection: Node would not go on with both.
 */
export function takeUpgrades(server: Server, sockets: WebSocketServer): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => latest.set(socket, response));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (latest.get(socket)?.writableFinished === false) return socket.destroy();
    if (!isWellAddressed(request)) return void socket.end(BAD_REQUEST);
    if (!offersSocket(request)) return askAgain(server, request, socket, head);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      sockets.emit('connection', opened, request);
    });
  });
}

/** The names of protocols may have a version behind them. */
function offersSocket({ headers }: IncomingMessage): boolean {
  return tokensOf(headers.upgrade).some((name) => /^websocket(\/|$)/.test(name));
}

/**
 * Node has read the head of the request and takes what follows for the other protocol: the head is
 * put back before it without the offer, and the connection is read from there.
 */
function askAgain(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = withoutOffer(name, rawHeaders[at + 1] ?? '');
    if (value !== undefined) lines.push(`${name}: ${value}`);
  }
  // Node reads heads as Latin-1, whatever their bytes mean.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.unshift(Buffer.concat([head, rest]));
  server.emit('connection', socket);
}

/** The value of a header without what offers an upgrade; undefined where nothing is left. */
function withoutOffer(name: string, value: string): string | undefined {
  const known = name.toLowerCase();
  if (OF_UPGRADES.has(known)) return undefined;
  if (known !== 'connection') return value;
  const left = tokensOf(value).filter((token) => !OF_UPGRADES.has(token));
  return left.length > 0 ? left.join(', ') : undefined;
}

function tokensOf(list = ''): string[] {
  return list
    .split(',')
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}
