import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { newId } from '../../src/kernel/ids.js';
import { APPROVAL_FEED } from '../../src/records/approvals/events.js';
import {
  approvalById,
  decideApproval,
  expireApprovals,
  requestApproval,
} from '../../src/records/approvals/queue.js';
import { readFeed } from '../../src/records/feed.js';
import {
  age,
  approve,
  eventsOf,
  kinds,
  module,
  reject,
  request,
  resetModule,
  SHOWN,
} from './approval-module.js';
import { sha256Hex } from './hash.js';
import { codeOf, createWorld, type TestTenant } from './world.js';

const world = await createWorld({ approvalKinds: kinds });
const { services } = world;
const { pool, prisma } = services;

beforeEach(resetModule);

describe('a request for approval', () => {
  it('waits with the hash of what will be shown, and the feed tells of it', async () => {
    const { ctx } = await world.tenant('developer');
    const approval = await request(ctx);
    const hash = sha256Hex('{"amount_micro":"100","record":{"a":"имя","b":1},"verb":"delete"}');
    expect(approval).toMatchObject({ status: 'pending', execution: 'none', shown: SHOWN });
    expect(Buffer.from(approval.shownHash).toString('hex')).toBe(hash);
    expect(await approvalById(ctx, approval.id)).toEqual(approval);
    expect(await eventsOf(pool, approval, 1)).toEqual(['requested pending']);
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
    expect(() => kinds.define({ kind: 'tool_call' })).toThrow('defined twice');
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
    expect(await eventsOf(pool, approval, 3)).toEqual(events);
    const where = { subjectId: approval.id, tenantId: tenant.id };
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
    expect(await eventsOf(pool, approval, 2)).toEqual(['requested pending', 'rejected rejected']);
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
    expect(await eventsOf(pool, approval, 1)).toEqual(['requested pending']);
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

  it('count the creator of a key of whatever type as its requester', async () => {
    const tenant = await world.tenant('owner', 'admin');
    const { ctx } = tenant;
    for (const type of ['standard', 'service', 'agent'] as const) {
      const approval = await request(await tenant.key(type));
      const self = decideApproval(ctx, approval.id, approve);
      expect(await codeOf(self)).toBe('approval_self_forbidden');
    }
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
    await age(pool, approval, 'expires_at', '1 hour');
    const late = decideApproval(owner, approval.id, approve);
    await expect(late).rejects.toThrow('already expired');
    const after = await approvalById(owner, approval.id);
    expect(after).toMatchObject({ status: 'expired', decidedBy: null, execution: 'none' });
    expect([module.decided, module.runs]).toEqual([['call-1 expired'], []]);
    expect(await eventsOf(pool, approval, 2)).toEqual(['requested pending', 'expired expired']);
  });

  it('comes once, by the sweep of any node; one that cannot expire stops no other', async () => {
    const { ctx } = await world.tenant();
    const due = await Promise.all(['a', 'b', 'c'].map((subjectId) => request(ctx, { subjectId })));
    const later = await request(ctx, { subjectId: 'later' });
    for (const approval of due) await age(pool, approval, 'expires_at', '2 hours');
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
