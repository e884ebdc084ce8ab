import { beforeEach, describe, expect, it, vi } from 'vitest';
import { blueprintById } from '../../../src/delivery/blueprints/catalogue.js';
import { SANDBOX_MODELS } from '../../../src/delivery/blueprints/lint-safety.js';
import { runSteps } from '../../../src/delivery/blueprints/run-steps.js';
import type { AuthorizedCtx } from '../../../src/graph/ctx.js';

const answers = vi.hoisted(() => ({ next: '' }));

vi.mock('../../../src/inference/in-process.js', () => ({
  chatForCaller: () =>
    Promise.resolve({
      requestId: 'request',
      answer: {
        choices: [{ message: { content: answers.next } }],
        gw_routing: { cost_rub: 0.25, model: 'sandbox/gw-mini' },
        gw_firewall: {},
      },
    }),
}));

const CTX = { services: { registry: { models: SANDBOX_MODELS } } } as unknown as AuthorizedCtx;
const MANIFEST = blueprintById('support-ticket-triage');
const GOOD = {
  queue: 'Бухгалтерия',
  urgency: 'low',
  evidence: 'не пришёл счёт',
  summary: 'Счёт не пришёл.',
};

async function classified(answer: unknown) {
  answers.next = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const models = ['sandbox/gw-mini', 'sandbox/gw-pro'];
  const facts = { manifest: MANIFEST, models, metadata: {} };
  const ran = await runSteps(CTX, facts, MANIFEST.example_input, { tools: new Map() });
  return { ran, step: ran.steps[0] };
}

describe('the answer of a model is judged by the output schema of its step', () => {
  beforeEach(() => {
    answers.next = '';
  });

  it('and goes on where it satisfies it', async () => {
    const { step } = await classified(GOOD);
    expect([step?.status, step?.outputValid, step?.output]).toEqual(['completed', true, GOOD]);
  });

  it.each([
    ['an enum', { ...GOOD, urgency: 'soon' }, 'output.urgency must be one of urgent, normal, low.'],
    ['a type', { ...GOOD, summary: 7 }, 'output.summary must be string.'],
    ['a missing member', { ...GOOD, queue: undefined }, 'output.queue is missing.'],
    ['a bound', { ...GOOD, queue: 'к'.repeat(121) }, 'must NOT have more than 120 characters'],
    ['an empty text', { ...GOOD, summary: '' }, 'must NOT have fewer than 1 characters'],
    ['an unknown member', { ...GOOD, mood: 'bad' }, 'output.mood is not a field of the schema.'],
    ['another form', 'Очередь: бухгалтерия', 'The answer is no JSON.'],
  ])('and fails the step where it breaks %s, with the violation named', async (_n, answer, why) => {
    const { step, ran } = await classified(answer);
    expect([step?.status, step?.errorCode, step?.outputValid]).toEqual([
      'failed',
      'blueprint_output_invalid',
      false,
    ]);
    expect(step?.reason).toContain(why);
    expect(ran.steps).toHaveLength(1);
    // Both models were asked, and both answers stay billed.
    expect([step?.attempts.length, ran.costMicro]).toEqual([2, 500_000n]);
  });

  it('and names every violation', async () => {
    const { step } = await classified({ urgency: 'soon', summary: '' });
    for (const name of ['queue', 'urgency', 'summary']) expect(step?.reason).toContain(name);
  });
});
