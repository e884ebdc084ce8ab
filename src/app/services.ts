import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { TokenQuota } from '../access/abuse/credential.js';
import { KeySightings } from '../access/abuse/key-sightings.js';
import { Authenticator } from '../access/auth/credentials.js';
import { createTokenIssuer } from '../access/auth/tokens.js';
import { ResetMails } from '../access/credentials/reset-mails.js';
import { keyHasher, keyHashes } from '../access/keys/format.js';
import { WebhookWorker } from '../actions/webhook-endpoints/worker/worker.js';
import { DnsTxtRecords } from '../assurance/publishers/txt-lookup.js';
import { TransparencyLog } from '../assurance/transparency/log.js';
import { PublishedLogs } from '../assurance/transparency/published-logs.js';
import { WitnessRounds } from '../assurance/transparency/witness-rounds.js';
import type { Deployment } from '../catalog/providers/model.js';
import { EvaluationRuns } from '../delivery/prompt-evaluations/runs.js';
import { AnomalyCounts } from '../finops/anomalies/counts.js';
import { EachBudgets } from '../finops/budgets/each-budgets.js';
import { keySpend } from '../finops/reports/key-spend.js';
import { UsageRollup } from '../finops/reports/rollup.js';
import type { Services } from '../graph/ctx.js';
import { RunningStreams } from '../inference/chat/running-streams.js';
import { judgeText, judgeTexts } from '../inference/firewall/judge-text.js';
import { ModelMetrics } from '../inference/model-metrics.js';
import { OpenRequests } from '../inference/open-requests.js';
import { ResponseCache } from '../inference/response-cache/response-cache.js';
import { EgressLog } from '../inference/upstream/egress-log.js';
import { createUpstream } from '../inference/upstream/upstream.js';
import { BooksMonitor } from '../money/books/monitor.js';
import { createLedger } from '../money/ledger/create-ledger.js';
import type { Ledger } from '../money/ledger/ledger.js';
import { type AccessLog, createAccessLog } from '../platform/access-log.js';
import type { Config } from '../platform/config.js';
import { DataKeys } from '../platform/data-keys.js';
import { clockOf } from '../platform/database/clock-follower.js';
import { createListener, type Listener } from '../platform/database/listen.js';
import { connectDatabase, type Database } from '../platform/database/pool.js';
import { createPrisma } from '../platform/database/prisma.js';
import { loadFormerHashKeys } from '../platform/former-hash-keys.js';
import { Keyring } from '../platform/keyring.js';
import { createMailer } from '../platform/mail.js';
import { Metrics } from '../platform/metrics.js';
import { claimNodeName, type NodeName } from '../platform/node-name.js';
import { OwnAddress } from '../platform/own-address.js';
import { openTelemetry, type Telemetry } from '../platform/telemetry.js';
import { productKinds } from '../records/approvals/kinds.js';
import { createFeedNotifier } from '../records/feed-notifier.js';
import { IdempotencyKeys } from '../records/idempotency.js';
import { Months, requireReadable } from '../records/months.js';
import { callableNames } from '../routing/aliases/callable-names.js';
import { OutcomeMemory } from '../routing/memory/outcome-memory.js';
import { Situations } from '../routing/memory/situations.js';
import { UsageMemory } from '../routing/memory/usage-memory.js';
import type { BegunServices } from './begun-services.js';
import { Callers } from './load/callers.js';
import { Load } from './load/load.js';
import { NodePressure } from './load/pressure.js';
import { createByteCache, createCounters, tenantCaches } from './memories.js';
import { startTimers } from './timers.js';
import { databaseOf } from './workers/database.js';
import { takeUpLeftFiles } from './workers/left-files.js';
import type { WorkerSeat } from './workers/seat.js';

