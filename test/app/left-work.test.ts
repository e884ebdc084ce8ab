import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doLeftWork } from '../../src/app/left-work.js';
import type { Services } from '../../src/graph/ctx.js';
import {
  askException,
  cappedCustomer,
  type RubleApp,
  startRubleApp,
} from '../access/budgets/ruble-app.js';

let app: RubleApp;
beforeAll(async () => {
  app = await startRubleApp();
});
afterAll(() => app.stop());

async function approval(): Promise<string> {
  const { token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
  return (await askException(app, token, policyId)).body.approval_id;
}

async function statusOf(id: string): Promise<string | undefined> {
  const sql = 'SELECT status FROM approval WHERE id = $1';
  return (await app.owner.pool.query<{ status: string }>(sql, [id])).rows[0]?.status;
}

/** The services, and the texts of all statements for all tenants that go by them. */
function counted(): { readonly services: Services; readonly asked: string[] } {
  const { services } = app.server;
  const asked: string[] = [];
  const query = (first: string | { readonly text: string }, ...more: unknown[]) => {
    asked.push(typeof first === 'string' ? first : first.text);
    const send = services.platformPool.query.bind(services.platformPool) as (
      ...words: unknown[]
    ) => Promise<unknown>;
    return send(first, ...more);
  };
  const platformPool = Object.assign(Object.create(services.platformPool), { query });
  return { services: { ...services, platformPool }, asked };
}

describe('work that is left', () => {
  it('is asked for by one statement, and nothing else is where there is none', async () => {
    const { services, asked } = counted();
    await doLeftWork(services);
    expect(asked).toHaveLength(1);
  });

  it('is done where it is due, and what is not due waits', async () => {
    const [due, waiting] = [await approval(), await approval()];
    await app.owner.pool.query(
      `UPDATE approval SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1`,
      [due],
    );
    await doLeftWork(app.server.services);
    expect(await statusOf(due)).toBe('expired');
    expect(await statusOf(waiting)).toBe('pending');
  });
});
