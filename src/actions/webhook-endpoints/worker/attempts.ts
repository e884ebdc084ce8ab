import type { Services } from '../../../graph/ctx.js';
import { sharedNow } from '../../../kernel/clock.js';
import { traceKept } from '../../../kernel/trace.rules.js';
import { newSpanId } from '../../../platform/request-spans.js';
import { attemptWebhook, type WebhookAttempt } from '../../webhook/send.js';
import { admitted, isGone, PLACES, waitForNextMs } from '../delivery.rules.js';
import { disableEndpoint } from '../disable.js';
import { TEST_EVENT } from '../event-types.js';
import { endpointSecrets } from '../signing.js';
import { WEBHOOK_LIMITS } from '../vocabulary.js';
import { attemptSpan } from './attempt-span.js';
import {
  type Outcome,
  readDue,
  recordHealth,
  recordOutcomes,
  type TakenDelivery,
  takeDeliveries,
} from './statements.js';

/** What attempts use. */
type AttemptServices = Pick<
  Services,
  'config' | 'platformPool' | 'prisma' | 'keyring' | 'dataKeys' | 'log' | 'telemetry'
>;

/** An outcome that waits to be recorded. */
interface Ended {
  readonly outcome: Outcome;
  readonly delivery: TakenDelivery;
  tries: number;
}

/** How often an outcome is recorded again that was locked; then it is gone, or not this node's. */
const TRIES_MAX = 20;
/** Endpoints whose turn has just been. */
const LATELY_MAX = 256;

/** The attempts of this node under way, bounded by their places. */
export class Attempts {
  private readonly underWay = new Map<string, TakenDelivery>();
  private readonly running = new Set<Promise<void>>();
  /** By their last attempt, the latest last. */
  private readonly lately = new Set<string>();
  private ended: Ended[] = [];
  private cancel = new AbortController();

  constructor(
    private readonly services: AttemptServices,
    private readonly wake: () => void,
  ) {}

  /** True while something is under way or waits to be recorded. */
  get busy(): boolean {
    return this.underWay.size > 0 || this.ended.length > 0;
  }

  get underWayCount(): number {
    return this.underWay.size;
  }

  /** Begins the attempts that are due and have a place. @returns true when more may be due */
  async begin(): Promise<boolean> {
    const { platformPool } = this.services;
    const free = PLACES.max - this.underWay.size;
    if (free <= 0) return false;
    const underWay = [...this.underWay.values()];
    const due = await readDue(platformPool, { ...this.full(underWay), limit: 2 * PLACES.max });
    const chosen = admitted(due, underWay);
    if (chosen.length === 0) return false;
    const ids = chosen.map(({ id }) => id);
    for (const delivery of await takeDeliveries(platformPool, ids)) this.start(delivery);
    return true;
  }

  /** Records what has ended since, with one statement however many those are. */
  async record(): Promise<void> {
    const { platformPool } = this.services;
    const batch = [...this.ended];
    if (batch.length === 0) return;
    const outcomes = batch.map(({ outcome }) => outcome);
    const recorded = await recordOutcomes(platformPool, outcomes);
    const done = batch.filter(({ outcome }) => recorded.has(outcome.id));
    const left = batch.filter(({ outcome }) => !recorded.has(outcome.id));
    for (const each of left) each.tries += 1;
    this.ended = [
      ...left.filter(({ tries }) => tries < TRIES_MAX),
      // What has ended meanwhile.
      ...this.ended.filter((each) => !batch.includes(each)),
    ];
    await recordHealth(platformPool, healthOf(done));
    for (const each of done) this.disableWhereItMust(each);
  }

  /** Ends all attempts; they may have arrived, and are made again by whoever delivers next. */
  async end(): Promise<void> {
    this.cancel.abort();
    await Promise.all(this.running);
    this.cancel = new AbortController();
  }

  private full(underWay: readonly TakenDelivery[]) {
    const { endpointAttemptsMax, tenantAttemptsMax } = WEBHOOK_LIMITS;
    const failing = underWay.filter((each) => each.failing);
    return {
      fullEndpoints: [
        ...crowded(
          underWay.map(({ endpointId }) => endpointId),
          endpointAttemptsMax,
        ),
        ...failing.map(({ endpointId }) => endpointId),
      ],
      fullTenants: crowded(
        underWay.map(({ tenantId }) => tenantId),
        tenantAttemptsMax,
      ),
      failingToo: failing.length < PLACES.failingMax,
      lately: [...this.lately],
    };
  }

