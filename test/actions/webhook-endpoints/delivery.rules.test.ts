import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admitted,
  type DueDelivery,
  isGone,
  keepsFailing,
  PLACES,
  waitForNextMs,
} from '../../../src/actions/webhook-endpoints/delivery.rules.js';
import {
  eventTypeFaults,
  missingRight,
  overlapEnd,
} from '../../../src/actions/webhook-endpoints/endpoint.rules.js';
import {
  DEFAULT_TYPES,
  EVENT_TYPES,
  feedsOf,
  SUBSCRIBABLE,
} from '../../../src/actions/webhook-endpoints/event-types.js';
import { bodyOf, SOURCES } from '../../../src/actions/webhook-endpoints/sources.js';
import { WEBHOOK_LIMITS } from '../../../src/actions/webhook-endpoints/vocabulary.js';

const SCHEDULE = [5, 300, 86_400];
const FAILED = { step: 1, status: 500, retryAfterMs: null, chance: 0 };

describe('the wait for the next attempt', () => {
  it.each([
    ['the first failure', {}, 5_000],
    ['the second', { step: 2 }, 300_000],
    ['the last of the schedule', { step: 4 }, null],
    ['a connection that failed', { status: null }, 5_000],
    ['an endpoint that refuses', { status: 404 }, 5_000],
    ['an endpoint that is gone', { status: 410 }, null],
    ['one that asks for a minute', { status: 429, retryAfterMs: 60_000 }, 60_000],
    ['one that asks for less', { retryAfterMs: 1_000 }, 5_000],
    ['one that asks for a year', { retryAfterMs: 31_536_000_000 }, 86_400_000],
    ['the most spread', { chance: 0.999_999 }, 5_500],
  ])('after %s', (_, change, waitMs) => {
    expect(waitForNextMs({ ...FAILED, ...change }, SCHEDULE)).toBe(waitMs);
  });

  it('is there for each wait of the schedule and no more, never below it', () => {
    const schedules = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 15 });
    const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 20 }), chances, (schedule, step, chance) => {
        const waitMs = waitForNextMs({ ...FAILED, step, chance }, schedule);
        expect(waitMs === null).toBe(step > schedule.length);
        const seconds = schedule[step - 1] ?? 0;
        if (waitMs !== null) expect(waitMs).toBeGreaterThanOrEqual(seconds * 1_000);
        if (waitMs !== null) expect(waitMs).toBeLessThanOrEqual(seconds * 1_100 + 1);
      }),
    );
  });

  it('knows 410 alone as gone', () => {
    expect([null, 200, 404, 410, 500].filter(isGone)).toEqual([410]);
  });
});

describe('an endpoint keeps failing', () => {
  it('where nothing was delivered since the schedule began', () => {
    const begun = new Date(1_000);
    expect(keepsFailing(begun, null)).toBe(true);
    expect(keepsFailing(begun, new Date(999))).toBe(true);
    expect(keepsFailing(begun, new Date(1_000))).toBe(false);
    expect(keepsFailing(begun, new Date(2_000))).toBe(false);
  });
});

describe('the places of attempts', () => {
  /** Endpoints belong to one tenant each, and a whole endpoint fails or does not. */
  const deliveries = fc.array(fc.nat(59), { maxLength: 600 }).map((endpoints) =>
    endpoints.map(
      (endpoint, index): DueDelivery => ({
        id: `${index}`,
        endpointId: `e${endpoint}`,
        tenantId: `t${endpoint % 20}`,
        failing: endpoint % 3 === 0,
      }),
    ),
  );
  const countBy = (list: readonly DueDelivery[], key: 'endpointId' | 'tenantId') => {
    const counts = new Map<string, number>();
    for (const each of list) counts.set(each[key], (counts.get(each[key]) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  };

  it('are never more than those of endpoint, organization, failures and all', () => {
    fc.assert(
      fc.property(deliveries, deliveries, (due, before) => {
        const underWay = admitted(before, []);
        const all = [...underWay, ...admitted(due, underWay)];
        const failing = all.filter((each) => each.failing);
        expect(all.length).toBeLessThanOrEqual(PLACES.max);
        expect(failing.length).toBeLessThanOrEqual(PLACES.failingMax);
        expect(countBy(all, 'endpointId')).toBeLessThanOrEqual(WEBHOOK_LIMITS.endpointAttemptsMax);
        expect(countBy(all, 'tenantId')).toBeLessThanOrEqual(WEBHOOK_LIMITS.tenantAttemptsMax);
        expect(countBy(failing, 'endpointId')).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('leave room for a healthy endpoint, however many fail', () => {
    const broken = Array.from({ length: 500 }, (_, n) => n).map((n) => ({
      ...{ id: `${n}`, endpointId: `e${n}`, tenantId: `t${n}`, failing: true },
    }));
    const healthy = { id: 'h', endpointId: 'eh', tenantId: 'th', failing: false };
    const chosen = admitted([...broken, healthy], []);
    expect(chosen).toHaveLength(PLACES.failingMax + 1);
    expect(chosen).toContain(healthy);
  });
});

describe('the types of events', () => {
  it('come from feeds that webhooks follow, and every feed is used', () => {
    const feeds = feedsOf(EVENT_TYPES.codes);
    expect(feeds.sort()).toEqual([...SOURCES.keys()].sort());
    expect(SUBSCRIBABLE.codes).not.toContain('webhook.test');
    expect(DEFAULT_TYPES.every((type) => SUBSCRIBABLE.has(type))).toBe(true);
  });

  it('are asked for once each, at least one, by whoever may read them', () => {
    expect(eventTypeFaults('t', [])).toHaveLength(1);
    expect(eventTypeFaults('t', ['receipt.sealed', 'receipt.sealed'])).toHaveLength(1);
    expect(eventTypeFaults('t', ['receipt.sealed'])).toEqual([]);
    const rights = new Set(['receipts.read']);
    expect(missingRight(['receipt.sealed'], rights)).toBeUndefined();
    expect(missingRight(['receipt.sealed', 'ledger.posted'], rights)).toBe('billing.read');
  });

  it('are sent as type, timestamp and data', () => {
    const at = new Date('2026-11-22T10:00:00.000Z');
    expect(bodyOf({ type: 'webhook.test', at, data: { a: 1 } })).toBe(
      '{"type":"webhook.test","timestamp":"2026-11-22T10:00:00.000Z","data":{"a":1}}',
    );
  });
});

describe('the overlap of a rotation', () => {
  it('ends after its hours, and is none for 0', () => {
    const now = new Date('2026-11-22T10:00:00.000Z');
    expect(overlapEnd(now, 24)?.toISOString()).toBe('2026-11-23T10:00:00.000Z');
    expect(overlapEnd(now, 0)).toBeNull();
  });
});
