import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProviders } from '../../../src/catalog/providers/providers-file.js';
import { buildRegistry } from '../../../src/catalog/providers/registry.js';
import { createUpstream } from '../../../src/inference/upstream/upstream.js';
import { laneOf } from '../../catalog/fleet/world.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { chatCall, LONG } from './lanes.js';

let double: UpstreamDouble;
beforeAll(async () => {
  double = await startUpstreamDouble();
});
afterAll(() => double.close());

/** Calls a provider at an address inside, as the file or an operator at runtime names it. */
async function call(addedAtRuntime: boolean, hostsAllowed: readonly string[], host: string) {
  const origin = double.origin.replace('127.0.0.1', host);
  const entries = parseProviders(JSON.stringify({ providers: [laneOf('in', origin)] }), 'a text');
  const registry = buildRegistry(
    entries.map((entry) => ({ ...entry, addedAtRuntime })),
    {
      GW_SANDBOX: false,
      GW_PROVIDERS_FILE: undefined,
      GW_FIRST_BYTE_TIMEOUT_MS: LONG.firstByteMs,
      GW_CHUNK_GAP_TIMEOUT_MS: LONG.gapMs,
    },
    {},
  );
  const upstream = createUpstream({
    registry,
    config: {
      GW_CONNECT_TIMEOUT_MS: LONG.connectMs,
      GW_FIRST_BYTE_TIMEOUT_MS: LONG.firstByteMs,
      GW_FIRST_BYTE_TOTAL_TIMEOUT_MS: LONG.firstByteTotalMs,
      GW_REQUEST_TIMEOUT_MS: LONG.totalMs,
      providerHostsAllowed: new Set(hostsAllowed),
    },
    random: () => 0,
  });
  const before = double.log.length;
  const ended = await upstream.call(registry.chain('pool/chat'), chatCall(false)).then(
    ({ attempts }) => attempts,
    ({ attempts }) => attempts,
  );
  await upstream.close();
  return [ended.at(-1)?.error, double.log.length - before];
}

describe('a socket to an address inside', () => {
  it.each(['127.0.0.1', 'localhost'])('is opened for the file at %s', async (host) => {
    expect(await call(false, [], host)).toEqual([null, 1]);
  });

  it.each(['127.0.0.1', 'localhost'])(
    'is refused to a provider that was added at runtime at %s, before a byte is sent',
    async (host) => {
      expect(await call(true, [], host)).toEqual(['connect_failed', 0]);
    },
  );

  it('is opened to it where the server allows the host, by its name or its address', async () => {
    expect(await call(true, ['localhost'], 'localhost')).toEqual([null, 1]);
    expect(await call(true, ['127.0.0.1'], '127.0.0.1')).toEqual([null, 1]);
  });
});
