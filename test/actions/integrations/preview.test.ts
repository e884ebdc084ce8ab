import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTORS } from '../../../src/actions/integrations/catalogue.js';
import { REFERENCES } from '../../../src/records/references.js';
import type { ErrorBody } from '../../journeys/people.js';
import { newKey } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { auditEvents, HIGH, LOW, preview } from './calls.js';

/** A row of a table without values. */
const ROW = { connector: 'csv', action: 'row.update', record_id: 'row-2', record: { values: {} } };

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const CATALOG = '/v1/gw/integrations/connectors/catalog';

describe('the catalogue of connectors', () => {
  it('is public and complete, with actions, risk, auth and status', async () => {
    const { body } = await rest<{ data: { id: string; actions: unknown[] }[] }>(
      app,
      'GET',
      CATALOG,
    );
    expect(body.data.map(({ id }) => id)).toEqual(CONNECTORS.map(({ id }) => id));
    expect(body.data.find(({ id }) => id === 'vk_teams')).toEqual({
      id: 'vk_teams',
      name: 'VK Teams',
      category: 'messenger',
      auth: 'bot_token',
      status: 'simulated',
      description: 'Messages to colleagues.',
      actions: [
        {
          id: 'message.send',
          verb: 'send',
          risk: 'medium',
          reversible: false,
          always_asks: false,
          description: 'Sends a message.',
          fields: [
            field('chat', 'string', true, 'The chat or the person.'),
            field('text', 'string', true, 'The message.'),
            field('attachments', 'list', false, 'Links to files.'),
          ],
        },
      ],
    });
  });

  it('narrows by category and shows one connector; an unknown one is 404', async () => {
    const crm = await rest<{ data: { id: string }[] }>(app, 'GET', `${CATALOG}?category=crm`);
    expect(crm.body.data.map(({ id }) => id)).toEqual(['bitrix24', 'amocrm']);
    expect(await rest(app, 'GET', `${CATALOG}/n8n`)).toMatchObject({
      status: 200,
      body: { id: 'n8n', category: 'workflow' },
    });
    const unknown = await rest<ErrorBody>(app, 'GET', `${CATALOG}/sap`);
    expect(unknown).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: 'No connector with id sap.', param: 'id' } },
    });
  });
});

describe('the reference of integrations', () => {
  it('is public and shows the very lists that the rules read', async () => {
    const { status, body } = await rest<Record<string, { code: string; next?: object }[]>>(
      app,
      'GET',
      '/v1/gw/integrations/reference',
    );
    expect(status).toBe(200);
    const published = REFERENCES.all('integrations').map(({ entries }) => JSON.stringify(entries));
    const { action_lifecycle: life = [], ...lists } = body;
    const states = life.map(({ next, ...state }) => {
      const steps = Object.entries(next ?? {}).map(([event, status]) => ({ event, status }));
      return { ...state, next: steps };
    });
    expect([...Object.values(lists), states].map((list) => JSON.stringify(list)).sort()).toEqual(
      published.sort(),
    );
    expect(body.action_lifecycle?.[0]).toEqual({
      code: 'pending',
      description: 'Waits for a decision.',
      next: { approve: 'approved', reject: 'rejected', expire: 'expired' },
    });
  });
});

