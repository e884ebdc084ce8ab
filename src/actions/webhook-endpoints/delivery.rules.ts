import { WEBHOOK_LIMITS } from './vocabulary.js';

/** No endpoint may ask for a longer wait, in milliseconds. */
const RETRY_AFTER_MS_MAX = 86_400_000;
/** Waits are spread by so much, so that what failed together does not come back together. */
const SPREAD = 0.1;
const GONE = 410;

/** An attempt that did not deliver. */
export interface FailedAttempt {
  /** Failed attempts of the schedule, this one among them, from 1. */
  readonly step: number;
  readonly status: number | null;
  /** What the endpoint asked for, in milliseconds; null when it did not. */
  readonly retryAfterMs: number | null;
  /** A random number from 0 to 1, exclusive. */
  readonly chance: number;
}

/**
 * How long to wait for the next attempt, in milliseconds, or null when there is none: the wait of
 * the schedule, spread by a tenth, but never less than the endpoint asked for, up to a day. Every
 * failure is tried again but 410, by which an endpoint says that it is gone.
 * @param scheduleSeconds the wait after each failed attempt
 */
export function waitForNextMs(
  { step, status, retryAfterMs, chance }: FailedAttempt,
  scheduleSeconds: readonly number[],
): number | null {
  const seconds = scheduleSeconds[step - 1];
  if (seconds === undefined || isGone(status)) return null;
  const scheduledMs = Math.round(seconds * 1_000 * (1 + chance * SPREAD));
  return Math.max(scheduledMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX));
}

/** True for the answer of an endpoint that wants to be told no more. */
export function isGone(status: number | null): boolean {
  return status === GONE;
}

/**
 * True where an endpoint keeps failing: a delivery has used up its schedule, and from its first
 * attempt on nothing else was delivered either.
 */
export function keepsFailing(begunAt: Date, lastSuccessAt: Date | null): boolean {
  return lastSuccessAt === null || lastSuccessAt < begunAt;
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly tenantId: string;
  /** The last attempts of its endpoint failed. */
  readonly failing: boolean;
}

/** Attempts at once over all endpoints; those that fail get at most half of the places. */
export const PLACES = { max: 128, failingMax: 64 } as const;

/**
 * The due deliveries that may be attempted now, in their order. An endpoint has 8 places, and one
 * while it fails; an organization has 16; endpoints that fail have half of all places together. So
 * whoever is slow or broken leaves room for everybody else.
 */
export function admitted<D extends DueDelivery>(
  due: readonly D[],
  underWay: readonly DueDelivery[],
): D[] {
  const places = new Places(underWay);
  return due.filter((delivery) => places.take(delivery));
}

class Places {
  private total = 0;
  private failing = 0;
  private readonly taken = new Map<string, number>();

  constructor(underWay: readonly DueDelivery[]) {
    for (const delivery of underWay) this.count(delivery);
  }

  take(delivery: DueDelivery): boolean {
    const { endpointId, tenantId, failing } = delivery;
    const { endpointAttemptsMax, tenantAttemptsMax } = WEBHOOK_LIMITS;
    const free =
      this.total < PLACES.max &&
      (!failing || this.failing < PLACES.failingMax) &&
      this.of(endpointId) < (failing ? 1 : endpointAttemptsMax) &&
      this.of(tenantId) < tenantAttemptsMax;
    if (free) this.count(delivery);
    return free;
  }

  private count({ endpointId, tenantId, failing }: DueDelivery): void {
    this.total += 1;
    if (failing) this.failing += 1;
    for (const name of [endpointId, tenantId]) this.taken.set(name, this.of(name) + 1);
  }

  private of(name: string): number {
    return this.taken.get(name) ?? 0;
  }
}
