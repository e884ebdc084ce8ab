import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { decideApproval, endApproval } from '../../src/records/approvals/queue.js';
import { awaitDecision } from '../../src/records/approvals/waiting.js';
import type { FeedNotifier } from '../../src/records/feed-notifier.js';
import { approve, eventsOf, kinds, reject, request, resetModule } from './approval-module.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld({ approvalKinds: kinds });
const { services } = world;

beforeEach(resetModule);

const LONG_MS = 60_000;

/** What waits: an approval of a new tenant, and a wait for its decision. */
async function waitFor(waitMs: number, more: Partial<typeof services> = {}) {
  const { ctx, id: tenantId } = await world.tenant('owner');
  const approval = await request(ctx);
  const controller = new AbortController();
  const decision = awaitDecision(
    { ...services, ...more },
    {
      tenantId,
      approvalId: approval.id,
      deadlineMs: performance.now() + waitMs,
      signal: controller.signal,
    },
  );
  return { ctx, approval, controller, decision };
}

describe('waiting for a decision', () => {
  it.each([
    [approve, 'approved'],
    [reject, 'rejected'],
  ] as const)('ends with it: %j', async (decided, status) => {
    const { ctx, approval, decision } = await waitFor(LONG_MS);
    await decideApproval(ctx, approval.id, decided);
    expect(await decision).toBe(status);
  });

  it('is not ended by what happens to other approvals', async () => {
    const { ctx, approval, decision } = await waitFor(LONG_MS);
    const other = await request(ctx);
    await decideApproval(ctx, other.id, reject);
    expect(await Promise.race([decision, sleep(200, 'waits')])).toBe('waits');
    await decideApproval(ctx, approval.id, approve);
    expect(await decision).toBe('approved');
  });

  it('ends without notifications too, by looking', async () => {
    const feedNotifier: FeedNotifier = { watch: () => () => {}, close: () => {} };
    const { ctx, approval, decision } = await waitFor(LONG_MS, { feedNotifier });
    await decideApproval(ctx, approval.id, approve);
    expect(await decision).toBe('approved');
  }, 20_000);

  it('ends at its deadline or when nobody needs it, and watches no longer', async () => {
    let watching = 0;
    const feedNotifier: FeedNotifier = {
      watch() {
        watching += 1;
        return () => {
          watching -= 1;
        };
      },
      close() {},
    };
    expect(await (await waitFor(20, { feedNotifier })).decision).toBe('pending');
    const { controller, decision } = await waitFor(LONG_MS, { feedNotifier });
    controller.abort();
    expect(await decision).toBe('pending');
    expect(watching).toBe(0);
  });
});

describe('an approval that nobody needs any more', () => {
  it('expires at once, and the feed tells of it', async () => {
    const { ctx } = await world.tenant('owner');
    const approval = await request(ctx);
    expect(await endApproval(ctx, approval.id)).toMatchObject({ status: 'expired' });
    expect(await eventsOf(services.pool, approval, 2)).toEqual([
      'requested pending',
      'expired expired',
    ]);
    expect(await codeOf(decideApproval(ctx, approval.id, approve))).toBe(
      'approval_already_decided',
    );
  });

  it('keeps the decision that came first, whoever wins', async () => {
    const { ctx } = await world.tenant('owner');
    for (let round = 0; round < 20; round += 1) {
      const approval = await request(ctx);
      const [refused, ended] = await Promise.all([
        codeOf(decideApproval(ctx, approval.id, approve)),
        endApproval(ctx, approval.id),
      ]);
      expect(ended.status).toBe(refused === undefined ? 'approved' : 'expired');
    }
  });

  it("is not another organization's", async () => {
    const [own, other] = await Promise.all([world.tenant('owner'), world.tenant('owner')]);
    const approval = await request(other.ctx);
    expect(await codeOf(endApproval(own.ctx, approval.id))).toBe('not_found');
  });
});
