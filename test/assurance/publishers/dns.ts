import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** What a name server of a test answers: texts, a code of DNS, or nothing at all. */
export type Zone = (name: string) => readonly string[] | 'nxdomain' | 'servfail' | 'hang';

/** A name server on this machine that answers TXT questions as a test says. */
export interface NameServer {
  /** As the setting names it. */
  readonly address: string;
  /** The names that were asked for. */
  readonly asked: string[];
  zone: Zone;
  stop(): void;
}

const RCODES = { nxdomain: 3, servfail: 2 } as const;

/** Starts one; a TXT text of more than 255 bytes is several parts, as in every zone. */
export async function startNameServer(): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  const server = {
    address: '',
    asked: [] as string[],
    zone: (() => 'nxdomain') as Zone,
    stop: () => void socket.close(),
  };
  socket.on('message', (question, from) => {
    const name = nameIn(question);
    server.asked.push(name);
    const answer = server.zone(name);
    if (answer !== 'hang') socket.send(reply(question, answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

const HEAD = 12;

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = HEAD; question[at]; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  }
  return labels.join('.');
}

function questionEnd(question: Buffer): number {
  let at = HEAD;
  while (question[at]) at += (question[at] ?? 0) + 1;
  return at + 5;
}

function reply(question: Buffer, answer: readonly string[] | keyof typeof RCODES): Buffer {
  const texts = typeof answer === 'string' ? [] : answer;
  const head = Buffer.from(question.subarray(0, questionEnd(question)));
  head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? RCODES[answer] : 0), 2);
  head.writeUInt16BE(texts.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...texts.map(record)]);
}

function record(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(parts);
  const head = Buffer.from([0xc0, HEAD, 0, 16, 0, 1, 0, 0, 0, 60, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
