import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { startWireWorld, type WireWorld } from '../../inference/wire/world.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { newPack } from './samples.js';

let app: WireWorld;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startWireWorld();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const PACKS = '/v1/gw/procurement/packs';
type Body = Record<string, unknown>;
interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly param: string };
}

async function ask<T = Body & Refusal>(
  method: string,
  path: string,
  body?: Body,
  who: Customer = customer,
) {
  const { status, body: said } = await rest<T>(app, method, PACKS + path, {
    credential: who.key,
    body,
  });
  return { status, body: said };
}

async function document(id: string, type: string) {
  const { body } = await ask<{
    status: string;
    text: string;
    sha256: string;
    missing_evidence: { code: string }[];
  }>('GET', `/${id}/documents/${type}`);
  return { ...body, gaps: body.missing_evidence?.map(({ code }) => code) };
}

describe('the reference', () => {
  it('is public, and lists every document with its source and every step', async () => {
    const { status, body } = await rest<Record<string, Body[]>>(
      app,
      'GET',
      '/v1/gw/procurement/reference',
    );
    expect(status).toBe(200);
    expect(body.documents?.map(({ code, source }) => `${code} ${source}`)).toEqual([
      'contract template_ref',
      'invoice template_ref',
      'sla template_ref',
      'data_processing_agreement template_ref',
      'security generated',
      'rf_only generated',
      'zero_log generated',
      'data_routing generated',
      'upd_export roadmap',
    ]);
    expect(body.statuses?.map(({ code }) => code)).toEqual([
      'ready',
      'legal_review',
      'security_review',
      'invoice_sent',
      'edo_sent',
      'signed',
      'paid',
      'blocked',
    ]);
    expect(body.edo_providers?.map(({ code }) => code)).toEqual(['diadoc', 'sbis', 'pdf_email']);
    expect(body.questionnaire_sections).toHaveLength(6);
  });
});

describe('a pack', () => {
  it('has the documents of its type, and is the same in both voices', async () => {
    const id = await newPack(app, customer, { type: 'pilot', legal_name: 'ООО «Ромашка»' });
    const { body } = await ask<{ documents: Body[] } & Body>('GET', `/${id}`);
    expect(body.documents.map(({ doc_type, status }) => `${doc_type} ${status}`)).toEqual([
      'contract template_ref',
      'invoice template_ref',
      'sla template_ref',
      'security ready',
      'rf_only missing_evidence',
      'zero_log missing_evidence',
    ]);
    const { data } = await graphql<{ procurementPack: Body }>(
      app,
      `query($id: ID!) { procurementPack(id: $id) {
        packType legalName status nextStatuses edo { provider contract } documents { docType } } }`,
      { id },
      customer.token,
    );
    expect(data.procurementPack).toEqual({
      packType: 'pilot',
      legalName: 'ООО «Ромашка»',
      status: 'ready',
      nextStatuses: ['legal_review', 'security_review', 'invoice_sent', 'edo_sent', 'blocked'],
      edo: { provider: null, contract: 'not_sent' },
      documents: body.documents.map(({ doc_type: docType }) => ({ docType })),
    });
  });

  it('refuses an INN whose checksum is wrong, and an unknown type', async () => {
    const { status, body } = await ask('POST', '', { pack_type: 'gold', inn: '7707083894' });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    const wrong = await ask('POST', '', { inn: '7707083894' });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'inn']);
  });

  it('of another organization is exactly an unknown one, for every operation', async () => {
    const foreign = await newPack(app, other, { pack_type: 'enterprise' });
    const unknown = newId('ProcurementPack');
    const calls: readonly (readonly [string, string, Body?])[] = [
      ['GET', ''],
      ['GET', '?format=pdf'],
      ['POST', '/status', { status: 'legal_review' }],
      ['GET', '/documents/rf_only'],
      ['POST', '/security-questionnaire', { answers: [{ question: 'iso_27001', answer: 'no' }] }],
      ['GET', '/security-questionnaire'],
      ['POST', '/edo', { provider: 'sbis' }],
      ['GET', '/receipt'],
    ];
    for (const [method, path, body] of calls) {
      const said = async (id: string) => {
        const answer = await ask(method, `/${id}${path}`, body);
        return [answer.status, answer.body.error.message.replace(id, 'ID')];
      };
      expect([path, ...(await said(foreign))]).toEqual([path, ...(await said(unknown))]);
      expect((await said(foreign))[0]).toBe(404);
    }
    expect((await ask<Body>('GET', `/${foreign}`, undefined, other)).body.status).toBe('ready');
    const bad = await ask('GET', '/no-uuid');
    expect([bad.status, bad.body.error.code]).toEqual([400, 'invalid_request']);
  });
});

