import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startApp } from '../support/app.js';

it('a connection that has never asked anything does not keep a server from stopping', async () => {
  const app = await startApp();
  const socket = connect(app.server.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await app.stop();
  await closed;
  expect(socket.destroyed).toBe(true);
}, 20_000);
