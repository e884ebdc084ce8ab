import type { Pool } from 'pg';
import { TokenQuota } from '../access/abuse/credential.js';
import { KeyControls } from '../access/abuse/key-controls.js';
import { KeySightings } from '../access/abuse/key-sightings.js';
import { Authenticator } from '../access/auth/credentials.js';
import { createTokenIssuer } from '../access/auth/tokens.js';
import { keyHasher } from '../access/keys/format.js';
import { PolicyCache } from '../access/policies/policy-cache.js';
import { WorkspaceMemory } from '../access/workspaces/workspace-memory.js';
import { WebhookWorker } from '../actions/webhook-endpoints/worker/worker.js';
import { Fleet } from '../catalog/fleet/fleet.js';
import type { Deployment } from '../catalog/providers/model.js';
import {
  forgetSpending,
  WATCH_LOOKS,
  watchRows,
  watchSpending,
} from '../finops/anomalies/spend-watch.js';
import { SpendControlMemory } from '../finops/budgets/spend-controls.js';
import { forgetFocusGroups } from '../finops/focus/kept-groups.js';
import { keySpend } from '../finops/reports/key-spend.js';
import { ROLLUP_LOOKS, UsageRollup } from '../finops/reports/rollup.js';
import type { Services } from '../graph/ctx.js';
import { forgetSessions } from '../growth/analytics/counts.js';
import { RunningStreams } from '../inference/chat/running-streams.js';
import { judgeText } from '../inference/firewall/judge-text.js';
import { OpenRequests } from '../inference/open-requests.js';
import { ResponseCache } from '../inference/response-cache/response-cache.js';
import { createUpstream } from '../inference/upstream/upstream.js';
import { PROOF_LOOKS, proveBooksWhenDue } from '../money/integrity/prove.js';
import { createLedger } from '../money/ledger/create-ledger.js';
import type { Ledger } from '../money/ledger/ledger.js';
import { type AccessLog, createAccessLog } from '../platform/access-log.js';
import type { ByteCache } from '../platform/byte-cache/byte-cache.js';
import { MemoryByteCache } from '../platform/byte-cache/memory.js';
import { RedisByteCache } from '../platform/byte-cache/redis.js';
import type { Config } from '../platform/config.js';
import type { Counters } from '../platform/counters/counters.js';
import { MemoryCounters } from '../platform/counters/memory.js';
import { RedisCounters } from '../platform/counters/redis.js';
import { createListener } from '../platform/database/listen.js';
import { connectDatabase, type Database } from '../platform/database/pool.js';
import { createPrisma } from '../platform/database/prisma.js';
import { createLog } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { claimNodeName } from '../platform/node-name.js';
import { OwnAddress } from '../platform/own-address.js';
import { PromptCache } from '../prompts/prompt-cache.js';
import { productKinds } from '../records/approvals/kinds.js';
import { chainTrails } from '../records/audit-chain.js';
import { ControlVersions } from '../records/control-versions.js';
import { createFeedNotifier } from '../records/feed-notifier.js';
import { IdempotencyKeys, RENEW_EVERY_MS } from '../records/idempotency.js';
import { sweepOutcomes } from '../records/keyed-outcomes.js';
import { type Follower, Looks } from '../records/looks.js';
import { createAliasCache } from '../routing/aliases/alias-cache.js';
import { OutcomeMemory } from '../routing/memory/outcome-memory.js';
import { RoutingMemory } from '../routing/memory/routing-memory.js';
import { Situations } from '../routing/memory/situations.js';
import { createWorkloadCache } from '../routing/workloads/contract-cache.js';
import { doLeftWork } from './left-work.js';
import { Load } from './load.js';

declare module '../graph/ctx.js' {
  interface Services {
    readonly access: AccessLog;
    readonly metrics: Metrics;
    readonly idempotency: IdempotencyKeys;
    readonly ownAddress: OwnAddress;
  }
}

/** The services of a process, with the way to stop them. */
export interface RunningServices {
  readonly services: Services;
  /** What this node carries. */
  readonly load: Load;
  /** Flushes the ledger, retires the node and closes every connection. */
  stop(): Promise<void>;
}