describe('a preview', () => {
  it('computes real old-to-new changes from the given record state', async () => {
    const { status, body } = await preview(app, customer.token);
    expect(status).toBe(200);
    expect(body).toEqual({
      preview_id: expect.any(String),
      connector: 'bitrix24',
      action: 'contact.update',
      record_id: 'contact-17',
      record_version: 1,
      proposed_changes: [
        { field: 'custom.segment', kind: 'changed', old: 'retail', new: 'wholesale' },
      ],
      risk_level: 'low',
      risk_rules: [],
      approval_required: false,
      decision: 'auto',
      guard: 'low_risk',
      reason: 'No other rule applies.',
      simulated: true,
      expires_at: expect.any(String),
      created_at: expect.any(String),
    });
  });

  it('asks for an approval where the change is risky', async () => {
    expect((await preview(app, customer.token, HIGH)).body).toMatchObject({
      proposed_changes: [
        { field: 'stage', kind: 'changed', old: 'new', new: 'won' },
        { field: 'amount_rub', kind: 'changed', old: 100, new: 250 },
      ],
      risk_level: 'high',
      risk_rules: ['money'],
      approval_required: true,
      decision: 'after_approval',
      guard: 'high_risk',
    });
  });

  it('is blocked where nothing would change, and where an agent asks for too much', async () => {
    const same = { ...LOW, changes: { company: 'Romashka' } };
    expect((await preview(app, customer.token, same)).body).toMatchObject({
      proposed_changes: [],
      approval_required: false,
      decision: 'blocked',
      guard: 'no_change',
    });
    const agent = await newKey(app, customer.token, 'agent');
    const huge = { ...HIGH, changes: { amount_rub: 5_000_000 } };
    expect((await preview(app, agent.key, huge)).body).toMatchObject({
      risk_level: 'critical',
      decision: 'blocked',
      guard: 'agent_critical',
    });
  });

  it('keeps the version of a record until the record is stated otherwise', async () => {
    const versions = [];
    for (const record of [{ values: { a: 1 } }, { values: { a: 1 } }, { values: { a: 2 } }]) {
      const body = {
        connector: 'csv',
        action: 'row.update',
        record_id: 'row-1',
        record,
        changes: { values: { a: 9 } },
      };
      versions.push((await preview(app, customer.token, body)).body.record_version);
    }
    expect(versions).toEqual([1, 1, 2]);
    const known = {
      connector: 'csv',
      action: 'row.update',
      record_id: 'row-1',
      changes: { values: { a: 9 } },
    };
    expect((await preview(app, customer.token, known)).body).toMatchObject({
      record_version: 2,
      proposed_changes: [{ field: 'values.a', kind: 'changed', old: 2, new: 9 }],
    });
  });

  it('knows a record by its own id, and by what is stated where it has none', async () => {
    const body = { ...LOW, record_id: undefined };
    const own = await preview(app, customer.token, { ...body, record: { id: 42, company: 'x' } });
    expect(own.body.record_id).toBe('42');
    const stated = await preview(app, customer.token, body);
    expect(stated.body.record_id).toMatch(/^sha256:[0-9a-f]{64}$/);
    const again = await preview(app, customer.token, body);
    expect(again.body.record_id).toBe(stated.body.record_id);
  });

  it('names a record that the action makes', async () => {
    const body = { connector: 'bitrix24', action: 'task.create', changes: { title: 'Call back' } };
    const { body: previewed } = await preview(app, customer.token, body);
    expect(previewed).toMatchObject({
      record_id: `new:${previewed.preview_id}`,
      record_version: 1,
      proposed_changes: [{ field: 'title', kind: 'added', old: null, new: 'Call back' }],
    });
  });

  it('shows that a deletion removes every field', async () => {
    const body = {
      connector: 'yandex_disk',
      action: 'file.delete',
      record: { id: 'f', path: '/a' },
    };
    expect((await preview(app, customer.token, body)).body).toMatchObject({
      proposed_changes: [
        { field: 'id', kind: 'removed', old: 'f', new: null },
        { field: 'path', kind: 'removed', old: '/a', new: null },
      ],
      guard: 'action_always',
    });
  });

  it('is audited once', async () => {
    const fresh = await newCustomer(app);
    const { body } = await preview(app, fresh.token);
    expect(await auditEvents(app, fresh, 'integrationActionPreview')).toMatchObject([
      { subject: 'IntegrationPreview', subjectId: body.preview_id, actorId: fresh.userId },
    ]);
  });

  it('leaves no trace in what another organization has under the same name', async () => {
    const other = await newCustomer(app);
    const stranger = { ...LOW, record: { company: 'Elsewhere' }, changes: { company: 'y' } };
    expect((await preview(app, other.token, stranger)).body.record_version).toBe(1);
    const known = { ...LOW, record: undefined, changes: { company: 'y' } };
    expect((await preview(app, customer.token, known)).body.proposed_changes).toEqual([
      { field: 'company', kind: 'changed', old: 'Romashka', new: 'y' },
    ]);
  });
});

describe('a preview that cannot be made', () => {
  it('names every fault at once, with near names', async () => {
    const { status, body } = await preview(app, customer.token, {
      connector: 'amocrm',
      action: 'deal.update',
      record_id: ' ',
      record: [],
      changes: { stagee: 'won', amount_rub: '5', close_date: '2026-02-30', tags: {} },
    });
    expect(status).toBe(400);
    expect(body.error.faults).toEqual([
      fault('record_id', 'out_of_range', 'record_id must have 1 to 200 characters.'),
      fault('record', 'wrong_type', 'record must be a JSON object.'),
      fault(
        'changes.stagee',
        'unknown_value',
        expect.stringMatching(/^changes\.stagee must be one of title, .*; did you mean stage\?/),
      ),
      fault('changes.amount_rub', 'wrong_type', 'changes.amount_rub must be of the type number.'),
      fault('changes.close_date', 'wrong_type', 'changes.close_date must be a day as YYYY-MM-DD.'),
      fault('changes.tags', 'wrong_type', 'changes.tags must be of the type list.'),
    ]);
  });

  it.each([
    [{ connector: 'bitrix' }, 'connector', 'did you mean bitrix24?'],
    [{ action: 'contact.updat' }, 'action', 'did you mean contact.update?'],
    [{ record: undefined, record_id: 'never-seen' }, 'record', 'has not seen never-seen yet'],
    [{ record: undefined, record_id: undefined }, 'record', 'needs the record as it is now'],
    [{ changes: {} }, 'changes', 'contact.update sets name, phone'],
    [{ changes: undefined }, 'changes', 'contact.update sets name, phone'],
    [{ action: 'contact.create' }, 'record_id', 'makes a new record'],
    [{ changes: { company: 'x'.repeat(70_000) } }, 'changes', 'at most 65536 bytes'],
    [{ record: { big: 2 ** 60 } }, 'record', 'kept exactly'],
    [{ changes: { company: '\ud800' } }, 'changes.company', 'half a surrogate pair'],
    [{ record: wide(501) }, 'record', 'at most 500 fields'],
    [{ ...ROW, changes: { values: wide(501) } }, 'changes', 'at most 500 values; this is 501'],
  ])('%#', async (change, path, message) => {
    const { status, body } = await preview(app, customer.token, { ...LOW, ...change });
    expect({ status, code: body.error.code, param: body.error.param }).toEqual({
      status: 400,
      code: 'invalid_request',
      param: path,
    });
    expect(body.error.message).toContain(message);
  });

  it('names what a new record lacks', async () => {
    const body = { connector: '1c', action: 'payment.create', changes: { amount_rub: 5 } };
    const answer = await preview(app, customer.token, body);
    expect(answer.body.error.faults?.map(({ path }) => path)).toEqual([
      'changes.counterparty',
      'changes.account',
      'changes.purpose',
    ]);
  });
});

function wide(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));
}

function field(name: string, type: string, required: boolean, description: string) {
  return { name, type, required, nature: 'plain', description };
}

function fault(path: string, code: string, message: unknown) {
  return { path, code, message };
}
