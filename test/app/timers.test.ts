import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { newCustomer, rest, startApp } from '../support/app.js';

it('a stop waits for the periodic work under way, which fails at nothing', async () => {
  const app = await startApp();
  const { transparencyLog, platformPool, log } = app.server.services;
  const warn = vi.spyOn(log, 'warn');
  const told: string[] = [];
  vi.spyOn(transparencyLog, 'bringForward').mockImplementation(async () => {
    told.push('begun');
    await sleep(500);
    await platformPool.query('SELECT 1');
    told.push('done');
    return true;
  });
  const { key } = await newCustomer(app, 100);
  const body = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'Hello' }] };
  await rest(app, 'POST', '/v1/chat/completions', { credential: key, body });
  await expect.poll(() => told, { timeout: 20_000 }).toEqual(['begun']);
  await app.stop();
  expect(told).toEqual(['begun', 'done']);
  expect(warn.mock.calls.filter((words) => words.includes('a periodic task failed'))).toEqual([]);
});
