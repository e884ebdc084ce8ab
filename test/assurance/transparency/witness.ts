import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A key as notes name it, of this type. */
function named(name: string, type: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const typed = Buffer.concat([Buffer.of(type), raw]);
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4);
  const key = `${name}+${id.toString('hex')}+${typed.toString('base64')}`;
  return { name, id, key, privateKey };
}

/** A line of a signature. */
const lineOf = (name: string, id: Buffer, signature: Buffer) =>
  `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;

/** The text of a note, with its final line feed. */
export const bodyOf = (note: string) => note.slice(0, note.lastIndexOf('\n\n') + 1);

export const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** A witness by c2sp.org/tlog-cosignature, written without the product. */
export function newWitness(name = 'witness.example/w1') {
  const { id, key, privateKey } = named(name, 0x04);
  /** The line over a text and time; what is forged is signed as if it were theirs. */
  function cosign(body: string, time = nowSeconds(), claimed = time): string {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(BigInt(claimed));
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${body}`), privateKey);
    return lineOf(name, id, Buffer.concat([stamp, signature]));
  }
  return { name, key, cosign };
}

export type TestWitness = ReturnType<typeof newWitness>;

/** A log by c2sp.org/tlog-checkpoint, written without the product. */
export function newLog(origin = 'log.example/one') {
  const { id, key, privateKey } = named(origin, 0x01);
  const bodyAt = (size: number, rootHex: string) =>
    `${origin}\n${size}\n${Buffer.from(rootHex, 'hex').toString('base64')}\n`;
  const noteOf = (body: string) =>
    `${body}\n${lineOf(origin, id, sign(null, Buffer.from(body), privateKey))}`;
  return { origin, key, bodyAt, noteOf };
}

/** What a witness server was asked, and what it answers. */
export interface AskedWitness {
  readonly url: string;
  readonly asked: { path: string; body: string }[];
  stop(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
}

/** Serves `add-checkpoint` on a port of this machine. */
export async function serveWitness(
  answer: (body: string) => { status: number; text: string },
): Promise<AskedWitness> {
  const asked: { path: string; body: string }[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await textOf(request);
    asked.push({ path: request.url ?? '', body });
    const { status, text } = answer(body);
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
