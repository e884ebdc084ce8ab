import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import type { Listener } from '../../src/platform/database/listen.js';
import { ControlVersions } from '../../src/records/control-versions.js';

/** A node whose changes are told by hand. */
async function newNode() {
  const asked: string[] = [];
  const told: string[] = [];
  let handle = (_tenantId: string) => {};
  const pool = {
    query: async ({ values: [tenantId] }: { values: string[] }) => {
      asked.push(tenantId ?? '');
      await new Promise((resolve) => setImmediate(resolve));
      return { rows: [{ version: `${asked.length}` }] };
    },
  };
  const listener = {
    listen: async (_channel: string, handler: typeof handle) => {
      handle = handler;
    },
    tell: (_channel: string, tenantId: string) => {
      told.push(tenantId);
      handle(tenantId);
    },
    onDisconnected: () => {},
  };
  const versions = new ControlVersions(pool as unknown as Pool);
  await versions.follow(listener as unknown as Listener);
  return { versions, asked, told, change: (tenantId: string) => handle(tenantId) };
}

it('the number of controls is read and told once for all who ask at once', async () => {
  const { versions, asked, told } = await newNode();
  const both = ['one', 'another'].flatMap((tenantId) =>
    Array.from({ length: 100 }, () => versions.of(tenantId)),
  );
  await Promise.all(both);
  expect([asked, told].map((each) => each.toSorted())).toEqual([
    ['another', 'one'],
    ['another', 'one'],
  ]);
  expect(versions.of('one')).toEqual(expect.any(String));
});

it('the number of controls that a change has overtaken is kept for nobody', async () => {
  const { versions, asked, change } = await newNode();
  const before = versions.of('one');
  change('one');
  await before;
  await versions.of('one');
  expect(asked).toEqual(['one', 'one']);
});