describe('the status of a pack', () => {
  it('moves along the published steps alone, and a refusal names them', async () => {
    const id = await newPack(app, customer);
    const early = await ask('POST', `/${id}/status`, { status: 'paid' });
    expect([early.status, early.body.error.code]).toEqual([422, 'lifecycle_refused']);
    expect(early.body.error.message).toContain(
      'possible: legal_review, security_review, invoice_sent, edo_sent, blocked',
    );
    for (const status of ['legal_review', 'edo_sent', 'signed', 'paid']) {
      const moved = await ask('POST', `/${id}/status`, { status, note: `теперь ${status}` });
      expect(moved.body).toMatchObject({ status, status_note: `теперь ${status}` });
    }
    const after = await ask('POST', `/${id}/status`, { status: 'blocked' });
    expect(after.body.error.code).toBe('lifecycle_refused');
    const unknown = await ask('POST', `/${id}/status`, { status: 'lost' });
    expect([unknown.status, unknown.body.error.param]).toEqual([400, 'status']);
  });

  it('that is there already changes nothing, and two racers make one step', async () => {
    const id = await newPack(app, customer);
    const count = async () => {
      const { data } = await graphql<{ auditEvents: { nodes: { subjectId: string }[] } }>(
        app,
        '{ auditEvents(first: 200) { nodes { subjectId } } }',
        {},
        customer.token,
      );
      return data.auditEvents.nodes.filter(({ subjectId }) => subjectId === id).length;
    };
    await ask('POST', `/${id}/status`, { status: 'ready' });
    expect(await count()).toBe(1);
    const step = () => ask('POST', `/${id}/status`, { status: 'legal_review' });
    const both = await Promise.all([step(), step()]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await count()).toBe(2);
  });
});

describe('a document', () => {
  it('is made of what holds, with the hash of its text; legal ones invent no law', async () => {
    const id = await newPack(app, customer, { pack_type: 'enterprise', inn: '7707083893' });
    for (const type of ['contract', 'security', 'rf_only', 'zero_log', 'data_routing']) {
      const { text, sha256 } = await document(id, type);
      expect(sha256).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    }
    const contract = await document(id, 'contract');
    expect(contract.status).toBe('template_ref');
    expect(contract.text).toContain('Текста документа в шлюзе нет');
    expect(contract.text).toContain('ИНН: 7707083893');
    expect((await document(id, 'security')).text).toContain('src/inference/upstream/transport.ts');
  });

  it('that is not built is 501, one of other packs and one that is none are told', async () => {
    const id = await newPack(app, customer, { pack_type: 'enterprise' });
    const planned = await ask('GET', `/${id}/documents/upd_export`);
    expect([planned.status, planned.body.error.code]).toEqual([501, 'capability_roadmap']);
    const pilot = await newPack(app, customer, { pack_type: 'pilot' });
    expect((await ask('GET', `/${pilot}/documents/data_routing`)).status).toBe(404);
    const none = await ask('GET', `/${id}/documents/rf_onli`);
    expect([none.status, none.body.error.code]).toEqual([400, 'invalid_request']);
    expect(none.body.error.message).toContain('rf_only');
  });

  it('rf_only and data_routing follow the policy and the requests really sent', async () => {
    const owner = await newCustomer(app, 1_000);
    const credential = owner.token;
    const id = await newPack(app, owner, { pack_type: 'enterprise' });
    const read = async (type: string) => {
      const path = `${PACKS}/${id}/documents/${type}`;
      const { body } = await rest<{ text: string; missing_evidence: { code: string }[] }>(
        app,
        'GET',
        path,
        { credential },
      );
      return { text: body.text, gaps: body.missing_evidence.map(({ code }) => code) };
    };
    expect((await read('rf_only')).gaps).toEqual(['policy_not_rf_only', 'no_observation']);
    await rest(app, 'POST', '/v1/gw/policies', {
      credential,
      body: { name: 'inside', hybrid: 'rf_only' },
    });
    await rest(app, 'POST', '/v1/chat/completions', {
      credential: owner.key,
      body: { model: 'main/chat', messages: [{ role: 'user', content: 'привет' }] },
    });
    const { text, gaps } = await read('rf_only');
    expect(gaps).toEqual([]);
    expect(text).toContain(
      'Политики всех проектов организации допускают только маршруты внутри РФ',
    );
    expect(text).toContain('внутри РФ 1, вне РФ 0');
    expect((await read('data_routing')).text).toContain('main: в РФ, запросов 1.');
    const stranger = await newPack(app, other, { pack_type: 'enterprise' });
    const { body } = await rest<{ text: string }>(
      app,
      'GET',
      `${PACKS}/${stranger}/documents/data_routing`,
      { credential: other.token },
    );
    expect(body.text).not.toContain('запросов 1.');
  });

  it('zero_log says what providers keep is not known, until somebody vouches for it', async () => {
    const id = await newPack(app, customer);
    expect((await document(id, 'zero_log')).gaps).toEqual(['subprocessor_retention']);
    await ask('POST', `/${id}/security-questionnaire`, {
      answers: { subprocessor_retention: 'yes' },
    });
    expect((await document(id, 'zero_log')).gaps).toEqual([]);
  });
});
