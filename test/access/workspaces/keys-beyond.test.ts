import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newMember } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { report } from '../abuse/samples.js';
import { limited, update } from '../keys/limited.js';
import { newWorkspace, placeMember } from './samples.js';

let app: TestApp;
let owner: Customer;
/** A member and a key of the open workspace. */
let by: string;
let key: string;
let open: string;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  open = (await newWorkspace(app, owner, { name: 'open' })).body.id;
  const bound = await newMember(app, owner.token, 'owner');
  await placeMember(app, owner.token, bound.userId, open);
  by = bound.token;
  key = (await limited(app, owner.token, { workspace_id: open })).key;
});
afterAll(() => app?.stop());

const UNKNOWN = '01939a3e-0c00-7049-8000-5e1f00000001';

/** What an answer says, without the id that was asked for. */
function said({ status, body }: Answer, id: string) {
  const { code, message, param } = (body as Partial<ErrorBody>).error ?? {};
  return [status, code, message?.replace(id, 'ID'), param];
}

/** What a member and a key of the open workspace are told of all that they may try on a key. */
async function answersFor(id: string) {
  const leak = { type: 'key_leak', key_ref: id };
  const scan = (credential: string) =>
    rest(app, 'POST', '/v1/gw/abuse/risk-scan', { credential, body: { key_ref: id } });
  const answers = [
    await rest(app, 'POST', `/api-keys/${id}/rotate`, { credential: by, body: {} }),
    await update(app, by, id, { limits: { rpm: 7 } }),
    await report(app, by, { ...leak, actions_taken: ['throttle'] }),
    await report(app, by, leak),
    await scan(by),
    await report(app, key, leak),
    await scan(key),
    await rest(app, 'DELETE', `/api-keys/${id}`, { credential: key }),
    await rest(app, 'DELETE', `/api-keys/${id}`, { credential: by }),
  ];
  return answers.map((answer) => said(answer, id));
}

describe('a key of another workspace, or of none, or of another organization', () => {
  it('is for callers of a workspace an unknown one, and no incident names it', async () => {
    const closed = (await newWorkspace(app, owner, { name: 'closed' })).body.id;
    const stranger = await newCustomer(app);
    const free = await limited(app, owner.token, {}, 'standard');
    const foreigner = await limited(app, owner.token, { workspace_id: closed });
    const beyond = await limited(app, stranger.token);
    const unknown = await answersFor(UNKNOWN);
    expect(unknown.map(([status, code]) => `${status} ${code}`)).toEqual(
      Array(9).fill('404 not_found'),
    );
    const ids = [free.id, foreigner.id, beyond.id];
    for (const id of ids) expect(await answersFor(id)).toEqual(unknown);
    const { rows } = await app.owner.pool.query(
      'SELECT 1 FROM abuse_incident WHERE key_id = ANY($1::uuid[])',
      [ids],
    );
    expect(rows).toEqual([]);
    const inside = await limited(app, owner.token, { workspace_id: open });
    expect((await answersFor(inside.id)).map(([status]) => status)).toEqual(Array(9).fill(200));
  });

  it('has no actions that callers of a workspace could undo', async () => {
    const free = await limited(app, owner.token);
    const leak = { type: 'key_leak', key_ref: free.id, actions_taken: ['throttle'] };
    const [action] = (await report(app, owner.token, leak)).body.incident.actions;
    const id = String(action?.id);
    const undo = (actionId: string, credential: string) =>
      rest(app, 'POST', `/v1/gw/abuse/actions/${actionId}/undo`, { credential });
    const unknown = said(await undo(UNKNOWN, by), UNKNOWN);
    expect(unknown.slice(0, 2)).toEqual([404, 'not_found']);
    expect(said(await undo(id, by), id)).toEqual(unknown);
    expect((await undo(id, owner.token)).status).toBe(200);
  });
});
