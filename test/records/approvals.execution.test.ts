import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { resumeApprovals } from '../../src/records/approvals/execution.js';
import type { ApprovalRun } from '../../src/records/approvals/kinds.js';
import { decideApproval } from '../../src/records/approvals/queue.js';
import {
  age,
  approve,
  eventsOf,
  kinds,
  module,
  request,
  resetModule,
  SHOWN,
} from './approval-module.js';
import { createWorld, type TestTenant } from './world.js';

const world = await createWorld({ approvalKinds: kinds });
const { services } = world;
const { pool, prisma } = services;

beforeEach(resetModule);

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
    await age(pool, failed, 'execute_after', '1 minute');
    expect(await resumeApprovals(services)).toBe(1);
    const after = await prisma.approval.findUniqueOrThrow({ where: { id: failed.id } });
    expect(after).toMatchObject({ execution: 'done', attempts: 2, executionError: null });
    expect(await resumeApprovals(services)).toBe(0);
  });

  it('is given up after five attempts, and its module is told in the transaction', async () => {
    const failed = await approvedAfter(failing);
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      await age(pool, failed, 'execute_after', '1 hour');
      await resumeApprovals(services);
    }
    const after = await prisma.approval.findUniqueOrThrow({ where: { id: failed.id } });
    expect(after).toMatchObject({ execution: 'failed', attempts: 5, executeAfter: null });
    expect(module.runs).toHaveLength(5);
    expect(module.givenUp).toEqual([failed.id]);
    expect((await eventsOf(pool, failed, 3)).at(-1)).toBe('execution_failed approved');
  });

  it('is resumed once when its process died half way', async () => {
    let die = () => {};
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    const dying = approvedAfter(() => died);
    await expect.poll(() => module.runs, { timeout: 10_000 }).toHaveLength(1);
    const [id] = module.runs as [string];
    const running = await prisma.approval.findUniqueOrThrow({ where: { id } });
    expect(running).toMatchObject({ execution: 'running', attempts: 1 });
    expect(await resumeApprovals(services)).toBe(0);
    await age(pool, running, 'execute_after', '121 seconds');
    module.execute = async () => {};
    await Promise.all([resumeApprovals(services), resumeApprovals(services)]);
    expect(module.runs).toEqual([id, id]);
    // The first attempt comes back to life: its result must not count any more.
    die();
    expect(await dying).toMatchObject({ execution: 'done', attempts: 2 });
    const events = ['requested pending', 'approved approved', 'executed approved'];
    expect(await eventsOf(pool, running, 3)).toEqual(events);
  });

  it('is resumed when its process died between the decision and the first attempt', async () => {
    const done = await approvedAfter(async () => {});
    await pool.query(
      `UPDATE approval SET execution = 'waiting', attempts = 0,
         execute_after = clock_timestamp() - interval '1 second' WHERE id = $1`,
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