  private start(delivery: TakenDelivery): void {
    const { id, endpointId } = delivery;
    this.underWay.set(id, delivery);
    this.lately.delete(endpointId);
    this.lately.add(endpointId);
    for (const earliest of this.lately) {
      if (this.lately.size <= LATELY_MAX) break;
      this.lately.delete(earliest);
    }
    const attempt = this.make(delivery).finally(() => {
      this.underWay.delete(id);
      this.running.delete(attempt);
      this.wake();
    });
    this.running.add(attempt);
  }

  private async make(delivery: TakenDelivery): Promise<void> {
    const { config, keyring, telemetry } = this.services;
    const { id, tenantId, endpointId, secretGeneration: generation, overlaps } = delivery;
    const secretsOf = (rotation: number) =>
      endpointSecrets(keyring, { tenantId, endpointId, generation: rotation });
    const startMs = performance.now();
    const at = sharedNow();
    const trace = traceKept(delivery.trace, id, telemetry !== undefined);
    const spanId = newSpanId();
    const made = await attemptWebhook(this.services, {
      url: delivery.url,
      secrets: overlaps
        ? [...secretsOf(generation), ...secretsOf(generation - 1)]
        : secretsOf(generation),
      id: delivery.eventId,
      trace,
      spanId,
      body: Buffer.from(delivery.body),
      timeoutMsMax: config.GW_WEBHOOK_TIMEOUT_MS,
      signal: this.cancel.signal,
    });
    const endMs = performance.now();
    const latencyMs = Math.round(endMs - startMs);
    telemetry?.tell(trace, attemptSpan(delivery, made, { spanId, trace, startMs, endMs }));
    const schedule = delivery.eventType === TEST_EVENT ? [] : config.webhookRetrySeconds;
    const outcome = outcomeOf(delivery, made, { at, latencyMs, schedule });
    this.ended.push({ outcome, delivery, tries: 0 });
  }

  private disableWhereItMust({ outcome, delivery }: Ended): void {
    if (outcome.status !== 'failed' || delivery.eventType === TEST_EVENT) return;
    const reason = isGone(outcome.response_status) ? 'gone' : 'keeps_failing';
    const work = disableEndpoint(this.services, delivery, reason)
      .catch((error: unknown) => {
        const { endpointId } = delivery;
        this.services.log.warn({ err: error, endpointId }, 'an endpoint could not be disabled');
      })
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }
}

/** What became of an attempt. One that this node itself has cut is no failure of the endpoint. */
function outcomeOf(
  { id, endpointId, attempts, step }: TakenDelivery,
  { failure, status, response, retryAfterMs }: WebhookAttempt,
  made: {
    readonly at: Date;
    readonly latencyMs: number;
    readonly schedule: readonly number[];
  },
): Outcome {
  const { at, latencyMs: latency_ms, schedule } = made;
  const said = {
    ...{ id, endpoint_id: endpointId, attempts, failure },
    response_status: status,
    response: response && beginningOf(response.text),
    told: { number: attempts, at: at.toISOString(), status, failure, latency_ms },
  };
  if (failure === null) return { ...said, status: 'delivered', step, wait_ms: null };
  if (failure === 'cancelled') return { ...said, status: 'pending', step, wait_ms: 0 };
  const failed = { step: step + 1, status, retryAfterMs, chance: Math.random() };
  const wait_ms = waitForNextMs(failed, schedule);
  return { ...said, status: wait_ms === null ? 'failed' : 'pending', step: step + 1, wait_ms };
}

/** A cut between the two halves of a character leaves neither. */
function beginningOf(text: string): string {
  return text.slice(0, WEBHOOK_LIMITS.responseCharactersMax).replace(/[\ud800-\udbff]$/, '');
}

function healthOf(done: readonly Ended[]): Map<string, boolean> {
  const health = new Map<string, boolean>();
  for (const { outcome } of done) {
    if (outcome.failure === 'cancelled') continue;
    const delivered = health.get(outcome.endpoint_id) || outcome.failure === null;
    health.set(outcome.endpoint_id, delivered);
  }
  return health;
}

/** The names that stand in a list so many times. */
function crowded(names: readonly string[], many: number): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count >= many ? [name] : []));
}
