import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Ctx } from '../../src/graph/ctx.js';
import { authorized, database } from '../../src/graph/database.js';
import { fail } from '../../src/kernel/errors/fail.js';
import { derivedId, newId } from '../../src/kernel/ids.js';
import { type Answer, IdempotencyKeys } from '../../src/records/idempotency.js';
import {
  isMarked,
  type KeyedPart,
  markEffect,
  sweepOutcomes,
} from '../../src/records/keyed-outcomes.js';
import { commitOnce } from '../../src/records/keyed-transaction.js';
import { afterCommit, inTransaction } from '../../src/records/scope.js';
import { codeOf, createWorld, type TestTenant } from './world.js';

const world = await createWorld();
const { pool, prisma, config, keyring } = world.services;
const keys = new IdempotencyKeys({ pool, config, keyring });

const OK: Answer = { status: 200, contentType: 'application/json', body: Buffer.from('{"a":1}') };

/** A keyed request that has begun. */
async function begun({ ctx, id: tenantId }: TestTenant): Promise<KeyedPart> {
  const request = {
    tenantId,
    actorId: ctx.who.id,
    key: newId('Request'),
    bodyHash: createHash('sha256').update('{}').digest(),
    requestId: newId('Request'),
  };
  await keys.begin(request);
  return { request, rootId: request.requestId, effectId: request.requestId };
}

/** The next attempt at it, after its process has died. */
async function takenOver(part: KeyedPart): Promise<KeyedPart> {
  await pool.query(
    `UPDATE idempotency_record SET renewed_at = now() - interval '2 minutes' WHERE key = $1`,
    [part.request.key],
  );
  const request = { ...part.request, requestId: newId('Request') };
  const later = new IdempotencyKeys({ pool, config, keyring });
  expect(await later.begin(request)).toEqual({ kind: 'run', firstRequestId: part.rootId });
  return { ...part, request };
}

/** Makes a project in a transaction of its own, as services do. */
async function makeProject(ctx: Ctx, name: string): Promise<Answer> {
  const tenantId = ctx.who?.tenantId ?? '';
  await ctx.services.prisma.$transaction((tx) =>
    tx.project.create({ data: { id: newId('Project'), tenantId, name } }),
  );
  return { ...OK, body: Buffer.from(name) };
}

/** The project that every tenant of this world has. */
const RENAMED = { name: 'A project' };

function projectCount(name: string): Promise<number> {
  return prisma.project.count({ where: { name } });
}

