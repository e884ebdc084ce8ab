import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

/** Sends a head as it is written. @returns status and body of the answer */
async function sent(...lines: readonly string[]) {
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
}

const MALFORMED = [
  ...['a b', 'x:99999', '[::1', '::1', '[::1]x', 'a/b', 'a\\b', 'a@b', 'a?b', 'a#b', 'x:-1'],
  ...['<script>', '[zz]', 'a,b', 'a:1:2', 'http://a', '[]', 'x:1e3', 'café'],
];
const PATHS = ['/graphql', '/graphql?query={__typename}', '/v1/models', '/', '/livez', '/nothing'];

describe('a malformed host', () => {
  it.each(MALFORMED)('%s is refused on every path, without a stack or an echo', async (host) => {
    for (const path of PATHS) {
      const { status, body } = await sent(`GET ${path} HTTP/1.1`, `Host: ${host}`);
      expect([path, status]).toEqual([path, 400]);
      expect(body).toMatch(/"code":"invalid_host"|^$/);
      expect(body).not.toMatch(/node_modules|\/src\/|\bat \w/);
      if (host.length > 3) expect(body).not.toContain(host);
    }
  });

  it('is refused to a POST and to an upgrade', async () => {
    const head = ['Host: a b', 'content-type: application/json', 'content-length: 2'];
    const posted = await sent('POST /graphql HTTP/1.1', ...head);
    expect(posted).toMatchObject({ status: 400, body: expect.stringContaining('invalid_host') });
    const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
    expect(await sent('GET /graphql HTTP/1.1', 'Host: a b', ...upgrade, key)).toEqual({
      status: 400,
      body: '',
    });
  });
});

describe('two hosts', () => {
  it.each([
    ['different', 'a.example', 'b.example'],
    ['equal', 'a.example', 'a.example'],
  ])('that are %s are refused', async (_, first, second) => {
    for (const path of PATHS) {
      const { status } = await sent(`GET ${path} HTTP/1.1`, `Host: ${first}`, `hOST: ${second}`);
      expect([path, status]).toEqual([path, 400]);
    }
  });
});

describe('a host', () => {
  it.each([
    'localhost',
    'gw.example.com:8080',
    '127.0.0.1:1',
    '[::1]:8080',
    'шлюз.example',
    'xn--80ab.example.',
    'a_b:',
  ])('that is %s is taken', async (host) => {
    const wire = Buffer.from(host).toString('latin1');
    const { status } = await sent('GET /livez HTTP/1.1', `Host: ${wire}`, 'connection: close');
    expect(status).toBe(/^[\x20-\x7e]+$/.test(host) ? 200 : 400);
  });
});
