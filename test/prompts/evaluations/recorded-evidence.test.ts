import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMember, outcome } from '../../journeys/people.js';
import { INSIDE } from '../../journeys/providers.js';
import { type Customer, graphql, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { freshKey } from '../packages/samples.js';
import { ANSWER, cases, SCHEMA, TEMPLATE, World } from './world.js';

let world: World;
let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  world = await World.start();
  ({ app, customer } = world);
});
afterAll(() => app.stop());

describe('the gate', () => {
  it('does not take stated samples for proof of an output schema', async () => {
    const body = { prompt_key: freshKey(), ...TEMPLATE, output_schema: SCHEMA };
    const sampled = { ...body, model_variants: [INSIDE], sample_outputs: [{ a: 'b' }] };
    const { id } = await world.posted('prompts', sampled);
    const found = await world.gate(id, { sample_outputs: [{ a: 'c' }] });
    expect(found).toMatchObject({
      gate_status: 'fail',
      failing: ['output_schema_proved'],
      reproduced: true,
      sample_outputs_valid: 'pass',
      output_schema_proved: 'not_measured',
    });
    const stated = found.checks.find(({ code }) => code === 'sample_outputs_valid');
    expect(stated?.basis).toBe('stated');
    await world.promote(id);
    const refused = await world.promote(id);
    expect(outcome(refused)).toBe('422 prompt_gate_missing');
    expect(JSON.stringify(refused.body)).toContain('output_schema_proved');
  });

  it('passes on real runs of the version, never on simulated ones of a real model', async () => {
    app.double.script('inside', { text: ANSWER });
    const version = { output_schema: SCHEMA, model_variants: [INSIDE] };
    const id = await world.packageOf(version, { cases: cases(2) });
    await world.run(id, { models: ['sandbox/gw-mini'] });
    expect(await world.gate(id)).toMatchObject({
      gate_status: 'fail',
      cases_proved: 'not_measured',
    });
    await world.run(id);
    const passed = await world.gate(id);
    expect(passed).toMatchObject({ gate_status: 'pass', failing: [], reproduced: true });
    expect((await world.gate(id)).id).toBe(passed.id);
    for (const status of ['review', 'staging', 'production']) {
      expect((await world.promote(id)).body).toMatchObject({ status });
    }
    const onSandbox = { ...version, model_variants: ['sandbox/gw-mini'] };
    const second = { ...TEMPLATE, ...onSandbox };
    await world.posted(`prompts/${id}/versions`, second);
    await world.run(id, { version: 2 });
    const simulated = await world.gate(id, { version: 2 });
    const proof = simulated.checks.find(({ code }) => code === 'cases_proved');
    expect(proof).toMatchObject({ status: 'pass', details: [{ simulated: true }] });
  });

  it('fails a version that is worse than the one in production by a paired test', async () => {
    const wanted = [{ rule: { kind: 'contains', value: 'yes' } }];
    const id = await world.packageOf(
      { model_variants: [INSIDE] },
      { cases: cases(6, wanted), pass_share_min: 0.01 },
    );
    app.double.script('inside', { text: 'yes' });
    await world.run(id);
    await world.gate(id);
    for (let step = 0; step < 3; step += 1) await world.promote(id);
    await world.posted(`prompts/${id}/versions`, {
      ...TEMPLATE,
      model_variants: [INSIDE],
    });
    expect(await world.gate(id, { version: 2 })).toMatchObject({ no_regression: 'not_measured' });
    app.double.script('inside', { text: 'no' });
    await world.run(id, { version: 2 });
    const worse = await world.gate(id, { version: 2 });
    expect(worse).toMatchObject({
      gate_status: 'fail',
      failing: ['cases_passed', 'no_regression'],
    });
    expect(worse.checks.at(-1)?.details).toEqual([
      { production_version: 1, worse: 6, better: 0, probability: 0.015625, significance: 0.05 },
    ]);
    app.double.script('inside', { text: 'yes' });
    await world.run(id, { version: 2 });
    expect(await world.gate(id, { version: 2 })).toMatchObject({ gate_status: 'pass' });
  });

  it('lets one of two versions win that were compared with the same one', async () => {
    app.double.script('inside', { text: ANSWER });
    const id = await world.packageOf(
      { model_variants: [INSIDE] },
      {
        cases: cases(1, [{ rule: { kind: 'contains', value: 'yes' } }]),
      },
    );
    const next = { ...TEMPLATE, model_variants: [INSIDE] };
    await world.posted(`prompts/${id}/versions`, next);
    for (const version of [1, 2]) {
      await world.run(id, { version });
      await world.gate(id, { version });
      await world.promote(id, version);
      await world.promote(id, version);
    }
    const both = await Promise.all([world.promote(id, 1), world.promote(id, 2)]);
    expect(both.map((answer) => outcome(answer)).sort()).toEqual(['200', '409 prompt_gate_stale']);
  });

  it('is asked again where cases were stored or an evaluation completed since', async () => {
    app.double.script('inside', { text: ANSWER });
    const graders = [{ rule: { kind: 'contains', value: 'yes' } }];
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(1, graders) });
    await world.run(id);
    await world.gate(id);
    await world.promote(id);
    await world.promote(id);
    await world.posted(`prompts/${id}/case-sets`, { cases: cases(2, graders) });
    expect(outcome(await world.promote(id))).toBe('409 prompt_gate_stale');
    expect(await world.gate(id)).toMatchObject({ gate_status: 'fail', failing: ['cases_proved'] });
    expect(outcome(await world.promote(id))).toBe('422 prompt_gate_missing');
  });
});