describe('a keyed request in one commit', () => {
  it('stands with its answer, which every later attempt gets', async () => {
    const tenant = await world.tenant();
    const part = await begun(tenant);
    const name = newId('Project');
    const first = await commitOnce(tenant.ctx, part, (ctx) => makeProject(ctx, name));
    const answer = { ...OK, body: Buffer.from(name) };
    expect(first).toEqual({ evidence: 'answered', answer, replayed: false });
    const again = await takenOver(part);
    const second = await commitOnce(tenant.ctx, again, () => fail('internal_error'));
    expect(second).toEqual({ evidence: 'answered', answer, replayed: true });
    expect(await projectCount(name)).toBe(1);
  });

  it('leaves nothing when it fails after a transaction of its own', async () => {
    const tenant = await world.tenant();
    const part = await begun(tenant);
    const name = newId('Project');
    const failed = await commitOnce(tenant.ctx, part, async (ctx) => {
      await makeProject(ctx, name);
      return fail('ledger_unavailable');
    });
    expect(failed).toMatchObject({ evidence: 'nothing_stands' });
    expect(await projectCount(name)).toBe(0);
  });

  it('that is refused keeps what it has committed by then, and else leaves nothing', async () => {
    const tenant = await world.tenant();
    const name = newId('Project');
    const kept = await commitOnce(tenant.ctx, await begun(tenant), async (ctx) => {
      await makeProject(ctx, name);
      return fail('invalid_token', { values: { reason: 'it was used before' } });
    });
    expect(kept).toMatchObject({ evidence: 'unknown', error: { code: 'invalid_token' } });
    expect(await projectCount(name)).toBe(1);
    const refused = await commitOnce(tenant.ctx, await begun(tenant), async (ctx) => {
      await ctx.services.prisma.$transaction(() => fail('not_found'));
      return OK;
    });
    expect(refused).toMatchObject({ evidence: 'nothing_stands', error: { code: 'not_found' } });
  });

  it('is one attempt at a time: another one is told that it is in progress', async () => {
    const tenant = await world.tenant();
    const part = await begun(tenant);
    const name = newId('Project');
    const both = await commitOnce(tenant.ctx, part, async (ctx) => {
      const again = await takenOver(part);
      const second = await commitOnce(tenant.ctx, again, () => makeProject(tenant.ctx, name));
      expect(second).toMatchObject({ error: { code: 'idempotency_in_progress' } });
      return makeProject(ctx, name);
    });
    expect(both.evidence).toBe('answered');
    expect(await projectCount(name)).toBe(1);
  });

  it('does nothing any more when a later attempt has taken its key', async () => {
    const tenant = await world.tenant();
    const part = await begun(tenant);
    const name = newId('Project');
    await takenOver(part);
    const late = await commitOnce(tenant.ctx, part, (ctx) => makeProject(ctx, name));
    expect(late).toMatchObject({ error: { code: 'idempotency_in_progress' } });
    expect(await projectCount(name)).toBe(0);
  });

  it('sees what it has written, and nothing of another tenant', async () => {
    const [tenant, stranger] = [await world.tenant(), await world.tenant()];
    const theirs = await prisma.project.findFirstOrThrow({ where: { tenantId: stranger.id } });
    const seen: unknown[] = [];
    await commitOnce(tenant.ctx, await begun(tenant), async (ctx) => {
      await makeProject(ctx, 'just written');
      const rows = database(ctx);
      seen.push(await rows.project.count());
      seen.push(await rows.project.findUnique({ where: { id: theirs.id } }));
      seen.push((await rows.project.updateMany({ where: RENAMED, data: { name: 'ours' } })).count);
      const own = await inTransaction(authorized(ctx), {}, (tx) =>
        tx.project.create({ data: { id: newId('Project'), tenantId: stranger.id, name: 'x' } }),
      );
      seen.push(own.tenantId);
      expect(() => (rows.project.upsert as (args: object) => unknown)({})).toThrow(TypeError);
      return OK;
    });
    expect(seen).toEqual([2, null, 1, tenant.id]);
    const after = await prisma.project.findUniqueOrThrow({ where: { id: theirs.id } });
    expect(after.name).toBe(theirs.name);
  });

  it('lets inner transactions follow each other; one that fails takes only its own', async () => {
    const tenant = await world.tenant();
    const name = newId('Project');
    const done = await commitOnce(tenant.ctx, await begun(tenant), async (ctx) => {
      const made = [1, 2, 3, 4, 5].map((n) => makeProject(ctx, `${name} ${n}`));
      const failing = ctx.services.prisma.$transaction(async (tx) => {
        const where = { tenantId: tenant.id, ...RENAMED };
        await tx.project.updateMany({ where, data: { name: 'lost' } });
        // One inside of another, through the context: a savepoint of a savepoint.
        await makeProject(ctx, 'lost too');
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      await Promise.all(made);
      return OK;
    });
    expect(done.evidence).toBe('answered');
    expect(await prisma.project.count({ where: { name: { startsWith: name } } })).toBe(5);
    expect(await projectCount('lost')).toBe(0);
    expect(await projectCount('lost too')).toBe(0);
  });

  it('does what follows a commit after its own, and never without one', async () => {
    const tenant = await world.tenant();
    const name = newId('Project');
    const seen: Promise<number>[] = [];
    const work = async (ctx: Ctx) => {
      const answer = await makeProject(ctx, name);
      afterCommit(ctx, () => seen.push(projectCount(name)));
      return answer;
    };
    await commitOnce(tenant.ctx, await begun(tenant), async (ctx) => {
      await work(ctx);
      return fail('ledger_unavailable');
    });
    expect(seen).toEqual([]);
    await commitOnce(tenant.ctx, await begun(tenant), work);
    expect(await Promise.all(seen)).toEqual([1]);
  });
});

describe('the mark of an effect', () => {
  it('is left once, in the transaction of the effect', async () => {
    const { ctx } = await world.tenant();
    const effectId = newId('Request');
    const keyed = { effectId, rootId: effectId, repeated: true };
    const own: Ctx = { ...ctx, keyed };
    expect(await isMarked(own)).toBe(false);
    const rolledBack = prisma.$transaction(async (tx) => {
      await markEffect(own, tx);
      throw new Error('on purpose');
    });
    await expect(rolledBack).rejects.toThrow();
    expect(await isMarked(own)).toBe(false);
    await prisma.$transaction((tx) => markEffect(own, tx));
    expect(await isMarked(own)).toBe(true);
    expect(await codeOf(prisma.$transaction((tx) => markEffect(own, tx)))).toBe(
      'idempotency_in_progress',
    );
  });
});

describe('an outcome', () => {
  it('is swept when its key is gone and a day has passed, and not before', async () => {
    const tenant = await world.tenant();
    const part = await begun(tenant);
    await commitOnce(tenant.ctx, part, async () => OK);
    const left = async () => {
      await sweepOutcomes(world.services);
      const where = { effectId: part.effectId };
      return prisma.keyedOutcome.count({ where });
    };
    await pool.query(`UPDATE keyed_outcome SET created_at = now() - interval '25 hours'`);
    expect(await left()).toBe(1);
    await keys.release(part.request);
    await pool.query('UPDATE keyed_outcome SET created_at = now()');
    expect(await left()).toBe(1);
    await pool.query(`UPDATE keyed_outcome SET created_at = now() - interval '25 hours'`);
    expect(await left()).toBe(0);
  });
});

describe('an id that follows from a key', () => {
  it('is the same for the same effect, kind and label, and another one for any other', () => {
    const [one, other] = [newId('Request'), newId('Request')];
    const id = derivedId('ToolCall', one, 'call');
    expect(derivedId('ToolCall', one, 'call')).toBe(id);
    const others = [
      derivedId('ToolCall', other, 'call'),
      derivedId('BlueprintRun', one, 'call'),
      derivedId('ToolCall', one, 'another'),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
    expect(id.slice(0, 13)).toBe(one.slice(0, 13));
  });
});
