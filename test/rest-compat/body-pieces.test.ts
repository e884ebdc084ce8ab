import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { readBody } from '../../rest-compat/body.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Sends a body in pieces. @returns what came of it, and what is left of its second piece */
async function received(request: PassThrough, pieces: readonly string[]) {
  const parts = Object.assign(request, { headers: { 'transfer-encoding': 'chunked' } });
  const reading = readBody(parts as unknown as IncomingMessage, 1_000);
  let second: WeakRef<Buffer> | undefined;
  for (const [index, piece] of pieces.entries()) {
    const bytes = Buffer.from(piece);
    if (index === 1) second = new WeakRef(bytes);
    request.write(bytes);
  }
  request.end();
  return { body: await reading, second };
}

it.each([
  [[], ''],
  [['one'], 'one'],
  [['one, ', 'two, ', 'three'], 'one, two, three'],
])('a body of the pieces %j is %j', async (pieces, whole) => {
  expect((await received(new PassThrough(), pieces)).body.toString()).toBe(whole);
});

it('a body is held once: its pieces are let go while its request lives on', async () => {
  const request = new PassThrough();
  const { second } = await received(request, ['one, ', 'two, ', 'three']);
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  expect([request.destroyed, second?.deref()]).toEqual([true, undefined]);
});
