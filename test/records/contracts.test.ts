import { describe, expect, it } from 'vitest';
import {
  contractAtVersion,
  contractHistory,
  currentContract,
  currentContracts,
  publishContract,
} from '../../src/records/contracts.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld();
const NAME = { kind: 'price_plan', key: 'team' };

describe('a contract', () => {
  it('keeps every version that was published, and the last one is current', async () => {
    const { ctx } = await world.tenant();
    const first = await publishContract(ctx, NAME, { floor: '10' });
    const second = await publishContract(ctx, NAME, { floor: '12' });
    expect([first.version, second.version]).toEqual([1, 2]);
    expect(second.createdBy).toBe(ctx.who.id);
    expect(await currentContract(ctx, NAME)).toEqual(second);
    expect(await contractAtVersion(ctx, NAME, 1)).toEqual(first);
    const { edges } = await contractHistory(ctx, NAME, {});
    expect(edges.map(({ node }) => node)).toEqual([second, first]);
  });

  it('numbers versions without a gap when 100 publish at once', async () => {
    const { ctx } = await world.tenant();
    const racers = Array.from({ length: 100 }, (_, i) => publishContract(ctx, NAME, { i }));
    const versions = (await Promise.all(racers)).map(({ version }) => version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  it('leaves no gap where a transaction is undone', async () => {
    const { ctx } = await world.tenant();
    const undone = world.services.prisma.$transaction(async (tx) => {
      const published = await publishContract(ctx, NAME, {}, { tx });
      expect(await currentContract(ctx, NAME, { tx })).toEqual(published);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await codeOf(currentContract(ctx, NAME))).toBe('not_found');
    expect((await publishContract(ctx, NAME, {})).version).toBe(1);
  });

  it('is paged from the latest version on', async () => {
    const { ctx } = await world.tenant();
    for (let i = 0; i < 5; i += 1) await publishContract(ctx, NAME, { i });
    const first = await contractHistory(ctx, NAME, { first: 2 });
    await publishContract(ctx, NAME, { late: true });
    const after = first.pageInfo.endCursor;
    const rest = await contractHistory(ctx, NAME, { first: 3, after });
    const versions = [...first.edges, ...rest.edges].map(({ node }) => node.version);
    expect(versions).toEqual([5, 4, 3, 2, 1]);
    const beyond = Buffer.from('k:999999999999').toString('base64url');
    expect((await contractHistory(ctx, NAME, { after: beyond })).edges).toHaveLength(6);
  });

  it('lists the current version of each contract of a kind', async () => {
    const { ctx } = await world.tenant();
    for (const key of ['b', 'a', 'b', 'c']) {
      await publishContract(ctx, { kind: 'tool', key }, { key });
    }
    await publishContract(ctx, { kind: 'plan', key: 'x' }, {});
    const listed = async (after?: string) =>
      (await currentContracts(ctx, 'tool', after)).map((row) => [row.contractKey, row.version]);
    expect(await listed()).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
    expect(await listed('b')).toEqual([['c', 1]]);
  });

  it('is unknown to another tenant, whose versions of the same name begin at 1', async () => {
    const [own, other] = await Promise.all([world.tenant(), world.tenant()]);
    await publishContract(own.ctx, NAME, { of: 'own' });
    expect(await codeOf(currentContract(other.ctx, NAME))).toBe('not_found');
    expect(await codeOf(contractAtVersion(other.ctx, NAME, 1))).toBe('not_found');
    expect((await contractHistory(other.ctx, NAME, {})).edges).toEqual([]);
    expect(await currentContracts(other.ctx, NAME.kind)).toEqual([]);
    expect((await publishContract(other.ctx, NAME, {})).version).toBe(1);
  });

  it('has no version at a number that is none', async () => {
    const { ctx } = await world.tenant();
    await publishContract(ctx, NAME, {});
    for (const version of [0, -1, 2, 1.5, 2 ** 31, Number.NaN]) {
      expect(await codeOf(contractAtVersion(ctx, NAME, version))).toBe('not_found');
    }
  });

  it('cannot be changed or removed in the database', async () => {
    const { ctx } = await world.tenant();
    await publishContract(ctx, NAME, {});
    const client = await world.client();
    const attempts = [
      'UPDATE contract_version SET version = 9',
      'DELETE FROM contract_version',
      'TRUNCATE contract_version',
    ];
    for (const sql of attempts) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
