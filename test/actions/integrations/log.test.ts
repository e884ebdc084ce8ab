import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/kernel/canonical.js';
import { newKey, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { act, execute, HIGH, LOW, type Outcome, preview, receiptOf } from './calls.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const SEGMENT = { field: 'custom.segment', kind: 'changed', old: 'retail', new: 'wholesale' };

/** LOW about a record of its own. */
function about(recordId: string) {
  return { ...LOW, record_id: recordId };
}

describe('the log of actions', () => {
  it('lists newest first and narrows by status', async () => {
    const fresh = await newCustomer(app);
    const low = await act(app, fresh.token);
    const high = await act(app, fresh.token, HIGH);
    const list = async (query: string) => {
      const path = `/v1/gw/integrations/actions${query}`;
      const { body } = await rest<{ data: Outcome[] }>(app, 'GET', path, {
        credential: fresh.token,
      });
      return body.data;
    };
    expect((await list('')).map(({ id }) => id)).toEqual([high.id, low.id]);
    expect(await list('?status=executed')).toEqual([
      {
        id: low.id,
        preview_id: expect.any(String),
        connector: 'bitrix24',
        action: 'contact.update',
        record_id: 'contact-17',
        erased: false,
        decision: 'auto',
        status: 'executed',
        approval_id: null,
        changed_fields: [SEGMENT],
        rollback: {
          available: true,
          reason: null,
          changes: [{ ...SEGMENT, old: 'wholesale', new: 'retail' }],
          record_version: 2,
        },
        request_ids: [],
        failure: null,
        simulated: true,
        created_at: expect.any(String),
        finished_at: expect.any(String),
      },
    ]);
    expect((await list('?status=pending')).map(({ id }) => id)).toEqual([high.id]);
  });
});

describe('who sees what', () => {
  it('another organization: its answers are those for what does not exist', async () => {
    const other = await newCustomer(app);
    const { body: previewed } = await preview(app, customer.token, about('mine'));
    const { body: action } = await execute(app, customer.token, previewed.preview_id);
    const unknown = '01939a3e-0c00-7019-8000-5e1f00000001';
    const asOther = async (id: string, previewId: string) => {
      const answers = [
        await execute(app, other.token, previewId),
        await receiptOf(app, other.token, id),
        await rest<Outcome>(app, 'POST', `/v1/gw/integrations/actions/${id}/rollback`, {
          credential: other.token,
          body: {},
        }),
      ];
      const shown = answers.map(({ status, body: { error } }) => {
        const { request_id, ...rest } = error;
        return { status, ...rest };
      });
      return canonicalJson(
        JSON.parse(JSON.stringify(shown).replaceAll(id, 'ID').replaceAll(previewId, 'ID')),
      );
    };
    expect(await asOther(action.id, previewed.preview_id)).toBe(await asOther(unknown, unknown));
    const { body } = await rest<{ data: unknown[] }>(app, 'GET', '/v1/gw/integrations/actions', {
      credential: other.token,
    });
    expect(body.data).toEqual([]);
  });

  it('an agent key sees the previews, actions and receipts of its own alone', async () => {
    const fresh = await newCustomer(app);
    const agent = await newKey(app, fresh.token, 'agent');
    const { body: theirs } = await preview(app, fresh.token, about('theirs'));
    expect(outcome(await execute(app, agent.key, theirs.preview_id))).toBe('404 not_found');
    const { body: foreign } = await execute(app, fresh.token, theirs.preview_id);
    expect(outcome(await receiptOf(app, agent.key, foreign.id))).toBe('404 not_found');
    const own = await act(app, agent.key, about('own'));
    expect((await receiptOf(app, agent.key, own.id)).status).toBe(200);
    const { body } = await rest<{ data: Outcome[] }>(app, 'GET', '/v1/gw/integrations/actions', {
      credential: agent.key,
    });
    expect(body.data.map(({ id }) => id)).toEqual([own.id]);
    expect((await receiptOf(app, fresh.token, own.id)).status).toBe(200);
  });

  it('a receipt id that is no uuid is not found', async () => {
    expect(outcome(await receiptOf(app, customer.token, 'x'))).toBe('404 not_found');
  });

  it('GraphQL answers alike', async () => {
    const fresh = await newCustomer(app);
    const agent = await newKey(app, fresh.token, 'agent');
    const { id } = await act(app, fresh.token);
    const read = (credential: string) =>
      graphql<{ integrationAction: unknown }>(
        app,
        'query($id: String!) { integrationAction(id: $id) { id status decision } }',
        { id },
        credential,
      );
    expect((await read(fresh.token)).data.integrationAction).toEqual({
      id,
      status: 'executed',
      decision: 'auto',
    });
    for (const stranger of [agent.key, customer.token]) {
      expect((await read(stranger)).errors?.[0]?.extensions.code).toBe('not_found');
    }
  });
});
