import { describe, expect, it } from 'vitest';
import { tenantDatabase } from '../../src/platform/database/tenant.js';
import { audit } from '../../src/records/audit-trail.js';
import { sha256Hex } from './hash.js';
import { createWorld, type TestTenant } from './world.js';

const world = await createWorld();
const { prisma } = world.services;

const CHANGE = { action: 'policyUpdate', subject: 'Policy', subjectId: 'p-1' };

function trailOf(tenant: TestTenant) {
  return tenantDatabase(prisma, tenant.id).auditEvent.findMany({ orderBy: { id: 'desc' } });
}

describe('the audit trail', () => {
  it('holds who changed what in which request, with hashes of before and after', async () => {
    const tenant = await world.tenant();
    const { ctx } = tenant;
    const change = { ...CHANGE, before: { rpm: 1, a: 'b' }, after: { a: 'b', rpm: 2 } };
    await prisma.$transaction((tx) => audit(ctx, tx, change));
    const hash = (text: string) => new Uint8Array(Buffer.from(sha256Hex(text), 'hex'));
    expect(await trailOf(tenant)).toEqual([
      {
        id: expect.any(String),
        tenantId: tenant.id,
        actorKind: 'user',
        actorId: ctx.who.id,
        action: 'policyUpdate',
        subject: 'Policy',
        subjectId: 'p-1',
        beforeHash: hash('{"a":"b","rpm":1}'),
        afterHash: hash('{"a":"b","rpm":2}'),
        requestId: ctx.requestId,
        createdAt: expect.any(Date),
        seq: expect.any(BigInt),
        txid: expect.any(BigInt),
      },
    ]);
  });

  it('has no hash where the thing did not exist', async () => {
    const tenant = await world.tenant();
    await prisma.$transaction((tx) => audit(tenant.ctx, tx, { ...CHANGE, after: null }));
    const [event] = await trailOf(tenant);
    expect(event?.beforeHash).toBeNull();
    expect(event?.afterHash).not.toBeNull();
  });

  it('takes the actor of a request without a caller, and refuses one without any', async () => {
    const tenant = await world.tenant();
    const anonymous = { ...tenant.ctx, who: undefined };
    const actor = { kind: 'user', id: tenant.ctx.who.id, tenantId: tenant.id } as const;
    await prisma.$transaction((tx) => audit(anonymous, tx, { ...CHANGE, actor }));
    expect(await trailOf(tenant)).toMatchObject([{ actorId: actor.id }]);
    const nobody = prisma.$transaction((tx) => audit(anonymous, tx, CHANGE));
    await expect(nobody).rejects.toThrow(TypeError);
  });

  it('has no record of a change that was undone', async () => {
    const tenant = await world.tenant();
    const undone = prisma.$transaction(async (tx) => {
      await audit(tenant.ctx, tx, CHANGE);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await trailOf(tenant)).toEqual([]);
  });

  it('never shows another tenant', async () => {
    const [tenant, other] = await Promise.all([world.tenant(), world.tenant()]);
    const { ctx } = tenant;
    await prisma.$transaction(async (tx) => {
      await audit(ctx, tx, CHANGE);
      await audit(ctx, tx, { ...CHANGE, action: 'policyCreate', subjectId: 'p-2' });
    });
    expect((await trailOf(tenant)).map((event) => event.subjectId)).toEqual(['p-2', 'p-1']);
    expect(await trailOf(other)).toEqual([]);
  });

  it('cannot be changed or shortened in the database', async () => {
    const { ctx } = await world.tenant();
    await prisma.$transaction((tx) => audit(ctx, tx, CHANGE));
    const client = await world.client();
    const attempts = [
      "UPDATE audit_event SET action = 'x'",
      'DELETE FROM audit_event',
      'TRUNCATE audit_event CASCADE',
    ];
    for (const sql of attempts) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
