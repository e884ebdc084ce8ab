import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { killGateways, startGateway } from '../support/gateway-process.js';
import { newUsedFolder } from './providers.js';

const TEST_MS_MAX = 60_000;

afterAll(killGateways);

/** What a start says that serves nothing. */
async function lastWords(settings: NodeJS.ProcessEnv): Promise<string> {
  const started = startGateway({ LOG_LEVEL: 'silent', ...settings });
  const { message } = await started.then(
    () => new Error('it serves'),
    (error: Error) => error,
  );
  return message.replace('the gateway ended before it was ready:\n', '');
}

const FAULT = 'GW_WORKERS: must be a whole number from 1 to 64, or auto for one each core';

it.each(['two', '0', '65'])('a number of workers that is %s ends the start', async (GW_WORKERS) => {
  const words = await lastWords({ GW_WORKERS });
  expect(words).toBe(`The configuration has faults:\n  ${FAULT}\n`);
});

it('a number of workers under a misspelt name ends the start with one line', async () => {
  expect(await lastWords({ GW_WORKER: '2' })).toBe(
    'The configuration has faults:\n' +
      '  GW_WORKER: is no setting; GW_WORKERS is one, and is not set\n',
  );
});

it(
  'workers that cannot have the port end the start with one line, said once',
  async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const folder = await newUsedFolder();
    const settings = { GW_WORKERS: '2', PORT: String(port), GW_DATA_DIR: folder.path };
    expect(await lastWords(settings)).toBe(
      `port ${port} is in use by another process; end it, or set PORT\n`,
    );
    other.close();
    folder.remove();
  },
  TEST_MS_MAX,
);
