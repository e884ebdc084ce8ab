import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWireWorld, type WireWorld } from '../../inference/wire/world.js';
import { type Customer, graphql, newCustomer, rest, type TestApp } from '../../support/app.js';
import { bytesAt, faultsOfLayout, readPdf } from '../../support/pdf.js';
import { newPack } from './samples.js';

let app: WireWorld;
let customer: Customer;
beforeAll(async () => {
  app = await startWireWorld();
  customer = await newCustomer(app, 1_000);
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

const OPEN = [
  'training_on_data',
  'subprocessor_retention',
  'single_sign_on',
  'encryption_at_rest',
  'backup_restore',
  'iso_27001',
  'penetration_test',
  'personal_data_law',
];

describe('the questionnaire of a pack', () => {
  it('is pre-filled by what the gateway shows, and open where it cannot', async () => {
    const id = await newPack(app, customer);
    const { body } = await ask<{ questions: Body[] } & Body>(
      'POST',
      `/${id}/security-questionnaire`,
    );
    expect(body.missing_evidence).toEqual(OPEN);
    const total = body.questions.length;
    expect(body.completion_score).toBe(Math.floor(((total - OPEN.length) * 100) / total));
    expect(body.questions.find(({ code }) => code === 'data_location')).toMatchObject({
      answer: 'partly',
      source: 'gateway',
    });
    expect(body.questions.find(({ code }) => code === 'iso_27001')).toMatchObject({
      answer: null,
      source: 'nobody',
    });
  });

  it('takes answers to open questions, says who gave them, and reaches 100', async () => {
    const id = await newPack(app, customer);
    const answers = OPEN.map((question) => ({ question, answer: 'no', comment: 'проверено' }));
    const filled = await ask<Body>('POST', `/${id}/security-questionnaire`, { answers });
    expect(filled.body).toMatchObject({ completion_score: 100, missing_evidence: [] });
    const { body } = await ask<{ questions: Body[] }>('GET', `/${id}/security-questionnaire`);
    expect(body.questions.find(({ code }) => code === 'iso_27001')).toMatchObject({
      answer: 'no',
      source: 'declared',
      explanation: 'проверено',
    });
  });

  it('lets nobody contradict the gateway, and names every fault at once', async () => {
    const id = await newPack(app, customer);
    const answers = [
      { question: 'data_location', answer: 'no' },
      { question: 'iso_2701', answer: 'yes' },
      { question: 'backup_restore', answer: 'yes' },
      { question: 'backup_restore', answer: 'no' },
    ];
    const { status, body } = await ask<{ error: { faults: { path: string }[] } }>(
      'POST',
      `/${id}/security-questionnaire`,
      { answers },
    );
    expect([status, body.error.faults.map(({ path }) => path)]).toEqual([
      400,
      ['answers.0.question', 'answers.1.question', 'answers.3.question'],
    ]);
    const after = await ask<Body>('GET', `/${id}/security-questionnaire`);
    expect(after.body.missing_evidence).toEqual(OPEN);
  });

  it('beyond the most answers is refused for their number, and looks at none of them', async () => {
    const id = await newPack(app, customer);
    const answers = Array.from({ length: 201 }, (_, at) => ({ question: `q${at}`, answer: 'no' }));
    const path = `/${id}/security-questionnaire`;
    const { status, body } = await ask<{ error: { message: string } }>('POST', path, { answers });
    expect([status, body.error.message]).toEqual([400, 'answers has at most 200 items.']);
  });
});

describe('the exchange of documents', () => {
  it('is tracked document by document, backwards never, and nothing is sent', async () => {
    const id = await newPack(app, customer);
    const edo = (body: Body) => ask<{ edo: Body } & Refusal>('POST', `/${id}/edo`, body);
    expect((await edo({ provider: 'diadoc', contract: 'sent' })).body.edo).toEqual({
      provider: 'diadoc',
      contract: 'sent',
      invoice: 'not_sent',
      act: 'not_sent',
      upd: 'not_sent',
    });
    const back = await edo({ contract: 'not_sent' });
    expect([back.status, back.body.error.code]).toEqual([422, 'lifecycle_refused']);
    const push = await edo({ push: true });
    expect([push.status, push.body.error.code]).toEqual([501, 'capability_roadmap']);
    expect((await edo({ contract_status: 'signed' })).body.edo).toMatchObject({
      provider: 'diadoc',
      contract: 'signed',
    });
  });
});

describe('the receipt of a pack', () => {
  it('names what stands against it with the call that lifts it, and ends ready', async () => {
    const owner = await newCustomer(app, 1_000);
    const credential = owner.token;
    const id = await newPack(app, owner);
    const call = <T = Body>(method: string, path: string, body?: Body) =>
      rest<T>(app, method, `${PACKS}/${id}${path}`, { credential, body });
    interface Receipt {
      readonly blocking_items: { code: string; document: string | null; fix: string }[];
      readonly readiness: number;
      readonly is_ready: boolean;
      readonly days_saved_estimate: number;
      readonly days_saved_provenance: string;
    }
    const before = (await call<Receipt>('GET', '/receipt')).body;
    expect(before.blocking_items.map(({ code, document: of }) => [code, of])).toEqual([
      ['counterparty_unknown', null],
      ['questionnaire_incomplete', null],
      ['document_missing_evidence', 'rf_only'],
      ['document_missing_evidence', 'zero_log'],
      ['edo_not_chosen', null],
      ['contract_not_signed', null],
      ['invoice_not_sent', null],
    ]);
    expect(before.blocking_items[2]?.fix).toContain(`/packs/${id}/documents/rf_only`);
    expect(before).toMatchObject({ readiness: 22, is_ready: false, days_saved_estimate: 8 });

    const whole = await newPack(app, owner, { legal_name: 'ООО «Ромашка»', inn: '7707083893' });
    const act = <T = Body>(method: string, path: string, body?: Body) =>
      rest<T>(app, method, `${PACKS}/${whole}${path}`, { credential, body });
    await rest(app, 'POST', '/v1/gw/policies', { credential, body: { hybrid: 'rf_only' } });
    await rest(app, 'POST', '/v1/chat/completions', {
      credential: owner.key,
      body: { model: 'main/chat', messages: [{ role: 'user', content: 'привет' }] },
    });
    const answers = Object.fromEntries(OPEN.map((question) => [question, 'not_applicable']));
    await act('POST', '/security-questionnaire', { answers });
    await act('POST', '/edo', { provider: 'pdf_email', contract: 'sent', invoice: 'sent' });
    await act('POST', '/edo', { contract: 'signed' });
    expect((await act<Receipt>('GET', '/receipt')).body).toMatchObject({
      readiness: 100,
      is_ready: true,
      blocking_items: [],
      days_saved_estimate: 14,
      days_saved_provenance: 'declared',
    });
    await act('POST', '/status', { status: 'blocked', note: 'Ждём бюджет' });
    expect((await act<Receipt>('GET', '/receipt')).body.blocking_items).toMatchObject([
      { code: 'pack_blocked', reason: 'Ждём бюджет' },
    ]);
  });
});

describe('the pack as one document', () => {
  it('is a PDF that another library reads in Russian, by query and by Accept', async () => {
    const id = await newPack(app, customer, { pack_type: 'enterprise', legal_name: 'АО «Ёж»' });
    const authorization = `Bearer ${customer.key}`;
    const url = `${app.url}${PACKS}/${id}`;
    const byQuery = await bytesAt(`${url}?format=pdf`, { authorization });
    const byAccept = await bytesAt(url, { authorization, accept: 'application/pdf' });
    for (const { status, headers, bytes } of [byQuery, byAccept]) {
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(await faultsOfLayout(bytes)).toEqual([]);
      const { title, text } = await readPdf(bytes);
      expect(title).toBe('Закупочный пакет');
      for (const words of ['Наименование: АО «Ёж»', 'Маршруты данных', 'Что мешает подписанию']) {
        expect(text).toContain(words);
      }
      expect(text).toContain((await document(id, 'rf_only')).sha256);
    }
    const json = await bytesAt(url, { authorization, accept: 'application/json, application/pdf' });
    expect(json.headers.get('content-type')).toContain('application/json');
    const { data } = await graphql<{ procurementPackPdf: string }>(
      app as TestApp,
      'query($id: ID!) { procurementPackPdf(id: $id) }',
      { id },
      customer.token,
    );
    const { pages } = await readPdf(Buffer.from(data.procurementPackPdf, 'base64'));
    expect(pages.length).toBeGreaterThan(2);
  });
});
