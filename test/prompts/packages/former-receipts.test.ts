import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { seal } from '../../../src/records/receipts.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { newPrompt } from './samples.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
});
afterAll(() => app?.stop());

describe('a gate receipt', () => {
  it('that was sealed when costs were told in micro-rubles is read and verified', async () => {
    const id = await newPrompt(app, owner.token);
    await rest(app, 'POST', `/v1/gw/prompts/${id}/test`, { credential: owner.token });
    const { prisma, pool } = app.owner;
    const run = await prisma.journalEntry.findFirstOrThrow({
      where: { kind: 'prompt_gate_run', subject: id },
    });
    const { receipt_id: _, sha256, already_sealed, ...today } = run.body as JsonObject;
    const [priced] = today.cost as JsonObject[];
    const { cost_rub, ...unpriced } = priced ?? {};
    const former = { ...today, cost: [{ ...unpriced, cost_micro: '1230000' }] };
    const who = { tenantId: run.tenantId };
    const { receipt } = await seal(
      { services: app.server.services, who },
      'prompt_gate',
      id,
      former,
    );
    const body = { ...former, receipt_id: receipt.id, sha256, already_sealed };
    await pool.query(
      `INSERT INTO journal_entry (id, tenant_id, kind, value, subject, body)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [newId('JournalEntry'), run.tenantId, run.kind, run.value, id, body],
    );
    const { data } = await graphql(
      app,
      `query($id: String!, $promptId: ID!) {
        receipt(id: $id) { ... on PromptGateReceipt { cost { costRub } } }
        promptReceipts(promptId: $promptId, first: 1) { nodes { id cost { costRub } } }
        receiptVerification(id: $id) { valid chainValid }
      }`,
      { id: receipt.id, promptId: id },
      owner.token,
    );
    const cost = [{ costRub: '1.23' }];
    expect(data).toEqual({
      receipt: { cost },
      promptReceipts: { nodes: [{ id: receipt.id, cost }] },
      receiptVerification: { valid: true, chainValid: true },
    });
    expect(cost_rub).toMatch(/^0\.\d+$/);
  });
});
