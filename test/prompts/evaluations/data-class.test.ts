import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSIDE, OUTSIDE } from '../../journeys/providers.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { type Evaluation, evaluated, posted } from '../../support/proof.js';
import { type ProvidedApp, startProvided } from '../../support/provided-app.js';
import { freshKey } from '../packages/samples.js';
import { ANSWER, cases, TEMPLATE } from './world.js';

let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  app = await startProvided(
    (origin) => [provider(origin, 'inside', 'rf'), provider(origin, 'outside', 'outside')],
    { GW_SANDBOX: 'off' },
  );
  customer = await newCustomer(app, 1_000);
  app.double.script('inside', { text: ANSWER });
  app.double.script('outside', { text: '{"score": 0.9}' });
});
afterAll(() => app?.stop());

function provider(origin: string, id: string, jurisdiction: string) {
  return {
    ...{ id, name: `The provider ${id}`, operator: 'a test', jurisdiction },
    base_url: `${origin}/${id}/v1`,
    models: [
      {
        upstream_name: 'model',
        capabilities: ['text', 'json', 'json_schema', 'streaming'],
        context_window: 100_000,
        max_output_tokens: 4_000,
        prices: [{ effective_from: '2026-01-01', input: 100, output: 100 }],
      },
    ],
  };
}

/** Evaluates a version whose answers a model judges. */
async function judged(
  judge: string,
  version: object,
  headers: Record<string, string> = {},
): Promise<Evaluation> {
  const { token } = customer;
  const body = { prompt_key: freshKey(), ...TEMPLATE, model_variants: [INSIDE], ...version };
  const { id } = await posted(app, token, 'prompts', body);
  const grader = { judge: { model: judge, rubric: 'Is it polite?', budget_rub: '1' } };
  await posted(app, token, `prompts/${id}/case-sets`, { cases: cases(1, [grader]) });
  const started = await rest<{ id: string }>(app, 'POST', `/v1/gw/prompts/${id}/evaluations`, {
    credential: token,
    headers,
    body: { budget_rub: '100' },
  });
  return evaluated(app, token, started.body.id);
}

/** The classes of the requests of a run, by the providers that they went to. */
async function classesOf({ id }: Evaluation) {
  const rows = await app.owner.prisma.usageEvent.findMany({
    where: { metadata: { path: ['prompt_evaluation'], equals: id } },
    orderBy: { seq: 'asc' },
  });
  return rows.map(({ model, dataClass }) => [model, dataClass]);
}

describe('a judge of an evaluation', () => {
  it('has the least class of the prompt version, so no answer of it leaves Russia', async () => {
    const before = app.double.received('outside').length;
    const abroad = await judged(OUTSIDE, { data_class_min: 'C3' });
    expect(abroad).toMatchObject({ status: 'completed', results_unproved: 1 });
    expect(app.double.received('outside')).toHaveLength(before);
    expect(await classesOf(abroad)).toEqual([[INSIDE, 'C3']]);
    const inside = await judged(INSIDE, { data_class_min: 'C3' });
    expect(await classesOf(inside)).toEqual([
      [INSIDE, 'C3'],
      [INSIDE, 'C3'],
    ]);
  });

  it('goes where the class lets it, and tells no provider of the class', async () => {
    const open = await judged(OUTSIDE, {});
    expect(open).toMatchObject({ status: 'completed', results_passed: 1 });
    expect(await classesOf(open)).toEqual([
      [INSIDE, 'C0'],
      [OUTSIDE, 'C0'],
    ]);
    expect(app.double.received('outside').at(-1)?.body).not.toContain('data_class');
  });
});

describe('an evaluation', () => {
  it('has the class that a header of whoever starts it states, its judges too', async () => {
    const before = app.double.received('outside').length;
    const abroad = await judged(OUTSIDE, {}, { 'x-gw-data-class': 'C4' });
    expect(abroad).toMatchObject({ status: 'completed', results_unproved: 1 });
    expect(app.double.received('outside')).toHaveLength(before);
    expect(await classesOf(abroad)).toEqual([[INSIDE, 'C4']]);
  });
});
