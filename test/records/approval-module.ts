import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { Approval } from '../../src/generated/prisma/client.js';
import { APPROVAL_FEED } from '../../src/records/approvals/events.js';
import { ApprovalKinds, type ApprovalRun } from '../../src/records/approvals/kinds.js';
import { requestApproval } from '../../src/records/approvals/queue.js';
import { readFeed } from '../../src/records/feed.js';
import type { TestTenant } from './world.js';

/** What the module behind the kind `tool_call` did, and what it shall do. */
export const module = {
  decided: [] as string[],
  runs: [] as string[],
  givenUp: [] as string[],
  execute: async (_run: ApprovalRun): Promise<void> => {},
  onDecided: async (_approval: Approval): Promise<void> => {},
};

/** The kinds of these tests; the modules of the product have theirs elsewhere. */
export const kinds = new ApprovalKinds();
kinds.define({
  kind: 'tool_call',
  async onDecided(_tx, approval) {
    await module.onDecided(approval);
    module.decided.push(`${approval.subjectId} ${approval.status}`);
  },
  async execute(run) {
    module.runs.push(run.approval.id);
    await module.execute(run);
  },
  async onGivenUp(_tx, approval) {
    module.givenUp.push(approval.id);
  },
});
kinds.define({ kind: 'budget_exception' });

/** Forgets what the module did, and lets it succeed again. */
export function resetModule(): void {
  module.decided = [];
  module.runs = [];
  module.givenUp = [];
  module.execute = async () => {};
  module.onDecided = async () => {};
}

/** What the decider sees. */
export const SHOWN = { verb: 'delete', amount_micro: '100', record: { b: 1, a: 'имя' } };

/** Asks for an approval of the module's kind. */
export function request(ctx: TestTenant['ctx'], change: object = {}): Promise<Approval> {
  const base = { kind: 'tool_call' as const, subjectId: 'call-1', summary: 'Delete a record' };
  return requestApproval(ctx, { ...base, shown: SHOWN, expiresInSeconds: 3_600, ...change });
}

/** The decision to approve. */
export const approve = { decision: 'approve' } as const;
/** The decision to reject. */
export const reject = { decision: 'reject', reason: 'too risky' } as const;

/** Moves the times of one approval into the past. */
export function age(
  pool: Pool,
  approval: Approval,
  column: 'expires_at' | 'execute_after',
  interval: string,
) {
  const sql = `UPDATE approval SET ${column} = ${column} - $2::interval WHERE id = $1`;
  return pool.query(sql, [approval.id, interval]);
}

/** Events of the approval; other tests on the server can hold them back a little. */
export async function eventsOf(pool: Pool, approval: Approval, count: number): Promise<string[]> {
  const { tenantId } = approval;
  const read = async () =>
    (await readFeed(pool, APPROVAL_FEED, { tenantId }))
      .filter(({ event }) => event.subjectId === approval.id)
      .map(({ event }) => `${event.type} ${(event.payload as { status: string }).status}`);
  await expect.poll(read, { timeout: 10_000 }).toHaveLength(count);
  return read();
}