const SWEEP_EVERY_MS = 60_000;
const LEFT_WORK_EVERY_MS = 10_000;
const HOLDS_EVERY_MS = 10_000;
/** How soon a node counts others in or out that came or went without a word. */
const FLEET_EVERY_MS = 10_000;
/** A hold this young may belong to a request that is only just being entered. Milliseconds. */
const HOLD_AGE_MS_MIN = 15_000;
const ANSWERS_EVERY_MS = 3_600_000;
/** How often it is asked, of memory alone, whether a follower of usage is to look. */
const FOLLOWERS_EVERY_MS = 400;
/** How soon a scan on another node knows an address from which a key is used. */
const SIGHTINGS_EVERY_MS = 5_000;

/** How long an audit event may stand outside of the chain of its organization. */
const CHAIN_EVERY_MS = 5_000;

/** Connects, migrates, takes the node over and starts everything that runs by itself. */
export async function startServices(given: Config): Promise<RunningServices> {
  const log = createLog(given.LOG_LEVEL);
  const fleet = new Fleet({ config: given, log });
  const database = await openDatabase(given);
  const { pool, platformPool, connection } = database;
  const node = await claimNodeName(connection, given.GW_NODE_ID);
  const config: Config = { ...given, nodeId: node.name };
  const prisma = createPrisma(database);
  const listener = await createListener(connection);
  const counters = await createCounters(config, log);
  const tokens = await createTokenIssuer(platformPool, config.secret, 'gw');
  const hashKey = keyHasher(config.secret);
  const authenticator = new Authenticator(platformPool, tokens, hashKey, config.platformAdmins);
  const caches = tenantCaches(platformPool);
  await Promise.all([authenticator, ...Object.values(caches)].map((each) => each.follow(listener)));
  const at = { pool: platformPool, nodeId: node.name, dataDir: config.dataDir };
  const ledger = createLedger({ ...at, log });
  await ledger.start();
  await fleet.follow({ ...at, listener });
  const load = new Load(given.GW_IN_FLIGHT_MAX);
  const feedNotifier = await createFeedNotifier(listener);
  const base = { config, pool, platformPool, prisma, listener, log, feedNotifier };
  const services: Services = {
    ...base,
    counters,
    tokens,
    hashKey,
    authenticator,
    ...caches,
    ...keyWatch(platformPool, config),
    ledger,
    ...models(platformPool, config, { fleet, counters, routing: caches.routing }),
    judgeText,
    approvalKinds: productKinds,
    runningStreams: new RunningStreams(),
    openRequests: new OpenRequests(),
    usageRollup: new UsageRollup({ platformPool, log }),
    places: load,
    responseCache: new ResponseCache(createByteCache(config, log)),
    webhooks: new WebhookWorker(base),
    idempotency: keysOf(platformPool, config, ledger),
    metrics: new Metrics(),
    ownAddress: new OwnAddress(),
    access: createAccessLog(given.LOG_LEVEL),
  };
  await services.webhooks.start();
  const timers = startTimers(services);
  return {
    services,
    load,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await services.keySightings.write().catch(() => {});
      await services.webhooks.stop();
      await services.usageRollup.stop();
      await services.upstream.close();
      services.idempotency.close();
      await ledger.stop();
      await fleet.leave();
      feedNotifier.close();
      await listener.close();
      await counters.close();
      await services.responseCache.close();
      await node.release();
      await prisma.$disconnect();
      await database.stop();
      services.access.flush();
    },
  };
}

function openDatabase(given: Config): Promise<Database> {
  return connectDatabase({
    databaseUrl: given.DATABASE_URL,
    migrationUrl: given.DATABASE_MIGRATION_URL,
    dataDir: given.dataDir,
    secret: given.secret,
    max: given.DATABASE_POOL_MAX,
  });
}

async function createCounters(config: Config, log: Services['log']): Promise<Counters> {
  if (!config.REDIS_URL) return new MemoryCounters();
  const counters = new RedisCounters(config.REDIS_URL, log);
  await counters.ready();
  return counters;
}

