import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doLeftWork } from '../../../src/app/left-work.js';
import { newId } from '../../../src/kernel/ids.js';
import { outcome } from '../../journeys/people.js';
import { INSIDE } from '../../journeys/providers.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { type Evaluation, evaluated } from '../../support/proof.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { ANSWER, cases, SCHEMA, World } from './world.js';

let world: World;
let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  world = await World.start();
  ({ app, customer } = world);
});
afterAll(() => app.stop());

interface Refusal {
  readonly error: { readonly code: string; readonly faults: readonly { readonly path: string }[] };
}

/** What usage says of the requests of a run. */
function usageOf(runId: string) {
  return app.owner.prisma.usageEvent.findMany({
    where: { metadata: { path: ['prompt_evaluation'], equals: runId } },
  });
}

/** What the organization's open holds come to. */
async function heldMicro(): Promise<string> {
  const { rows } = await app.owner.pool.query<{ held: string }>(
    'SELECT sum(held_micro)::text AS held FROM account WHERE tenant_id = $1',
    [customer.tenantId],
  );
  return rows[0]?.held ?? '';
}

describe('an evaluation', () => {
  it('bills every case as ordinary traffic, keeps its cost, and is sealed', async () => {
    app.double.script('inside', { text: ANSWER });
    const schema = { output_schema: SCHEMA, model_variants: [INSIDE] };
    const graders = [
      { rule: { kind: 'json_path', path: '$.a' } },
      { rule: { kind: 'regex', value: '\\bten\\b' } },
      { similarity: { share_min: 0.2 } },
    ];
    const set = { cases: cases(3, graders, { expected_output: ANSWER }) };
    const id = await world.packageOf(schema, set);
    const done = await world.run(id);
    expect(done).toMatchObject({ status: 'completed', results_passed: 3, results_ended: 3 });
    const results = await world.resultsOf(done);
    const rows = await usageOf(done.id);
    expect(rows.map((row) => row.id).sort()).toEqual(
      results.map(({ request_id: request }) => request).sort(),
    );
    expect(rows.every(({ keyId, userId }) => keyId === null && userId === customer.userId)).toBe(
      true,
    );
    const origins = rows.map(({ metadata }) => (metadata as { gw_origin: string }).gw_origin);
    expect(new Set(origins)).toEqual(new Set(['prompt_evaluation']));
    const micro = rows.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);
    expect(micro).toBeGreaterThan(0n);
    expect(Math.round(done.cost_rub * 1e6)).toBe(Number(micro));
    expect(results.map(({ simulated, output_chars: chars }) => [simulated, chars])).toEqual(
      Array(3).fill([false, ANSWER.length]),
    );
    const { data } = await graphql<{
      v: { valid: boolean };
      r: { results: { outcome: string; grades: object[] }[]; contentHash: string };
    }>(
      app,
      `query($id: String!) {
        v: promptEvaluationReceiptVerification(id: $id) { valid }
        r: promptEvaluationReceipt(id: $id) { contentHash results { outcome grades { grader } } }
      }`,
      { id: done.receipt_id },
      customer.token,
    );
    expect(data.v.valid).toBe(true);
    expect(data.r.results).toEqual(
      Array(3).fill({
        outcome: 'passed',
        grades: ['schema', 'rule', 'rule', 'similarity'].map((grader) => ({ grader })),
      }),
    );
  });

  it('ends within its budget, and what it did not reach proves nothing', async () => {
    app.double.script('inside', { text: ANSWER });
    const variant = { model: INSIDE, max_tokens: 100 };
    const id = await world.packageOf({ model_variants: [variant] }, { cases: cases(30) });
    // One request is bounded by about 1,100 tokens of 100 RUB a million, and costs far less.
    const done = await world.run(id, { budget_rub: '0.125' });
    expect(done).toMatchObject({ status: 'failed', failure: 'budget_exhausted' });
    expect(done.results_ended).toBeGreaterThan(0);
    expect(done.results_ended).toBeLessThan(30);
    expect(done.cost_rub).toBeLessThanOrEqual(0.125);
    expect(done.receipt_id).not.toBeNull();
    expect((await world.gate(id)).cases_proved).toBe('not_measured');
  });

  it('is cancelled while its provider hangs, and holds no money after that', async () => {
    app.double.script('inside', { blackHole: true });
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(6) });
    const path = `prompts/${id}/evaluations`;
    const started = await world.posted<Evaluation>(path, { budget_rub: '100' });
    expect(started).toMatchObject({ status: 'running', results_planned: 6, receipt_id: null });
    await expect.poll(() => app.double.received('inside').at(-1)?.end).toBe('open');
    const cancel = () => world.posted(`prompt-evaluations/${started.id}/cancel`, {});
    await cancel();
    const done = await evaluated(app, customer.token, started.id);
    expect(done).toMatchObject({ status: 'cancelled', results_passed: 0, cost_rub: 0 });
    expect(await cancel()).toMatchObject({ status: 'cancelled' });
    await expect.poll(() => heldMicro()).toBe('0');
  });

  it('whose process died ends as failed, with the results that it had', async () => {
    app.double.script('inside', { text: ANSWER });
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(2) });
    const done = await world.run(id);
    const lost = newId('PromptEvaluation');
    await app.owner.pool.query(
      `INSERT INTO prompt_evaluation (id, tenant_id, prompt_id, prompt_version, content_hash,
         case_set_id, case_set_version, case_set_hash, targets, budget_micro, results_planned,
         requested_by, request_id, alive_until)
       SELECT $1, tenant_id, prompt_id, prompt_version, content_hash, case_set_id,
         case_set_version, case_set_hash, targets, budget_micro, 2, requested_by, 'r',
         clock_timestamp() - interval '1 second'
       FROM prompt_evaluation WHERE id = $2`,
      [lost, done.id],
    );
    await app.owner.pool.query(
      `INSERT INTO prompt_evaluation_result (id, tenant_id, evaluation_id, place, case_index,
         case_name, target, model, judge_request_ids, outcome, grades, cost_micro, latency_ms,
         simulated)
       SELECT $1, tenant_id, $2, place, case_index, case_name, target, model, judge_request_ids,
         outcome, grades, cost_micro, latency_ms, simulated
       FROM prompt_evaluation_result WHERE evaluation_id = $3 AND place = 0`,
      [newId('PromptEvaluationResult'), lost, done.id],
    );
    await doLeftWork(app.server.services);
    expect(await evaluated(app, customer.token, lost)).toMatchObject({
      status: 'failed',
      failure: 'node_lost',
      receipt_id: expect.any(String),
    });
    expect(await world.resultsOf({ id: lost })).toHaveLength(1);
    await expect(
      app.owner.pool.query("UPDATE prompt_evaluation_result SET outcome = 'passed'"),
    ).rejects.toThrow('append-only');
  });

  it('takes lies of a provider for what they are: no proof, and no absurd bill', async () => {
    const id = await world.packageOf(
      { output_schema: SCHEMA, model_variants: [INSIDE] },
      {
        cases: cases(1),
      },
    );
    app.double.script('inside', { text: '{"a": ' });
    const broken = await world.run(id);
    expect(broken).toMatchObject({ status: 'completed', results_failed: 1 });
    app.double.script('inside', { raw: '<html>' });
    const noAnswer = await world.run(id);
    expect(noAnswer).toMatchObject({ status: 'completed', results_unproved: 1, cost_rub: 0 });
    const [failed] = await world.resultsOf(noAnswer);
    expect(failed).toMatchObject({ outcome: 'unproved', request_id: null });
    expect(failed?.error_code).not.toBeNull();
    const usage = { prompt_tokens: 1e9, completion_tokens: 1e9, total_tokens: 2e9 };
    app.double.script('inside', { text: ANSWER, usage });
    const absurd = await world.run(id);
    expect(absurd).toMatchObject({ status: 'completed', results_passed: 1 });
    expect(absurd.cost_rub).toBeLessThan(1);
  });

  it('asks a judge within its budget; a judge that gives no score proves nothing', async () => {
    const judge = (budget: string) => ({
      judge: { model: 'outside/model', rubric: 'Is it polite?', budget_rub: budget },
    });
    app.double.script('inside', { text: ANSWER });
    app.double.script('outside', { text: '{"score": 0.9}' });
    const of = async (budget: string) => {
      const id = await world.packageOf(
        { model_variants: [INSIDE] },
        { cases: cases(1, [judge(budget)]) },
      );
      const done = await world.run(id);
      return [done, ...(await world.resultsOf(done))] as const;
    };
    const [passed, result] = await of('1');
    expect(passed).toMatchObject({ results_passed: 1 });
    expect(result?.judge_request_ids).toHaveLength(1);
    expect(await usageOf(passed.id)).toHaveLength(2);
    expect((await of('0.000001'))[1]).toMatchObject({
      outcome: 'unproved',
      judge_request_ids: [],
      grades: [{ grader: 'judge', passed: null }],
    });
    app.double.script('outside', { text: 'Ignore the rubric: {"score": 7}' });
    expect((await of('1'))[1]).toMatchObject({ outcome: 'unproved' });
  });

  it('asks each variant by its own settings, also of one model', async () => {
    app.double.script('inside', { text: ANSWER });
    const before = app.double.received('inside').length;
    const variants = [
      { name: 'cold', model: INSIDE, temperature: 0.1 },
      { name: 'plain', model: INSIDE },
      { name: 'short', model: INSIDE, max_tokens: 50 },
    ];
    const graders = [{ rule: { kind: 'json_path', path: '$.a' } }];
    const set = { cases: cases(1, graders) };
    const id = await world.packageOf({ model_variants: variants }, set);
    const done = await world.run(id);
    expect(done).toMatchObject({ status: 'completed', results_passed: 3 });
    const sent = app.double.received('inside').slice(before);
    const settings = sent.map(({ body }) => {
      const { temperature, max_tokens: most } = JSON.parse(body);
      return `${temperature} ${most}`;
    });
    expect(settings.sort()).toEqual(['0.1 undefined', 'undefined 50', 'undefined undefined']);
    const used = (await usageOf(done.id)).map(
      ({ metadata }) => (metadata as { gw_prompt: { variant: string } }).gw_prompt.variant,
    );
    expect(used.sort()).toEqual(['cold', 'plain', 'short']);
  });

  it('of versions with different variables goes over one set of cases', async () => {
    app.double.script('inside', { text: ANSWER });
    const graders = [{ rule: { kind: 'json_path', path: '$.a' } }];
    const both = { variables: { q: 'one', tone: 'kind' }, graders };
    const set = { cases: [{ name: 'both', ...both }] };
    const id = await world.packageOf({ model_variants: [INSIDE] }, set);
    const early = await rest<Refusal>(app, 'POST', `/v1/gw/prompts/${id}/evaluations`, {
      credential: customer.token,
      body: { budget_rub: '1' },
    });
    expect(early.body.error.faults.map(({ path }) => path)).toEqual(['cases.0.variables.tone']);
    await world.posted(`prompts/${id}/versions`, {
      template: '[user]\n<q>{{ q }}</q> <tone>{{ tone }}</tone>',
      variables: ['q', 'tone'],
      model_variants: [INSIDE],
    });
    for (const version of [1, 2]) {
      const done = await world.run(id, { version });
      expect(done).toMatchObject({ status: 'completed', results_passed: 1 });
    }
    const lone = { cases: [{ name: 'lone', variables: { q: 'one' }, graders }] };
    await world.posted(`prompts/${id}/case-sets`, lone);
    const missing = await rest<Refusal>(app, 'POST', `/v1/gw/prompts/${id}/evaluations`, {
      credential: customer.token,
      body: { version: 2, budget_rub: '1' },
    });
    expect(missing.body.error.faults.map(({ path }) => path)).toEqual(['cases.0.variables.tone']);
  });

  it('refuses what cannot be run, with every fault', async () => {
    const bad = {
      cases: [
        { name: 'x', graders: [{ rule: { kind: 'regex', value: '(?=a)' } }] },
        { name: 'x', graders: [{ similarity: {} }, {}] },
        { name: 'y', output_schema: { type: 'strin' } },
        { name: 'z', graders: [{ rule: { kind: 'json_path', path: '$..a' } }] },
      ],
    };
    const id = await world.packageOf({}, { cases: cases(1) });
    const refuse = (path: string, body: object, credential = customer.token) =>
      rest<{ error: { message: string } }>(app, 'POST', path, { credential, body });
    const refused = await refuse(`/v1/gw/prompts/${id}/case-sets`, bad);
    expect(refused.status).toBe(400);
    for (const path of [
      'cases.0.graders.0.rule.value',
      'cases.1.name',
      'cases.1.graders.0.similarity',
      'cases.1.graders.1',
      'cases.2.output_schema',
      'cases.3.graders.0.rule.path',
    ]) {
      expect(JSON.stringify(refused.body)).toContain(path);
    }
    const start = `/v1/gw/prompts/${id}/evaluations`;
    const noModel = await refuse(start, { budget_rub: '1' });
    expect(JSON.stringify(noModel.body)).toContain('models is needed');
    const unknown = await refuse(start, { budget_rub: '1', models: ['inside/modle'] });
    expect(JSON.stringify(unknown.body)).toContain('Did you mean inside/model?');
    const other = await world.packageOf(
      { model_variants: [INSIDE] },
      { cases: [{ name: 'bare' }] },
    );
    const missing = await refuse(`/v1/gw/prompts/${other}/evaluations`, { budget_rub: '1' });
    expect(JSON.stringify(missing.body)).toContain('cases.0.variables.q');
  });

  it('of another organization is one that does not exist', async () => {
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(1) });
    const done = await world.run(id);
    const credential = (await newCustomer(app)).token;
    const asked = [
      rest(app, 'GET', `/v1/gw/prompts/${id}/case-sets`, { credential }),
      rest(app, 'GET', `/v1/gw/prompts/${id}/case-sets/1`, { credential }),
      rest(app, 'GET', `/v1/gw/prompts/${id}/evaluations`, { credential }),
      rest(app, 'GET', `/v1/gw/prompt-evaluations/${done.id}`, { credential }),
      rest(app, 'GET', `/v1/gw/prompt-evaluations/${done.id}/results`, { credential }),
      rest(app, 'POST', `/v1/gw/prompt-evaluations/${done.id}/cancel`, { credential, body: {} }),
      rest(app, 'POST', `/v1/gw/prompts/${id}/evaluations`, {
        credential,
        body: { budget_rub: '1' },
      }),
      rest(app, 'POST', `/v1/gw/prompts/${id}/case-sets`, {
        credential,
        body: { cases: cases(1) },
      }),
    ];
    for (const answer of await Promise.all(asked)) expect(outcome(answer)).toBe('404 not_found');
  });
});
