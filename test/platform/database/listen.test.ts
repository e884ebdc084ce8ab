import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createListener, type Listener } from '../../../src/platform/database/listen.js';
import { type EmptyDatabase, emptyDatabase } from './empty.js';

let database: EmptyDatabase;
let listener: Listener;

beforeAll(async () => {
  database = await emptyDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  listener = await createListener(database.connection, { retryMsMin: 5, heartbeatMs: 20 });
});

afterEach(() => listener.close());

const notify = (channel: string, payload: string) =>
  database.query(`SELECT pg_notify('${channel}', '${payload}')`);

const cutOff = () =>
  database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'gw-listener' AND datname = current_database()`,
  );

describe('the listener', () => {
  it('hands each payload to the handlers of its channel, in order', async () => {
    const heard: string[] = [];
    await listener.listen('Keys', (payload) => heard.push(`a ${payload}`));
    await listener.listen('Keys', (payload) => heard.push(`b ${payload}`));
    await listener.listen('other', (payload) => heard.push(`other ${payload}`));
    await notify('Keys', '1');
    await notify('nobody', 'x');
    await notify('Keys', '2');
    await notify('other', '3');
    await vi.waitFor(() => expect(heard).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'other 3']));
  });

  it('stops to hand out what is no longer wanted', async () => {
    const heard: string[] = [];
    const leave = await listener.listen('keys', (payload) => heard.push(payload));
    await listener.listen('last', (payload) => heard.push(payload));
    leave();
    await notify('keys', 'unwanted');
    await notify('last', 'end');
    await vi.waitFor(() => expect(heard).toEqual(['end']));
  });

  it('tells of a lost connection and of its return with every channel subscribed', async () => {
    const heard: string[] = [];
    listener.onDisconnected(() => heard.push('disconnected'));
    listener.onConnected(() => heard.push('connected'));
    await listener.listen('keys', (payload) => heard.push(payload));
    await cutOff();
    await vi.waitFor(() => expect(heard).toEqual(['disconnected', 'connected']));
    await notify('keys', 'after');
    await vi.waitFor(() => expect(heard).toEqual(['disconnected', 'connected', 'after']));
  });

  it('keeps trying while the database takes no connections', async () => {
    const heard: string[] = [];
    const name = String(database.connection.database);
    listener.onDisconnected(() => heard.push('disconnected'));
    listener.onConnected(() => heard.push('connected'));
    const other = await emptyDatabase();
    await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    await vi.waitFor(() => expect(heard).toEqual(['disconnected']));
    await listener.listen('keys', (payload) => heard.push(payload));
    await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await vi.waitFor(() => expect(heard).toEqual(['disconnected', 'connected']), 10_000);
    await notify('keys', 'after');
    await vi.waitFor(() => expect(heard.at(-1)).toBe('after'));
    await other.drop();
  });

  it('leaves a connection whose server no longer answers', async () => {
    const heard: string[] = [];
    listener.onDisconnected(() => heard.push('disconnected'));
    listener.onConnected(() => heard.push('connected'));
    const rows = await database.query(
      `SELECT pid FROM pg_stat_activity
       WHERE application_name = 'gw-listener' AND datname = current_database()`,
    );
    const frozen =
      z
        .array(z.object({ pid: z.number() }))
        .length(1)
        .parse(rows)[0]?.pid ?? 0;
    process.kill(frozen, 'SIGSTOP');
    try {
      await vi.waitFor(() => expect(heard).toEqual(['disconnected', 'connected']), 20_000);
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
  });

  it('is silent once it is closed', async () => {
    const heard: string[] = [];
    listener.onDisconnected(() => heard.push('disconnected'));
    listener.onConnected(() => heard.push('connected'));
    await listener.close();
    const open = `SELECT count(*)::int AS open FROM pg_stat_activity
      WHERE application_name = 'gw-listener' AND datname = current_database()`;
    await vi.waitFor(async () => expect(await database.query(open)).toEqual([{ open: 0 }]));
    expect(heard).toEqual([]);
  });

  it('fails at once when there is no server to begin with', async () => {
    const opening = createListener({ host: '127.0.0.1', port: 1 });
    await expect(opening).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
