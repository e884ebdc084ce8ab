import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelVariant, PromptVariable } from '../../../src/prompts/packages/vocabulary.js';
import { filledBody, valuesOf, variantFor } from '../../../src/prompts/use/apply.rules.js';
import { type VersionTotals, versionUsage } from '../../../src/prompts/use/report.rules.js';
import { asksForPrompt, readPromptWish } from '../../../src/prompts/use/wish.rules.js';

function variable(name: string, more: Partial<PromptVariable> = {}): PromptVariable {
  const open = { description: null, default: null, trusted: null };
  return { name, type: 'string', required: true, ...open, ...more };
}

function variant(name: string, weight: number): ModelVariant {
  return { name, model: `m/${name}`, temperature: null, max_tokens: null, weight };
}

describe('the prompt that a body asks for', () => {
  it.each([
    [{ gw_prompt: { key: 'k' } }, { promptKey: 'k', version: undefined, variables: {} }],
    [
      { gw_prompt: { key: 'k', version: 2, variables: { a: 1 } } },
      { version: 2, variables: { a: 1 } },
    ],
    [{ metadata: { prompt_key: 'k', prompt_version: '3' } }, { promptKey: 'k', version: 3 }],
    [{ metadata: { prompt_key: 'k', prompt_version: 3 } }, { param: 'metadata.prompt_key' }],
    [{ gw_prompt: { key: 'k' }, metadata: { prompt_key: 'k' } }, { param: 'gw_prompt.key' }],
  ])('%j', (body, wish) => {
    expect(asksForPrompt(body)).toBe(true);
    const read = readPromptWish(body);
    expect(read.faults).toEqual([]);
    expect(read.wish).toMatchObject(wish);
  });

  it.each([
    [{ gw_prompt: 'k' }, ['gw_prompt', 'gw_prompt.key']],
    [{ gw_prompt: {} }, ['gw_prompt.key']],
    [{ gw_prompt: { key: '', version: 0 } }, ['gw_prompt.key', 'gw_prompt.version']],
    [{ gw_prompt: { key: 'k', version: 1.5 } }, ['gw_prompt.version']],
    [{ gw_prompt: { key: 'k', variables: [] } }, ['gw_prompt.variables']],
    [{ metadata: { prompt_key: 5 } }, ['metadata.prompt_key']],
    [{ metadata: { prompt_key: 'k', prompt_version: 'x' } }, ['metadata.prompt_version']],
    [{ gw_prompt: { key: 'k' }, metadata: { prompt_key: 'l' } }, ['metadata.prompt_key']],
    [
      { gw_prompt: { key: 'k', version: 1 }, metadata: { prompt_key: 'k', prompt_version: '2' } },
      ['metadata.prompt_version'],
    ],
  ])('%j names its faults', (body, paths) => {
    expect(readPromptWish(body).faults.map(({ path }) => path)).toEqual(paths);
  });

  it('is none without a key', () => {
    for (const body of [{}, { gw_prompt: null }, { metadata: { prompt_version: '1' } }]) {
      expect(asksForPrompt(body)).toBe(false);
    }
  });
});

describe('the values of a rendering', () => {
  it('are what is given, else the default, else nothing', () => {
    const variables = [
      variable('given', { default: 'no' }),
      variable('default', { default: 'yes' }),
      variable('optional', { required: false }),
    ];
    expect(valuesOf({ variables }, { given: 'it' })).toEqual({
      values: { given: 'it', default: 'yes', optional: null },
      faults: [],
    });
  });

  it('are no properties that every object has', () => {
    const variables = [variable('constructor')];
    expect(valuesOf({ variables }, {}).faults).toEqual([
      expect.objectContaining({ path: 'gw_prompt.variables.constructor', code: 'missing' }),
    ]);
  });
});

describe('the variant that serves', () => {
  const three = [variant('a', 1), variant('b', 2), variant('c', 7)];

  it('is that of the model which the client names, or none', () => {
    expect(variantFor(three, 'm/b', 'r')?.name).toBe('b');
    expect(variantFor(three, 'gw:auto', 'r')).toBeUndefined();
  });

  it('follows from the request’s id alone', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(three).toContain(variantFor(three, undefined, id));
        expect(variantFor(three, null, id)).toBe(variantFor(three, '', id));
      }),
    );
  });

  it('takes a share of requests by its weight', () => {
    const names = Array.from(
      { length: 2_000 },
      (_, index) => variantFor(three, undefined, `request ${index}`)?.name,
    );
    const share = (name: string) => names.filter((each) => each === name).length / names.length;
    expect(share('a')).toBeCloseTo(0.1, 1);
    expect(share('b')).toBeCloseTo(0.2, 1);
    expect(share('c')).toBeCloseTo(0.7, 1);
  });
});

describe('a filled request', () => {
  const messages = [{ role: 'system', content: 'S' } as const];
  const prompt = { promptKey: 'support.reply/1', outputSchema: { type: 'object' } };
  const fill = (body: Record<string, unknown>, takes = true) =>
    filledBody(body, {
      prompt,
      messages,
      variant: { ...variant('a', 1), temperature: 0, max_tokens: 9 },
      takesSchema: () => takes,
    });

  it('takes over what the client leaves out', () => {
    expect(fill({ gw_prompt: {}, model: null })).toEqual({
      model: 'm/a',
      messages,
      temperature: 0,
      max_tokens: 9,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'support_reply_1', schema: { type: 'object' } },
      },
    });
  });

  it('keeps what the client says', () => {
    const own = {
      model: 'x',
      messages: [{ role: 'user' }],
      temperature: 1,
      max_completion_tokens: 3,
      response_format: { type: 'text' },
    };
    expect(fill(own)).toEqual({ ...own, messages: [...messages, { role: 'user' }] });
    expect(fill({ messages: 'wrong' }, false).messages).toBe('wrong');
    expect(fill({}, false)).not.toHaveProperty('response_format');
  });
});

describe('a report', () => {
  const NOTHING: VersionTotals = {
    version: 1,
    status: 'draft',
    requests: 0,
    complete: 0,
    partial: 0,
    failed: 0,
    refused: 0,
    errors: {},
    costMicro: 0n,
    inputTokens: 0n,
    outputTokens: 0n,
    latencyMsP50: null,
    latencyMsP95: null,
    schemaChecked: 0,
    schemaValid: 0,
    simulated: 0,
    schemaCheckedSimulated: 0,
    schemaValidSimulated: 0,
  };

  it('states no share where nothing was checked', () => {
    expect(versionUsage(NOTHING)).toMatchObject({
      traffic: 'no_traffic',
      schema: { state: 'not_measured', share: null },
    });
    const some = { ...NOTHING, requests: 5, schemaChecked: 4, schemaValid: 0 };
    expect(versionUsage(some)).toMatchObject({
      traffic: 'measured',
      schema: { state: 'measured', share: 0 },
    });
  });

  it('labels what only simulated models answered, and counts it nowhere else', () => {
    const some = {
      ...NOTHING,
      requests: 5,
      simulated: 5,
      schemaCheckedSimulated: 4,
      schemaValidSimulated: 4,
    };
    expect(versionUsage(some)).toMatchObject({
      traffic: 'simulated',
      schema: { state: 'simulated', checked: 4, share: 1 },
    });
    expect(versionUsage({ ...some, requests: 6, schemaChecked: 1 })).toMatchObject({
      traffic: 'measured',
      schema: { state: 'measured', checked: 1, share: 0 },
    });
  });
});