function createByteCache({ REDIS_URL: url, secret }: Config, log: Services['log']): ByteCache {
  return url ? new RedisByteCache(url, secret, log) : new MemoryByteCache();
}

/** What is asked on every request and changes seldom, in memory by tenant. */
function tenantCaches(pool: Pool) {
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

/** What counts and watches the use of keys and tokens. */
function keyWatch(pool: Pool, { secret }: Config) {
  const keySightings = new KeySightings(pool, secret);
  return { tokenQuota: new TokenQuota(pool), keySightings, keySpend };
}

/** What the models, the way out to them and the router are reached by. */
function models(
  pool: Pool,
  config: Config,
  { fleet, counters, routing }: Pick<Services, 'fleet' | 'counters' | 'routing'>,
) {
  const { registry } = fleet;
  const upstream = createUpstream({ registry, config, counters, share: fleet.share });
  const outcomes = new OutcomeMemory(pool);
  const healthy = (deployment: Deployment) => upstream.healthy(deployment);
  return {
    fleet,
    registry,
    modelNames: () => registry.models.keys(),
    upstream,
    routingOutcomes: outcomes,
    situations: new Situations({ pool, registry, routing, outcomes, healthy }),
  };
}

function keysOf(pool: Pool, config: Config, ledger: Ledger): IdempotencyKeys {
  return new IdempotencyKeys({ pool, config, epoch: () => ledger.gauges().epoch });
}

/**
 * Gives back the open holds of this process whose request is gone. Each is a fault of the gateway:
 * it is named in the log and counted.
 * @returns the ids of the requests
 */
export async function releaseLostHolds(
  { ledger, openRequests, log }: Services,
  olderThanMs: number,
): Promise<readonly string[]> {
  const lost = await ledger.releaseLost((id) => openRequests.isUnderWay(id), olderThanMs);
  for (const requestId of lost) {
    openRequests.forget(requestId);
    log.error({ requestId }, 'a hold was open although its request is gone');
  }
  return lost;
}

function startTimers(services: Services): NodeJS.Timeout[] {
  const { idempotency, ledger, log } = services;
  const warn = (error: unknown) => log.warn({ err: error }, 'a periodic task failed');
  /** What is due at once is done one after the other, so that it takes one connection. */
  const every = (ms: number, ...works: readonly (() => Promise<unknown>)[]) => {
    const timer = setInterval(async () => {
      for (const work of works) await work().catch(warn);
    }, ms);
    return timer.unref();
  };
  return [
    every(FOLLOWERS_EVERY_MS, ...followersOf(services)),
    every(RENEW_EVERY_MS, () => idempotency.renew()),
    every(
      SWEEP_EVERY_MS,
      () => idempotency.sweep(),
      () => sweepOutcomes(services),
      () => forgetFocusGroups(services),
    ),
    every(
      ANSWERS_EVERY_MS,
      () => ledger.forgetAnswers(),
      () => services.keySightings.forgetOld(),
      () => forgetSpending(services),
      () => forgetSessions(services),
    ),
    every(HOLDS_EVERY_MS, () => releaseLostHolds(services, HOLD_AGE_MS_MIN)),
    every(FLEET_EVERY_MS, () => services.fleet.reload()),
    every(LEFT_WORK_EVERY_MS, () => doLeftWork(services)),
    every(SIGHTINGS_EVERY_MS, () => services.keySightings.write()),
    every(CHAIN_EVERY_MS, () => chainTrails(services)),
  ];
}

/** What follows usage and the ledger: the watch, which is to tell soon, and what sums them up. */
function followersOf(services: Services): (() => Promise<void>)[] {
  const rows = watchRows();
  const followers: readonly Follower[] = [
    { times: WATCH_LOOKS, look: () => watchSpending(services, rows) },
    { times: PROOF_LOOKS, look: () => proveBooksWhenDue(services) },
    { times: ROLLUP_LOOKS, look: () => services.usageRollup.bringForwardWhenDue() },
  ];
  const writtenOps = () => services.ledger.gauges().ops;
  return followers.map((follower) => {
    const looks = new Looks(follower, writtenOps);
    return () => looks.lookWhenDue();
  });
}
