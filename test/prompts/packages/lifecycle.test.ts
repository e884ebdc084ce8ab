import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { prove } from '../../support/proof.js';
import { Asking, standing } from './asking.js';
import { newPrompt, VERSION } from './samples.js';

let app: TestApp;
let customer: Customer;
let owner: Asking;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
  owner = new Asking(app, customer.token);
});
afterAll(() => app?.stop());

describe('promotion', () => {
  it('goes through the one table, and nothing else is possible', async () => {
    const id = await newPrompt(app, customer.token);
    await prove(app, customer.token, id);
    const seen: string[] = [];
    for (let step = 0; step < 4; step += 1)
      seen.push((await owner.post(`/${id}/promote`)).body.status);
    expect(seen).toEqual(['review', 'staging', 'production', 'deprecated']);
    const last = await owner.post(`/${id}/promote`);
    expect(last.status).toBe(422);
    expect(last.body.error).toMatchObject({
      code: 'lifecycle_refused',
      message: expect.stringContaining('"promote" is not possible in the state "deprecated"'),
    });
  });

  it('to another status than the next one is refused, and the answer names the next', async () => {
    const id = await newPrompt(app, customer.token);
    const { status, body } = await owner.post(`/${id}/promote`, { to: 'production' });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: 'lifecycle_refused',
      param: 'to',
      message: '"promote to production" is not possible in the state "draft"; possible: review.',
    });
  });

  it('to staging and production needs a passing gate receipt of that very version', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.post(`/${id}/test`, { version: 1 });
    await owner.post(`/${id}/versions`, VERSION);
    await owner.post(`/${id}/promote`, { version: 2 });
    const missing = await owner.post(`/${id}/promote`, { version: 2 });
    expect(missing.status).toBe(422);
    expect(missing.body.error).toMatchObject({
      code: 'prompt_gate_missing',
      message:
        'Version 2 cannot go to staging: its gate has not run. ' +
        `Run POST /v1/gw/prompts/${id}/test.`,
    });
    await prove(app, customer.token, id, { version: 2 });
    const { body: receipt } = await owner.post(`/${id}/test`, { version: 2 });
    expect(receipt.gate_status).toBe('pass');
    const { body } = await owner.post(`/${id}/promote`, { version: 2 });
    expect(body.versions[0]).toMatchObject({ status: 'staging', receipt_id: receipt.id });
  });

  it('is refused while the latest gate run of the version failed', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.post(`/${id}/promote`);
    await prove(app, customer.token, id);
    const failed = await owner.post(`/${id}/test`, { sample_outputs: [{ reply: 1 }] });
    expect(failed.body.gate_status).toBe('fail');
    const refused = await owner.post(`/${id}/promote`);
    expect(refused.body.error.message).toContain('its latest gate run failed');
    await owner.post(`/${id}/test`);
    expect((await owner.post(`/${id}/promote`)).body.status).toBe('staging');
  });

  it('to production supersedes the version that was there, in the same transaction', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.promoteTo(id, 1, 'production');
    await owner.post(`/${id}/versions`, VERSION);
    const after = await owner.promoteTo(id, 2, 'production');
    expect(standing(after)).toEqual(['2 production*', '1 deprecated']);
    expect(after.versions[1]?.superseded_by).toBe(2);
    expect(after.lifecycle.history.slice(0, 2)).toMatchObject([
      { event: 'promoted', version: 2, from: 'staging', to: 'production' },
      { event: 'superseded', version: 1, from: 'production', to: 'deprecated' },
    ]);
  });

  it('by many at once makes one step each, and one version in production', async () => {
    const id = await newPrompt(app, customer.token);
    await prove(app, customer.token, id);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => owner.post(`/${id}/promote`, { version: 1 })),
    );
    const outcomes = answers.map((answer) => outcome(answer)).sort();
    const refused = '422 lifecycle_refused';
    expect(outcomes).toEqual(['200', '200', '200', '200', refused, refused]);
  });

  it('and a gate run need a version', async () => {
    const id = await newPrompt(app, customer.token, {});
    for (const what of ['promote', 'test']) {
      expect(outcome(await owner.post(`/${id}/${what}`))).toBe('422 prompt_without_version');
    }
    expect(outcome(await owner.post(`/${id}/rollback`))).toBe('422 prompt_no_previous_version');
  });
});

describe('rollback', () => {
  it('walks the history of current versions, one further back each time', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.post(`/${id}/versions`, VERSION);
    await owner.post(`/${id}/versions`, VERSION);
    const current: (number | null)[] = [];
    for (let step = 0; step < 2; step += 1) {
      current.push((await owner.post(`/${id}/rollback`)).body.current_version);
    }
    expect(current).toEqual([2, 1]);
    expect(outcome(await owner.post(`/${id}/rollback`))).toBe('422 prompt_no_previous_version');
  });

  it('restores the superseded version to production; the one that leaves can return', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.promoteTo(id, 1, 'production');
    await owner.post(`/${id}/versions`, VERSION);
    await owner.promoteTo(id, 2, 'production');
    const { body } = await owner.post(`/${id}/rollback`, { reason: 'too long' });
    expect(standing(body)).toEqual(['2 staging', '1 production*']);
    expect(body).toMatchObject({ status: 'production', current_version: 1 });
    expect(body.lifecycle.history.slice(0, 2)).toMatchObject([
      { event: 'restored', version: 1, from: 'deprecated', to: 'production', reason: 'too long' },
      { event: 'rolled_back', version: 2, from: 'production', to: 'staging', reason: 'too long' },
    ]);
    expect(body.lifecycle.next).toEqual([
      { action: 'promote', version: 2, to: 'production', gate_required: true },
    ]);
    expect(standing((await owner.post(`/${id}/promote`)).body)).toEqual([
      '2 production*',
      '1 deprecated',
    ]);
  });

  it('to a version that was never in production leaves it what it is', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.post(`/${id}/versions`, VERSION);
    await owner.promoteTo(id, 2, 'production');
    const { body } = await owner.post(`/${id}/rollback`);
    expect(standing(body)).toEqual(['2 staging', '1 draft*']);
    expect(body.status).toBe('draft');
  });
});
