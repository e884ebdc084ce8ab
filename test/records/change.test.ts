import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/kernel/errors/fail.js';
import { newId } from '../../src/kernel/ids.js';
import { change } from '../../src/records/change.js';
import { InFlightLimiter } from '../../src/records/in-flight-limiter.js';
import { lockOwn, requireOwn } from '../../src/records/own.js';
import { createWorld } from './world.js';

const world = await createWorld();
const { members, id: tenantId } = await world.tenant('owner', 'viewer');
const ctx = members[0] as NonNullable<(typeof members)[0]>;
const foreign = (await world.tenant()).ctx;
const NAME = { action: 'projectRename', subject: 'Project' };

function events(subjectId: string) {
  return world.services.prisma.auditEvent.findMany({ where: { tenantId, subjectId } });
}

async function newProject(name: string): Promise<string> {
  const id = newId('Project');
  await world.services.prisma.project.create({ data: { id, tenantId, name } });
  return id;
}

describe('a change', () => {
  it('commits its work together with one audit event, and then tells', async () => {
    const id = await newProject('before');
    const told: string[] = [];
    const result = await change(ctx, NAME, async (tx) => {
      await tx.project.update({ where: { id }, data: { name: 'after' } });
      const before = { name: 'before' };
      return { result: 7, id, before, after: { name: 'after' }, told: () => told.push('told') };
    });
    const [event, ...more] = await events(id);
    expect([result, told, more]).toEqual([7, ['told'], []]);
    expect(event).toMatchObject({ ...NAME, actorId: ctx.who.id, requestId: ctx.requestId });
    expect(event?.beforeHash).not.toEqual(event?.afterHash);
  });

  it('that fails leaves neither its work nor an event, and tells nobody', async () => {
    const id = await newProject('kept');
    const told: string[] = [];
    const failing = change(ctx, NAME, async (tx) => {
      await tx.project.update({ where: { id }, data: { name: 'never' } });
      // What cannot be hashed exactly cannot be recorded, so it is not done either.
      const after = { size: Number.NaN };
      return { result: 7, id, after, told: () => told.push('told') };
    });
    await expect(failing).rejects.toThrow(TypeError);
    const { name } = await world.services.prisma.project.findFirstOrThrow({ where: { id } });
    expect([name, await events(id), told]).toEqual(['kept', [], []]);
  });

  it('that changed nothing records nothing', async () => {
    const before = await world.services.prisma.auditEvent.count({ where: { tenantId } });
    expect(await change(ctx, NAME, async () => ({ result: 'as it was' }))).toBe('as it was');
    expect(await world.services.prisma.auditEvent.count({ where: { tenantId } })).toBe(before);
  });
});

describe("changes that are in one another's way", () => {
  it('are all made, each once, where the database has undone one of them', async () => {
    const [one, two] = [await newProject('one'), await newProject('two')];
    let arrived = 0;
    let open = () => {};
    const bothHold = new Promise<void>((resolve) => {
      open = resolve;
    });
    const both = (first: string, second: string) =>
      change(ctx, NAME, async (tx) => {
        await lockOwn(ctx, tx, 'Project', first);
        arrived += 1;
        if (arrived === 2) open();
        await bothHold;
        await lockOwn(ctx, tx, 'Project', second);
        return { result: 'made', id: first, after: { second } };
      });
    expect(await Promise.all([both(one, two), both(two, one)])).toEqual(['made', 'made']);
    expect(arrived).toBe(3);
    expect([(await events(one)).length, (await events(two)).length]).toEqual([1, 1]);
  });

  it('are refused as such where others hold too long what they need', async () => {
    const id = await newProject('held');
    const held = change(ctx, NAME, async (tx) => {
      await lockOwn(ctx, tx, 'Project', id);
      const waiting = change(foreign, NAME, async (other) => {
        await other.$queryRaw`SELECT set_config('lock_timeout', '1ms', true)`;
        await other.$queryRaw`LOCK TABLE project IN ACCESS EXCLUSIVE MODE`;
        return { result: 'never' };
      });
      const refusal = await waiting.then(String, (error: GatewayError) => error.code);
      return { result: refusal };
    });
    expect(await held).toBe('change_contended');
  });
});

describe('many changes of an organization', () => {
  it('are let in one after the other, but those first that end something', async () => {
    const limiter = new InFlightLimiter(1);
    const order: string[] = [];
    const one = (word: string, isUrgent = false) =>
      limiter.take(async () => order.push(word), isUrgent);
    await Promise.all([one('first'), one('a'), one('b'), one('ends', true), one('ends too', true)]);
    expect(order).toEqual(['first', 'ends', 'ends too', 'a', 'b']);
  });

  it('leave room for those of another, and all of them are made', async () => {
    let [running, most] = [0, 0];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const own = Array.from({ length: 40 }, () =>
      change(ctx, NAME, async () => {
        running += 1;
        most = Math.max(most, running);
        await opened;
        running -= 1;
        return { result: 1 };
      }),
    );
    expect(await change(foreign, NAME, async () => ({ result: 'at once' }))).toBe('at once');
    open();
    expect((await Promise.all(own)).length).toBe(40);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('do not wait for themselves: a change within a change is part of it', async () => {
    const nested = () =>
      change(ctx, NAME, async () => ({
        result: await change(ctx, NAME, async () => ({ result: 'inner' })),
      }));
    const all = await Promise.all(Array.from({ length: 8 }, nested));
    expect(new Set(all)).toEqual(new Set(['inner']));
  });
});

describe('an own object', () => {
  it('is found by its organization; a foreign, unknown or odd id is all the same', async () => {
    const id = await newProject('mine');
    expect(await requireOwn(ctx, 'Project', id)).toMatchObject({ id, tenantId, name: 'mine' });
    const shown = async (scope: typeof ctx, wanted: string) => {
      const asked = requireOwn(scope, 'Project', wanted);
      const error: GatewayError = await asked.then(
        () => Promise.reject(),
        (failure) => failure,
      );
      return [error.code, error.message.replace(wanted, '<id>'), error.details.param];
    };
    const missing = ['not_found', expect.stringContaining('project'), 'id'];
    expect(await shown(foreign, id)).toEqual(missing);
    expect(await shown(ctx, newId('Project'))).toEqual(missing);
    expect(await shown(ctx, 'x')).toEqual(missing);
  });

  it('that is locked is changed by one at a time', async () => {
    const id = await newProject('0');
    const count = () =>
      change(ctx, NAME, async (tx) => {
        const { name } = await lockOwn(ctx, tx, 'Project', id);
        await tx.project.update({ where: { id }, data: { name: String(Number(name) + 1) } });
        return { result: undefined };
      });
    await Promise.all(Array.from({ length: 10 }, count));
    expect((await requireOwn(ctx, 'Project', id)).name).toBe('10');
  });

  it('of another organization cannot be locked', async () => {
    const id = await newProject('locked');
    const locking = change(foreign, NAME, async (tx) => {
      return { result: await lockOwn(foreign, tx, 'Project', id) };
    });
    await expect(locking).rejects.toMatchObject({ code: 'not_found' });
  });
});
