import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyTenant } from '../../../src/platform/database/tenant.js';
import { chat, newKey, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { act, auditEvents, execute, LOW, preview, receiptOf } from './calls.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

const SEGMENT = { field: 'custom.segment', kind: 'changed', old: 'retail', new: 'wholesale' };

/** LOW about a record of its own. */
function about(recordId: string) {
  return { ...LOW, record_id: recordId };
}

function stateOf({ tenantId }: Customer, connector: string, recordRef: string) {
  const key = { tenantId, connector, recordRef };
  return everyTenant(app.server.services.prisma).integrationRecord.findUniqueOrThrow({
    where: { tenantId_connector_recordRef: key },
  });
}

describe('an execution', () => {
  it('is simulated by specification, and its receipt says so', async () => {
    const { body: previewed } = await preview(app, customer.token, about('a'));
    const { status, body } = await execute(app, customer.token, previewed.preview_id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      preview_id: previewed.preview_id,
      connector: 'bitrix24',
      action: 'contact.update',
      record_id: 'a',
      record_version: 1,
      status: 'executed',
      decision: 'auto',
      guard: 'low_risk',
      reason: 'No other rule applies.',
      risk_level: 'low',
      changed_fields: [SEGMENT],
      rollback: {
        available: true,
        reason: null,
        changes: [{ ...SEGMENT, old: 'wholesale', new: 'retail' }],
        record_version: 2,
      },
      approval: null,
      cost: {
        amount_rub: null,
        provenance: null,
        request_count: 0,
        unknown_request_ids: [],
        reason: 'no_linked_requests',
      },
      failure: null,
      simulated: true,
      sealed: true,
      erased: false,
      receipt_id: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      rollback_receipt_id: null,
      already_executed: false,
    });
    const { already_executed, ...receipt } = body;
    expect((await receiptOf(app, customer.token, body.id)).body).toEqual(receipt);
    expect(await stateOf(customer, 'bitrix24', 'a')).toMatchObject({
      version: 2,
      state: { company: 'Romashka', custom: { segment: 'wholesale', city: 'Perm' } },
    });
  });

  it('seals what it answered', async () => {
    const action = await act(app, customer.token, about('sealed'));
    const { data } = await graphql<{ receipt: Record<string, unknown> }>(
      app,
      'query($id: String!) { receipt(id: $id) { kind sealKey sha256 content } }',
      { id: action.receipt_id },
      customer.token,
    );
    expect(data.receipt).toMatchObject({
      kind: 'integration_action',
      sealKey: action.id,
      content: {
        action_id: action.id,
        status: 'executed',
        decision: 'auto',
        changed_fields: [SEGMENT],
        simulated: true,
      },
    });
  });

  it('happens once: a repetition answers with the first action, also when it is old', async () => {
    const { body: previewed } = await preview(app, customer.token, about('once'));
    const first = await execute(app, customer.token, previewed.preview_id);
    await preview(app, customer.token, { ...about('once'), record: { company: 'Moved' } });
    const second = await execute(app, customer.token, previewed.preview_id);
    expect(second).toMatchObject({ status: 200, body: { already_executed: true } });
    expect(second.body).toEqual({ ...first.body, already_executed: true });
  });

  it('happens once when many race for it', async () => {
    const { body: previewed } = await preview(app, customer.token, about('race'));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => execute(app, customer.token, previewed.preview_id)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.already_executed)).toHaveLength(1);
    expect((await stateOf(customer, 'bitrix24', 'race')).version).toBe(2);
  });

  it('is audited, a repetition too', async () => {
    const fresh = await newCustomer(app);
    const { body: previewed } = await preview(app, fresh.token);
    const { body } = await execute(app, fresh.token, previewed.preview_id);
    await execute(app, fresh.token, previewed.preview_id);
    const events = await auditEvents(app, fresh, 'integrationActionExecute');
    expect(events).toMatchObject([
      { subject: 'IntegrationAction', subjectId: body.id, beforeHash: null },
      { subject: 'IntegrationAction', subjectId: body.id },
    ]);
    expect(events[1]?.beforeHash).toEqual(events[1]?.afterHash);
  });

  it('records what a rule blocks, and carries nothing out', async () => {
    const same = { ...about('same'), changes: { company: 'Romashka' } };
    expect(await act(app, customer.token, same)).toMatchObject({
      status: 'blocked',
      decision: 'blocked',
      guard: 'no_change',
      changed_fields: [],
      rollback: { available: false, reason: 'nothing was carried out', record_version: null },
      sealed: true,
    });
    expect((await stateOf(customer, 'bitrix24', 'same')).version).toBe(1);
  });
});

