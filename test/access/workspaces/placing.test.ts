import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORKSPACE_BOUNDS } from '../../../src/access/workspaces/vocabulary.js';
import { newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { limited } from '../keys/limited.js';
import { setWorkspaceRequired } from '../organization/samples.js';
import { newWorkspace, placeMember, placeProject } from './samples.js';
import { refusedWith } from './voices.js';

let app: TestApp;
let owner: Customer;
let open: string;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
  open = (await newWorkspace(app, owner)).body.id;
});
afterAll(() => app?.stop());

/** What is asked by a member who is placed in the open workspace before it gets its turn. */
async function whilePlaced<T>(userId: string, asked: () => Promise<T>): Promise<T> {
  const placing = await app.owner.pool.connect();
  try {
    await placing.query('BEGIN');
    const alone = "SELECT pg_advisory_xact_lock(hashtextextended('makers ' || $1, 0))";
    await placing.query(alone, [owner.tenantId]);
    const answer = asked();
    const waiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await app.owner.pool.query(waiting)).rows, { timeout: 20_000 })
      .toEqual([{ waiting: 1 }]);
    await placing.query('UPDATE app_user SET workspace_id = $2 WHERE id = $1', [userId, open]);
    await placing.query('COMMIT');
    return await answer;
  } finally {
    placing.release();
  }
}

describe('a member who is being placed in a workspace', () => {
  it('moves nobody and changes no rule: the member is looked at again under the lock', async () => {
    for (const asked of [
      (by: string, id: string) => placeMember(app, by, id, null),
      (by: string) => placeProject(app, by, owner.projectId, null),
      (by: string) => setWorkspaceRequired(app, by, false),
    ]) {
      const { token, userId } = await newMember(app, owner.token, 'admin');
      const refused = whilePlaced(userId, () => refusedWith(asked(token, userId)));
      expect(await refused).toBe('workspace_caller_bound');
      const { rows } = await app.owner.pool.query(
        'SELECT workspace_id AS workspace FROM app_user WHERE id = $1',
        [userId],
      );
      expect(rows).toEqual([{ workspace: open }]);
    }
  });
});

describe('a service key that is made while its maker is being placed in a workspace', () => {
  it('belongs to that workspace: the maker is looked at again under the lock', async () => {
    const { token, userId } = await newMember(app, owner.token, 'admin');
    const { id } = await whilePlaced(userId, () => limited(app, token));
    const { rows } = await app.owner.pool.query(
      'SELECT workspace_id AS workspace FROM api_key WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ workspace: open }]);
  });
});

describe('the last place for a workspace', () => {
  it('is taken once by those who ask for it at once, by the same name too', async () => {
    const whole = await newCustomer(app);
    const { id } = (await newWorkspace(app, whole)).body;
    const { workspacesMax } = WORKSPACE_BOUNDS;
    await app.owner.pool.query(
      `INSERT INTO workspace (id, tenant_id, name, departments, approved_routes, data_classes,
         actions, user_budget_period, created_by)
       SELECT gen_random_uuid(), tenant_id, name, departments, approved_routes, data_classes,
         actions, user_budget_period, created_by
       FROM workspace, generate_series(1, $2) WHERE id = $1`,
      [id, workspacesMax - 2],
    );
    const asked = Array.from({ length: 6 }, () => newWorkspace(app, whole, { name: 'the last' }));
    expect((await Promise.all(asked)).map(outcome).toSorted()).toEqual([
      '200',
      ...Array(5).fill('409 workspaces_full'),
    ]);
    const { rows } = await app.owner.pool.query(
      'SELECT count(*)::int AS count FROM workspace WHERE tenant_id = $1',
      [whole.tenantId],
    );
    expect(rows).toEqual([{ count: workspacesMax }]);
    expect((await newWorkspace(app, owner, { name: 'the last' })).status).toBe(200);
  });
});
