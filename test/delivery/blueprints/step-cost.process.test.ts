import { beforeEach, describe, expect, it, vi } from 'vitest';
import { blueprintById } from '../../../src/delivery/blueprints/catalogue.js';
import { SANDBOX_MODELS } from '../../../src/delivery/blueprints/lint-safety.js';
import { askModels } from '../../../src/delivery/blueprints/llm-step.js';
import type { StepOf } from '../../../src/delivery/blueprints/manifest.js';
import type { AuthorizedCtx } from '../../../src/graph/ctx.js';

const { chat } = vi.hoisted(() => ({ chat: vi.fn() }));
vi.mock('../../../src/inference/in-process.js', () => ({ chatForCaller: chat }));

const MINI = 'sandbox/gw-mini';
const manifest = blueprintById('support-ticket-triage');
const step = manifest.steps.find((each): each is StepOf<'llm'> => each.type === 'llm');
const ctx = {
  services: { registry: { models: SANDBOX_MODELS }, log: { error: () => undefined } },
  signal: new AbortController().signal,
} as unknown as AuthorizedCtx;

function ask(change: object = {}) {
  if (!step) throw new Error('the blueprint asks a model');
  const run = { manifest, models: [MINI, MINI], metadata: {}, allowedMicro: 10_000_000n };
  return askModels(ctx, run, { step: { ...step, ...change }, values: manifest.example_input });
}

describe('the cost of a step', () => {
  beforeEach(() => {
    const choices = [{ message: { content: 'no JSON' } }];
    chat.mockReset();
    chat.mockResolvedValue({
      requestId: null,
      answer: { choices, gw_routing: { cost_rub: 9.999_9 } },
    });
  });

  it('counts earlier answers: the fallback is asked for what is left alone', async () => {
    const { attempts } = await ask();
    expect(attempts.map(({ costMicro, errorCode }) => [costMicro, errorCode])).toEqual([
      [9_999_900n, 'blueprint_output_invalid'],
      [0n, 'blueprint_step_cost_exceeded'],
    ]);
    expect(chat).toHaveBeenCalledTimes(1);
  });

  it('that nothing bounds is refused, and no model is asked', async () => {
    const { attempts } = await ask({ max_output_tokens: undefined });
    const refused = [0n, 'blueprint_step_cost_unbounded'];
    expect(attempts.map(({ costMicro, errorCode }) => [costMicro, errorCode])).toEqual([
      refused,
      refused,
    ]);
    expect(chat).not.toHaveBeenCalled();
  });
});