describe('a preview is bound to the version of the record', () => {
  it('and refuses when the target moved by an execution', async () => {
    const [one, two] = [
      await preview(app, customer.token, about('moved')),
      await preview(app, customer.token, { ...about('moved'), changes: { company: 'B' } }),
    ];
    await execute(app, customer.token, one.body.preview_id);
    const refused = await execute(app, customer.token, two.body.preview_id);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'integration_target_moved',
          message: 'The record is now at version 2; this is about version 1.',
          param: 'preview_id',
        },
      },
    });
    const where = { previewId: two.body.preview_id };
    expect(await app.owner.prisma.integrationAction.count({ where })).toBe(0);
  });

  it('and refuses when the target moved by what somebody states of it', async () => {
    const { body: old } = await preview(app, customer.token, about('stated'));
    await preview(app, customer.token, { ...about('stated'), record: { company: 'Elsewhere' } });
    const refused = await execute(app, customer.token, old.preview_id);
    expect(outcome(refused)).toBe('409 integration_target_moved');
  });

  it('lets one of two racing executions of two previews through', async () => {
    const ids = [];
    for (const company of ['B', 'C']) {
      const body = { ...about('duel'), changes: { company } };
      ids.push((await preview(app, customer.token, body)).body.preview_id);
    }
    const answers = await Promise.all(ids.map((id) => execute(app, customer.token, id)));
    expect(answers.map(outcome).sort()).toEqual(['200', '409 integration_target_moved']);
  });

  it('and expires', async () => {
    const { body: previewed } = await preview(app, customer.token, about('aged'));
    const { pool } = app.owner;
    const aged = '00000000-0000-7018-8000-00000000000a';
    await pool.query(
      `INSERT INTO integration_preview
       SELECT $2::uuid, tenant_id, connector, action, record_ref, record_version, input,
         state_before, proposed_changes, risk_level, approval_required, decision, decided,
         requested_by_kind, requested_by, '2026-01-01T00:00:00Z', created_at
       FROM integration_preview WHERE id = $1`,
      [previewed.preview_id, aged],
    );
    expect(await execute(app, customer.token, aged)).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'integration_preview_expired',
          message: 'This preview could be executed until 2026-01-01T00:00:00.000Z.',
        },
      },
    });
  });

  it('is never changed: the database refuses', async () => {
    const { pool } = app.owner;
    await expect(pool.query("UPDATE integration_preview SET decision = 'auto'")).rejects.toThrow();
    await expect(pool.query('DELETE FROM integration_preview')).rejects.toThrow();
  });
});

describe('the cost of an action', () => {
  it('is the sum of the usage of the requests that are named; unknown ones are named', async () => {
    const answers = [await chat(app, customer.key), await chat(app, customer.key, 'Ещё раз')];
    const ids = answers.map(({ body }) => body.gw_routing.request_id);
    const unknown = '01939a3e-0c00-7009-8000-5e1f00000001';
    const action = await act(app, customer.token, about('cost'), {
      request_ids: [...ids, unknown, ids[0]],
    });
    const rows = await app.owner.prisma.usageEvent.findMany({
      where: { id: { in: ids } },
    });
    const sum = rows.reduce((total, row) => total + row.amountMicro, 0n);
    expect(sum).toBeGreaterThan(0n);
    expect(action.cost).toEqual({
      amount_rub: Number(sum) / 1_000_000,
      provenance: 'live_measured',
      request_count: 2,
      unknown_request_ids: [unknown],
      reason: null,
    });
  });

  it('is never made up: a request of another organization counts as unknown', async () => {
    const other = await newCustomer(app, 100);
    const { body } = await chat(app, other.key);
    const foreign = body.gw_routing.request_id;
    const action = await act(app, customer.token, about('foreign'), { request_ids: [foreign] });
    expect(action.cost).toEqual({
      amount_rub: null,
      provenance: null,
      request_count: 0,
      unknown_request_ids: [foreign],
      reason: 'no_usage_found',
    });
  });

  it('of an agent is that of its own requests', async () => {
    const agent = await newKey(app, customer.token, 'agent');
    const theirs = (await chat(app, customer.key)).body.gw_routing.request_id;
    const own = (await chat(app, agent.key)).body.gw_routing.request_id;
    const action = await act(app, agent.key, about('agent'), { request_ids: [theirs, own] });
    expect(action.cost).toMatchObject({ request_count: 1, unknown_request_ids: [theirs] });
  });

  it('refuses what are no ids, and too many', async () => {
    const { body: previewed } = await preview(app, customer.token, about('ids'));
    const wrong = await execute(app, customer.token, previewed.preview_id, {
      request_ids: ['x', '01939a3e-0c00-7009-8000-5e1f00000001', 'y'],
    });
    expect(wrong.body.error.faults?.map(({ path }) => path)).toEqual([
      'request_ids.0',
      'request_ids.2',
    ]);
    const many = await execute(app, customer.token, previewed.preview_id, {
      request_ids: Array.from({ length: 51 }, () => 'x'),
    });
    expect(many).toMatchObject({ status: 400, body: { error: { param: 'request_ids' } } });
  });
});
