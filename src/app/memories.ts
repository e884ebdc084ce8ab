import type { Pool } from 'pg';
import { KeyControls } from '../access/abuse/key-controls.js';
import { PolicyCache } from '../access/policies/policy-cache.js';
import { WorkspaceMemory } from '../access/workspaces/workspace-memory.js';
import { SpendControlMemory } from '../finops/budgets/spend-controls.js';
import type { Services } from '../graph/ctx.js';
import type { ByteCache } from '../platform/byte-cache/byte-cache.js';
import { MemoryByteCache } from '../platform/byte-cache/memory.js';
import { RedisByteCache } from '../platform/byte-cache/redis.js';
import type { Config } from '../platform/config.js';
import type { Counters } from '../platform/counters/counters.js';
import { MemoryCounters } from '../platform/counters/memory.js';
import { RedisCounters } from '../platform/counters/redis.js';
import type { Keyring } from '../platform/keyring.js';
import { PromptCache } from '../prompts/prompt-cache.js';
import { ControlVersions } from '../records/control-versions.js';
import { createAliasCache } from '../routing/aliases/alias-cache.js';
import { RoutingMemory } from '../routing/memory/routing-memory.js';
import { createWorkloadCache } from '../routing/workloads/contract-cache.js';
import type { WorkerSeat } from './workers/seat.js';

/** Counters of this process, or of all that share a Redis. */
export async function createCounters(
  config: Config,
  log: Services['log'],
  seat: WorkerSeat | undefined,
): Promise<Counters> {
  const alone = seat?.counters ?? new MemoryCounters();
  if (!config.REDIS_URL) return alone;
  const counters = new RedisCounters(config.REDIS_URL, log, alone);
  await counters.ready();
  return counters;
}

/** Where answers are kept: in this process, or in a Redis for all. */
export function createByteCache(
  { REDIS_URL: url }: Config,
  keyring: Keyring,
  log: Services['log'],
): ByteCache {
  return url ? new RedisByteCache(url, keyring, log) : new MemoryByteCache();
}

/** What is asked on every request and changes seldom, in memory by tenant. */
export function tenantCaches(pool: Pool) {
  const [policies, prompts] = [new PolicyCache(pool), new PromptCache(pool)];
  const [workloads, modelAliases] = [createWorkloadCache(pool), createAliasCache(pool)];
  const [routing, controls] = [new RoutingMemory(pool), new ControlVersions(pool)];
  const [spendControls, keyControls] = [new SpendControlMemory(pool), new KeyControls(pool)];
  const controlling = {
    controls,
    spendControls,
    keyControls,
    workspaces: new WorkspaceMemory(pool),
  };
  return { policies, prompts, workloads, modelAliases, routing, ...controlling };
}