describe('a case that any answer passes', () => {
  it.each<[string, object[]]>([
    ['a text that no answer has', [{ rule: { kind: 'not_contains', value: 'zzzz' } }]],
    ['any text at all', [{ rule: { kind: 'regex', value: '.*' } }]],
    ['a letter', [{ rule: { kind: 'contains', value: 'e' } }]],
  ])('is unproved where it asks for %s', async (_what, graders) => {
    app.double.script('inside', { text: ANSWER });
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(1, graders) });
    const [result] = await world.resultsOf(await world.run(id));
    expect(result).toMatchObject({ outcome: 'unproved', error_code: null });
    expect(result?.grades.map(({ passed }) => passed)).toEqual([true, null]);
    expect(await world.gate(id)).toMatchObject({ gate_status: 'fail', failing: ['cases_proved'] });
    await world.promote(id);
    expect(outcome(await world.promote(id))).toBe('422 prompt_gate_missing');
  });
});

describe('the cases that production was promoted by', () => {
  const yes = [{ rule: { kind: 'contains', value: 'yes' } }];
  const ten = [{ rule: { kind: 'contains', value: 'ten' } }];

  /** A package in production by two cases, with a second version in staging by other ones. */
  async function staged(set: object): Promise<string> {
    app.double.script('inside', { text: ANSWER });
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(2, yes) });
    await world.run(id);
    await world.gate(id);
    for (let step = 0; step < 3; step += 1) await world.promote(id);
    await world.posted(`prompts/${id}/versions`, { ...TEMPLATE, model_variants: [INSIDE] });
    await world.posted(`prompts/${id}/case-sets`, set);
    for (const version of [1, 2]) await world.run(id, { version });
    await world.gate(id, { version: 2 });
    for (let step = 0; step < 2; step += 1) await world.promote(id, 2);
    return id;
  }
  const promoteBy = (credential: string, id: string) =>
    rest(app, 'POST', `/v1/gw/prompts/${id}/promote`, { credential, body: { version: 2 } });

  it.each<[string, object]>([
    ['fewer', { cases: cases(1, yes) }],
    ['other', { cases: cases(2, ten) }],
    ['less demanding', { cases: cases(2, yes), pass_share_min: 0.5 }],
  ])('are not replaced by %s ones but by who may approve', async (_what, set) => {
    const id = await staged(set);
    const developer = await newMember(app, customer.token, 'developer');
    expect(outcome(await promoteBy(developer.token, id))).toBe('409 prompt_cases_replaced');
    expect(outcome(await promoteBy(customer.token, id))).toBe('200');
  });

  it('may have further ones beside them', async () => {
    const more = cases(1, ten).map((each) => ({ ...each, name: 'further' }));
    const id = await staged({ cases: [...more, ...cases(2, yes)] });
    const developer = await newMember(app, customer.token, 'developer');
    expect(outcome(await promoteBy(developer.token, id))).toBe('200');
  });
});

describe('a version that is not promoted', () => {
  it('needs a right in chat, and its answers are marked', async () => {
    app.double.script('inside', { text: ANSWER });
    const yes = [{ rule: { kind: 'contains', value: 'yes' } }];
    const id = await world.packageOf({ model_variants: [INSIDE] }, { cases: cases(1, yes) });
    const { body } = await rest<{ prompt_key: string }>(app, 'GET', `/v1/gw/prompts/${id}`, {
      credential: customer.token,
    });
    const chat = (credential: string, stream = false) =>
      rest<{ gw_prompt: object }>(app, 'POST', '/v1/chat/completions', {
        credential,
        body: { gw_prompt: { key: body.prompt_key, version: 1, variables: { q: 'x' } }, stream },
      });
    const made = { keyType: 'standard', name: 'app' };
    const key = await rest<{ key: string }>(app, 'POST', '/api-keys', {
      credential: customer.token,
      body: made,
    });
    const standard = key.body.key;
    expect(outcome(await chat(standard))).toBe('403 permission_denied');
    const answered = await chat(customer.token);
    expect(answered.body.gw_prompt).toMatchObject({ status: 'draft', promoted: false });
    expect(answered.headers.get('x-gw-prompt-promoted')).toBe('false');
    expect((await chat(customer.key)).body.gw_prompt).toMatchObject({ promoted: false });
    const { errors } = await graphql(
      app,
      'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }',
      { input: { gw_prompt: { key: body.prompt_key, version: 1, variables: { q: 'x' } } } },
      standard,
    );
    expect(errors?.[0]?.extensions.code).toBe('permission_denied');
    await world.run(id);
    await world.gate(id);
    await world.posted(`prompts/${id}/promote`, {});
    for (let step = 0; step < 2; step += 1) {
      expect(outcome(await chat(standard))).toBe('403 permission_denied');
      expect((await world.promote(id)).status).toBe(200);
    }
    const promoted = await chat(standard);
    expect(promoted.body.gw_prompt).toMatchObject({ status: 'production', promoted: true });
    expect(promoted.headers.get('x-gw-prompt-promoted')).toBeNull();
  });
});