declare module '../graph/ctx.js' {
  interface Services {
    readonly access: AccessLog;
    readonly metrics: Metrics;
    /** Undefined where no collector is set. */
    readonly telemetry: Telemetry | undefined;
    readonly idempotency: IdempotencyKeys;
    readonly ownAddress: OwnAddress;
    /** Whose share a request takes before it is known who asks. */
    readonly callers: Callers;
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

const judging = { judgeText, judgeTexts };

/** Connects, migrates, takes the node over and starts everything that runs by itself. */
export async function startServices(begun: BegunServices): Promise<RunningServices> {
  const { given, seat, log, fleet } = begun;
  const database = await openDatabase(begun);
  const { pool, platformPool, connection } = database;
  const node = await claimedName(database, { config: given, log }, seat);
  const config: Config = { ...given, nodeId: node.name };
  const { keyring, dataKeys } = await keysAtRest(platformPool, config);
  const prisma = createPrisma(database, dataKeys);
  const listener = await createListener(connection);
  const counters = await createCounters(config, log, seat);
  const tokens = await createTokenIssuer(platformPool, keyring, 'gw');
  const authenticator = authenticatorOf({ platformPool, tokens, keyring, config });
  const caches = tenantCaches(platformPool);
  const own = [clockOf(pool), dataKeys, tokens, authenticator];
  await followAll(listener, [...own, ...Object.values(caches)]);
  const at = { pool: platformPool, nodeId: node.name, dataDir: config.dataDir };
  const ledger = createLedger({ ...at, log });
  await ledger.start();
  await fleet.follow({ ...at, countTogether: seat?.names ?? [node.name], listener });
  const load = new Load(given.GW_IN_FLIGHT_MAX, new NodePressure(ledger, [pool, platformPool]));
  const feedNotifier = await createFeedNotifier(listener);
  const apart = { config, pool, platformPool, prisma, listener, log, feedNotifier };
  const base = { ...apart, keyring, dataKeys, ...(await observed(config, log)) };
  const services: Services = {
    ...base,
    counters,
    tokens,
    ...hashingOf(keyring),
    authenticator,
    ...caches,
    ...keyWatch(platformPool, config),
    ledger,
    ...models(platformPool, config, { fleet, counters, log, ...caches }),
    ...judging,
    approvalKinds: productKinds,
    runningStreams: new RunningStreams(),
    openRequests: new OpenRequests(),
    ...workers({ platformPool, log, tokens, keyring, config }),
    places: load,
    responseCache: await answersKept({ config, keyring, listener, log }),
    webhooks: new WebhookWorker(base),
    idempotency: keysOf(base, ledger),
    resetMails: await resetMailsOf(base),
  };
  await services.webhooks.start();
  const periodic = startTimers(services);
  return {
    services,
    load,
    async stop() {
      const quiet = periodic.stop();
      await writeSeen(services);
      await stopWorkers(services);
      await quiet;
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
      await services.telemetry?.stop();
    },
  };
}

/** The hashes under which keys are stored and found. */
function hashingOf(keyring: Keyring): Pick<Services, 'hashKey' | 'keyHashes'> {
  return { hashKey: keyHasher(keyring), keyHashes: keyHashes(keyring) };
}

/** What seals and hashes what is kept. */
async function keysAtRest(pool: Pool, config: Config) {
  const keyring = new Keyring(config);
  await loadFormerHashKeys(pool, keyring);
  return { keyring, dataKeys: new DataKeys(pool, keyring) };
}

function authenticatorOf({
  platformPool,
  tokens,
  keyring,
  config,
}: Pick<Services, 'platformPool' | 'tokens' | 'keyring' | 'config'>): Authenticator {
  return new Authenticator(platformPool, tokens, keyHashes(keyring), config.platformAdmins);
}

/** Answers that are kept for equal requests, until their organization erases them. */
async function answersKept({
  config,
  keyring,
  listener,
  log,
}: Pick<Services, 'config' | 'keyring' | 'listener' | 'log'>): Promise<ResponseCache> {
  const responseCache = new ResponseCache(createByteCache(config, keyring, log));
  await responseCache.follow(listener);
  return responseCache;
}

/** What operators see, and the way to their collector where there is one. */
async function observed(config: Config, log: Logger) {
  const metrics = new Metrics();
  const telemetry = await openTelemetry(config, metrics, log);
  const access = createAccessLog(config.LOG_LEVEL);
  return { metrics, telemetry, access, ownAddress: new OwnAddress() };
}

async function followAll(listener: Listener, all: readonly Follows[]): Promise<void> {
  await Promise.all(all.map((each) => each.follow(listener)));
}

/** What keeps itself true by notifications. */
interface Follows {
  follow(listener: Listener): Promise<void>;
}

/** What sends links for a new password, where the operator has a mail server. */
async function resetMailsOf({ config, prisma, log }: Pick<Services, 'config' | 'prisma' | 'log'>) {
  const { GW_SMTP_URL: url, GW_SMTP_FROM: from, GW_PUBLIC_URL: publicUrl } = config;
  if (!url || !from || !publicUrl) return undefined;
  const mailer = await createMailer(url, from);
  return new ResetMails({ prisma, mailer, log, publicUrl: publicUrl.replace(/\/$/, '') });
}

/** Writes what was seen since the last time; a database that is away does not hold up the end. */
async function writeSeen({ keySightings, egressLog }: Services): Promise<void> {
  for (const each of [keySightings, egressLog]) await each.write().catch(() => {});
}

async function openDatabase({ given, seat, embedded }: BegunServices): Promise<Database> {
  const database = await connectDatabase({
    ...databaseOf(given),
    max: given.DATABASE_POOL_MAX,
    prepared: seat?.connections,
    begun: embedded,
  });
  await requireReadable(database.platformPool);
  return database;
}

/** The name of this node, and what nobody else will take up of nodes that it had before. */
async function claimedName(
  { connection, platformPool: pool }: Database,
  { config, log }: { readonly config: Config; readonly log: Logger },
  seat: WorkerSeat | undefined,
): Promise<NodeName> {
  const node = await claimNodeName(connection, seat?.name ?? config.GW_NODE_ID);
  const { dataDir } = config;
  if (!seat) await takeUpLeftFiles({ pool, connection, dataDir, log }, node.name, [node.name]);
  return node;
}

/** What works beside the requests, on the rows that they leave. */
function workers(on: Pick<Services, 'platformPool' | 'log' | 'tokens' | 'keyring' | 'config'>) {
  const transparencyLog = new TransparencyLog(on);
  const publishedLogs = new PublishedLogs({ ...on, transparencyLog });
  const logs = { transparencyLog, publishedLogs, txtRecords: new DnsTxtRecords(on.config) };
  return {
    ...logs,
    witnessRounds: new WitnessRounds({ ...on, publishedLogs }),
    usageRollup: new UsageRollup(on),
    booksMonitor: new BooksMonitor(on),
    promptEvaluations: new EvaluationRuns(),
    months: new Months(on),
  };
}

/** Ends each after the step under way. */
async function stopWorkers(services: Services): Promise<void> {
  const { webhooks, resetMails, usageRollup, booksMonitor } = services;
  const { promptEvaluations, transparencyLog, witnessRounds } = services;
  const books = [usageRollup, booksMonitor, transparencyLog, witnessRounds];
  const all = [promptEvaluations, webhooks, resetMails, ...books];
  for (const each of all) await each?.stop();
}

/** What counts and watches the use of keys, tokens and money, and knows whose they were. */
function keyWatch(pool: Pool, { secret }: Config) {
  const keySightings = new KeySightings(pool, secret);
  const [anomalyCounts, callers] = [new AnomalyCounts(), new Callers()];
  return { tokenQuota: new TokenQuota(pool), keySightings, keySpend, anomalyCounts, callers };
}

/** What the models, the way out to them and the router are reached by. */
function models(
  pool: Pool,
  config: Config,
  {
    fleet,
    counters,
    routing,
    modelAliases,
    log,
  }: Pick<Services, 'fleet' | 'counters' | 'routing' | 'modelAliases' | 'log'>,
) {
  const { registry } = fleet;
  const modelMetrics = new ModelMetrics(registry);
  const { share } = fleet;
  const upstream = createUpstream({ registry, config, counters, share, log, watch: modelMetrics });
  const outcomes = new OutcomeMemory(pool);
  const usage = new UsageMemory(pool);
  const known = { pool, registry, routing };
  const healthy = (deployment: Deployment) => upstream.healthy(deployment);
  return {
    fleet,
    registry,
    modelNames: () => registry.models.keys(),
    callableNames: async (tenantId: string) =>
      callableNames(registry, await modelAliases.forTenant(tenantId)),
    upstream,
    modelMetrics,
    egressLog: new EgressLog(pool, () => upstream.egress()),
    routingOutcomes: outcomes,
    routingUsage: usage,
    eachBudgets: new EachBudgets(pool),
    situations: new Situations({ ...known, outcomes, usage, healthy, shut: upstream.shut }),
  };
}

function keysOf(
  { platformPool: pool, config, keyring }: Pick<Services, 'platformPool' | 'config' | 'keyring'>,
  ledger: Ledger,
): IdempotencyKeys {
  return new IdempotencyKeys({ pool, config, keyring, epoch: () => ledger.gauges().epoch });
}
