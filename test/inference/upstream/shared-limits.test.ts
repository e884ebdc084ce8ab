import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Deployment } from '../../../src/catalog/providers/model.js';
import { Gate, isAtLimit } from '../../../src/inference/upstream/gate.js';
import { RedisCounters } from '../../../src/platform/counters/redis.js';
import { serviceRedisUrl } from '../../support/database.js';

const url = await serviceRedisUrl();

// A node that is starved for longer than its patience with Redis counts for itself, by its share.
it.skipIf(url === undefined)('two nodes share a limit in Redis, whoever asks', async () => {
  const nodes = [0, 1].map(() => new RedisCounters(url ?? '', pino({ level: 'silent' })));
  await Promise.all(nodes.map((counters) => counters.ready()));
  const gates = nodes.map(
    (counters) =>
      new Gate({ counters, share: () => 0, leaseMs: 1_000, now: () => performance.now() }),
  );
  const deployment = { key: randomUUID(), limits: { requestsPerMinute: 7 } } as Deployment;
  const asked = Array.from({ length: 60 }, (_, index) => gates[index % 2]?.pass(deployment, {}));
  const passed = (await Promise.all(asked)).filter((one) => !isAtLimit(one));
  expect(passed.length).toBeLessThanOrEqual(7);
  expect(passed.length).toBeGreaterThan(0);
  await Promise.all(nodes.map((counters) => counters.close()));
});
