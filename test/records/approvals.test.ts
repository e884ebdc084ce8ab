import { beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '../../src/generated/prisma/client.js';
import { sha256Hex } from '../../src/kernel/canonical.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { newId } from '../../src/kernel/ids.js';
import { APPROVAL_FEED } from '../../src/records/approvals/events.js';
import { resumeApprovals } from '../../src/records/approvals/execution.js';
import { type ApprovalRun, defineApprovalKind } from '../../src/records/approvals/kinds.js';
import {
  approvalById,
  decideApproval,
  expireApprovals,
  requestApproval,
} from '../../src/records/approvals/queue.js';
import { auditEventsWhere } from '../../src/records/audit-trail.js';
import { readFeed } from '../../src/records/feed.js';
import { codeOf, createWorld, type TestTenant } from './world.js';

const world = await createWorld();
const { services } = world;
const { pool, prisma } = services;

/** What the module behind the kind `tool_call` did, and what it shall do. */
const module = {
  decided: [] as string[],
  runs: [] as string[],
  givenUp: [] as string[],
  execute: async (_run: ApprovalRun): Promise<void> => {},
  onDecided: async (_approval: Approval): Promise<void> => {},
};

defineApprovalKind({
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
defineApprovalKind({ kind: 'budget_exception' });

beforeEach(async () => {
  module.decided = [];
  module.runs = [];
  module.givenUp = [];
  module.execute = async () => {};
  module.onDecided = async () => {};
});

const SHOWN = { verb: 'delete', amount_micro: '100', record: { b: 1, a: 'имя' } };

function request(ctx: TestTenant['ctx'], change: object = {}): Promise<Approval> {
  const base = { kind: 'tool_call', subjectId: 'call-1', summary: 'Delete a record' };
  return requestApproval(ctx, { ...base, shown: SHOWN, expiresInSeconds: 3_600, ...change });
}

const approve = { decision: 'approve' } as const;
const reject = { decision: 'reject', reason: 'too risky' } as const;

/** Moves the times of one approval into the past. */
function age(approval: Approval, column: 'expires_at' | 'execute_after', interval: string) {
  const sql = `UPDATE approval SET ${column} = ${column} - $2::interval WHERE id = $1`;
  return pool.query(sql, [approval.id, interval]);
}

/** Events of the approval; other tests on the server can hold them back a little. */
async function eventsOf(approval: Approval, count: number): Promise<string[]> {
  const { tenantId } = approval;
  const rows = await readFeed(pool, APPROVAL_FEED, { tenantId });
  const own = rows.filter(({ event }) => event.subjectId === approval.id);
  return own.length < count
    ? eventsOf(approval, count)
    : own.map(({ event }) => `${event.type} ${(event.payload as { status: string }).status}`);
}

describe('a request for approval', () => {
  it('waits with the hash of what will be shown, and the feed tells of it', async () => {
    const { ctx } = await world.tenant('developer');
    const approval = await request(ctx);
    const hash = sha256Hex('{"amount_micro":"100","record":{"a":"имя","b":1},"verb":"delete"}');
    expect(approval).toMatchObject({ status: 'pending', execution: 'none', shown: SHOWN });
    expect(Buffer.from(approval.shownHash).toString('hex')).toBe(hash);
    expect(await approvalById(ctx, approval.id)).toEqual(approval);
    expect(await eventsOf(approval, 1)).toEqual(['requested pending']);
  });

  it('is part of the transaction of what asks for it', async () => {
    const { ctx, id: tenantId } = await world.tenant('developer');
    const undone = prisma.$transaction(async (tx) => {
      await requestApproval(
        ctx,
        { kind: 'tool_call', subjectId: 's', summary: 's', shown: {}, expiresInSeconds: 1 },
        { tx },
      );
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await prisma.approval.count({ where: { tenantId } })).toBe(0);
    expect(await readFeed(pool, APPROVAL_FEED, { tenantId })).toEqual([]);
  });

  it('needs a kind that a module has defined, and a kind is defined once', async () => {
    const { ctx } = await world.tenant();
    expect(() => request(ctx, { kind: 'unknown' })).toThrow('no module defines');
    expect(() => defineApprovalKind({ kind: 'tool_call' })).toThrow('defined twice');
  });
});

describe('a decision', () => {
  it('approves once, executes, and leaves events and an audit record', async () => {
    const tenant = await world.tenant('developer', 'security');
    const [developer, security] = tenant.members as [TestTenant['ctx'], TestTenant['ctx']];
    const approval = await request(developer);
    const shownHash = Buffer.from(approval.shownHash).toString('hex');
    const decided = await decideApproval(security, approval.id, { ...approve, shownHash });
    expect(decided).toMatchObject({
      status: 'approved',
      decidedBy: security.who.id,
      selfApproved: false,
      execution: 'done',
      attempts: 1,
      executeAfter: null,
      executionError: null,
    });
    expect(module.decided).toEqual(['call-1 approved']);
    expect(module.runs).toEqual([approval.id]);
    const events = ['requested pending', 'approved approved', 'executed approved'];
    expect(await eventsOf(approval, 3)).toEqual(events);
    const where = { ...auditEventsWhere({ subjectId: approval.id }), tenantId: tenant.id };
    expect(await prisma.auditEvent.findMany({ where })).toMatchObject([
      { action: 'approvalApprove', actorId: security.who.id, requestId: security.requestId },
    ]);
  });

  it('rejects with its reason, and nothing is executed', async () => {
    const { members } = await world.tenant('developer', 'admin');
    const [developer, admin] = members as [TestTenant['ctx'], TestTenant['ctx']];
    const approval = await request(developer);
    const decided = await decideApproval(admin, approval.id, reject);
    expect(decided).toMatchObject({ status: 'rejected', reason: 'too risky', execution: 'none' });
    expect([module.decided, module.runs]).toEqual([['call-1 rejected'], []]);
    expect(await eventsOf(approval, 2)).toEqual(['requested pending', 'rejected rejected']);
    expect(await codeOf(decideApproval(admin, approval.id, approve))).toBe(
      'approval_already_decided',
    );
  });

  it('is taken by one of 40 racers, and the action is executed once', async () => {
    const { members } = await world.tenant('developer', 'owner', 'admin', 'security');
    const approval = await request(members[0] as TestTenant['ctx']);
    const racers = Array.from({ length: 40 }, (_, i) => {
      const ctx = members[1 + (i % 3)] as TestTenant['ctx'];
      return codeOf(decideApproval(ctx, approval.id, i % 2 ? reject : approve));
    });
    const outcomes = await Promise.all(racers);
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'approval_already_decided')).toHaveLength(39);
    const { status } = await approvalById(members[0] as TestTenant['ctx'], approval.id);
    expect(module.decided).toEqual([`call-1 ${status}`]);
    expect(module.runs).toHaveLength(status === 'approved' ? 1 : 0);
  });

  it('ends without execution where the kind has nothing to execute', async () => {
    const { members } = await world.tenant('developer', 'owner');
    const [developer, owner] = members as [TestTenant['ctx'], TestTenant['ctx']];
    const approval = await request(developer, { kind: 'budget_exception' });
    const decided = await decideApproval(owner, approval.id, approve);
    expect(decided).toMatchObject({ status: 'approved', execution: 'none', attempts: 0 });
  });

  it('is undone as a whole when the subject cannot follow', async () => {
    const { members } = await world.tenant('developer', 'owner');
    const [developer, owner] = members as [TestTenant['ctx'], TestTenant['ctx']];
    const approval = await request(developer);
    module.onDecided = async () => {
      throw new GatewayError('lifecycle_refused');
    };
    expect(await codeOf(decideApproval(owner, approval.id, approve))).toBe('lifecycle_refused');
    expect(await approvalById(owner, approval.id)).toEqual(approval);
    expect(await eventsOf(approval, 1)).toEqual(['requested pending']);
    expect(module.runs).toEqual([]);
  });

  it('is refused when something else was shown, or the stored text was changed', async () => {
    const { members } = await world.tenant('developer', 'owner');
    const [developer, owner] = members as [TestTenant['ctx'], TestTenant['ctx']];
    const approval = await request(developer);
    const other = { ...approve, shownHash: sha256Hex('{}') };
    expect(await codeOf(decideApproval(owner, approval.id, other))).toBe('invalid_request');
    await pool.query(`UPDATE approval SET shown = '{"verb":"read"}' WHERE id = $1`, [approval.id]);
    const changed = decideApproval(owner, approval.id, approve);
    await expect(changed).rejects.toThrow('not what was requested');
    expect((await approvalById(owner, approval.id)).status).toBe('pending');
  });

  it('of an unknown, malformed or foreign id is not found', async () => {
    const [own, other] = await Promise.all([world.tenant(), world.tenant()]);
    const approval = await request(own.ctx);
    for (const id of [approval.id, newId('Approval'), 'not-a-uuid']) {
      expect(await codeOf(decideApproval(other.ctx, id, approve))).toBe('not_found');
      expect(await codeOf(approvalById(other.ctx, id))).toBe('not_found');
    }
    expect(await approvalById(own.ctx, approval.id)).toEqual(approval);
  });
});

describe('four eyes', () => {
  it('let the only eligible member decide, and say that it was the requester', async () => {
    const { ctx } = await world.tenant('owner', 'developer', 'viewer');
    const approval = await request(ctx);
    const decided = await decideApproval(ctx, approval.id, approve);
    expect(decided).toMatchObject({ status: 'approved', selfApproved: true });
  });

  it('forbid the requester once another eligible member is active, or always if set', async () => {
    const { ctx, members, id } = await world.tenant('owner', 'security');
    const approval = await request(ctx);
    const attempt = () => codeOf(decideApproval(ctx, approval.id, approve));
    expect(await attempt()).toBe('approval_self_forbidden');
    const otherId = members[1]?.who.id as string;
    await prisma.user.update({ where: { id: otherId }, data: { status: 'removed' } });
    await prisma.tenant.update({ where: { id }, data: { fourEyesAlways: true } });
    expect(await attempt()).toBe('approval_self_forbidden');
    await prisma.tenant.update({ where: { id }, data: { fourEyesAlways: false } });
    expect(await attempt()).toBeUndefined();
  });

  it('count the creator of a key as its requester, but not of an agent key', async () => {
    const tenant = await world.tenant('owner', 'admin');
    const { ctx } = tenant;
    for (const type of ['standard', 'service'] as const) {
      const approval = await request(await tenant.key(type));
      const self = decideApproval(ctx, approval.id, approve);
      expect(await codeOf(self)).toBe('approval_self_forbidden');
    }
    const approval = await request(await tenant.key('agent'));
    const decided = await decideApproval(ctx, approval.id, approve);
    expect(decided).toMatchObject({ status: 'approved', selfApproved: false });
  });

  it('are never those of a key or of a member without the role', async () => {
    const tenant = await world.tenant('owner', 'developer', 'finance', 'viewer');
    const approval = await request(tenant.ctx);
    const keys = await Promise.all([tenant.key('agent'), tenant.key('service')]);
    for (const ctx of [...tenant.members.slice(1), ...keys]) {
      expect(await codeOf(decideApproval(ctx, approval.id, approve))).toBe('permission_denied');
    }
    expect((await approvalById(tenant.ctx, approval.id)).status).toBe('pending');
  });
});

describe('expiry', () => {
  it('is seen by a late decision, which is refused while the approval expires', async () => {
    const { members } = await world.tenant('developer', 'owner');
    const [developer, owner] = members as [TestTenant['ctx'], TestTenant['ctx']];
    const approval = await request(developer);
    await age(approval, 'expires_at', '1 hour');
    const late = decideApproval(owner, approval.id, approve);
    await expect(late).rejects.toThrow('already expired');
    const after = await approvalById(owner, approval.id);
    expect(after).toMatchObject({ status: 'expired', decidedBy: null, execution: 'none' });
    expect([module.decided, module.runs]).toEqual([['call-1 expired'], []]);
    expect(await eventsOf(approval, 2)).toEqual(['requested pending', 'expired expired']);
  });

  it('comes by the sweep of any node, once, and one that cannot expire stops no other', async () => {
    const { ctx } = await world.tenant();
    const due = await Promise.all(['a', 'b', 'c'].map((subjectId) => request(ctx, { subjectId })));
    const later = await request(ctx, { subjectId: 'later' });
    for (const approval of due) await age(approval, 'expires_at', '2 hours');
    module.onDecided = async ({ subjectId }) => {
      if (subjectId === 'a') throw new Error('the subject cannot follow');
    };
    const counts = await Promise.all([1, 2, 3].map(() => expireApprovals(services)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(2);
    expect(module.decided.sort()).toEqual(['b expired', 'c expired']);
    module.onDecided = async () => {};
    expect(await expireApprovals(services)).toBe(1);
    expect((await approvalById(ctx, later.id)).status).toBe('pending');
  });
});

describe('the execution of what was approved', () => {
  async function approvedAfter(execute: (run: ApprovalRun) => Promise<void>) {
    const { members } = await world.tenant('developer', 'owner');
    const [developer, owner] = members as [TestTenant['ctx'], TestTenant['ctx']];
    module.execute = execute;
    const approval = await request(developer);
    return decideApproval(owner, approval.id, approve);
  }

  const failing = async () => {
    throw new GatewayError('upstream_failed');
  };

  it('is tried again by the sweep when its time has come, and not before', async () => {
    const failed = await approvedAfter(failing);
    expect(failed).toMatchObject({
      status: 'approved',
      execution: 'waiting',
      attempts: 1,
      executionError: 'upstream_failed',
    });
    module.execute = async () => {};
    expect(await resumeApprovals(services)).toBe(0);
    await age(failed, 'execute_after', '1 minute');
    expect(await resumeApprovals(services)).toBe(1);
    const after = await prisma.approval.findUniqueOrThrow({ where: { id: failed.id } });
    expect(after).toMatchObject({ execution: 'done', attempts: 2, executionError: null });
    expect(await resumeApprovals(services)).toBe(0);
  });

  it('is given up after five attempts, and its module is told in the same transaction', async () => {
    const failed = await approvedAfter(failing);
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      await age(failed, 'execute_after', '1 hour');
      await resumeApprovals(services);
    }
    const after = await prisma.approval.findUniqueOrThrow({ where: { id: failed.id } });
    expect(after).toMatchObject({ execution: 'failed', attempts: 5, executeAfter: null });
    expect(module.runs).toHaveLength(5);
    expect(module.givenUp).toEqual([failed.id]);
    expect((await eventsOf(failed, 3)).at(-1)).toBe('execution_failed approved');
  });

  it('is resumed once when its process died half way', async () => {
    let die = () => {};
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    const dying = approvedAfter(() => died);
    await expect.poll(() => module.runs).toHaveLength(1);
    const [id] = module.runs as [string];
    const running = await prisma.approval.findUniqueOrThrow({ where: { id } });
    expect(running).toMatchObject({ execution: 'running', attempts: 1 });
    expect(await resumeApprovals(services)).toBe(0);
    await age(running, 'execute_after', '121 seconds');
    module.execute = async () => {};
    await Promise.all([resumeApprovals(services), resumeApprovals(services)]);
    expect(module.runs).toEqual([id, id]);
    // The first attempt comes back to life: its result must not count any more.
    die();
    expect(await dying).toMatchObject({ execution: 'done', attempts: 2 });
    const events = ['requested pending', 'approved approved', 'executed approved'];
    expect(await eventsOf(running, 3)).toEqual(events);
  });

  it('is resumed when its process died between the decision and the first attempt', async () => {
    const done = await approvedAfter(async () => {});
    await pool.query(
      `UPDATE approval SET execution = 'waiting', attempts = 0, execute_after = clock_timestamp()
       WHERE id = $1`,
      [done.id],
    );
    expect(await resumeApprovals(services)).toBe(1);
    expect(module.runs).toEqual([done.id, done.id]);
  });

  it('is given up when its process died in the last attempt', async () => {
    const done = await approvedAfter(async () => {});
    await pool.query(
      `UPDATE approval SET execution = 'running', attempts = 5, execute_after = clock_timestamp()
       WHERE id = $1`,
      [done.id],
    );
    await Promise.all([resumeApprovals(services), resumeApprovals(services)]);
    const after = await prisma.approval.findUniqueOrThrow({ where: { id: done.id } });
    expect(after).toMatchObject({ execution: 'failed', executionError: 'internal_error' });
    expect(module.runs).toHaveLength(1);
    expect(module.givenUp).toEqual([done.id]);
  });

  it('gives its module the tenant of the approval and a signal that ends', async () => {
    let seen: ApprovalRun | undefined;
    const done = await approvedAfter(async (run) => {
      seen = run;
    });
    expect(seen?.who).toEqual({ tenantId: done.tenantId });
    expect(seen?.signal.aborted).toBe(false);
    expect(seen?.approval).toMatchObject({ id: done.id, execution: 'running', shown: SHOWN });
  });

  it('of anything that was not approved is refused by the database', async () => {
    const { ctx } = await world.tenant();
    const approval = await request(ctx);
    const set = (columns: string) =>
      pool.query(`UPDATE approval SET ${columns} WHERE id = $1`, [approval.id]);
    const refused = { code: '23514' };
    await expect(set("execution = 'done'")).rejects.toMatchObject(refused);
    await expect(set("status = 'approved'")).rejects.toMatchObject(refused);
    const unexplained = "status = 'rejected', decided_at = now()";
    await expect(set(unexplained)).rejects.toMatchObject(refused);
  });
});
