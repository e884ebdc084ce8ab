import { describe, expect, it } from 'vitest';
import type { PromptInUse } from '../../../src/prompts/prompt-cache.js';
import { schemaValidity } from '../../../src/prompts/use/schema-validity.js';

let versions = 0;

function version(outputSchema: PromptInUse['outputSchema']): PromptInUse {
  versions += 1;
  return {
    promptId: 'p',
    promptKey: 'k',
    version: 1,
    status: 'production',
    superseded: false,
    template: 'T',
    variables: [],
    outputSchema,
    modelVariants: [],
    dataClassMin: null,
    contentHash: `hash ${versions}`,
  };
}

function answer(...messages: readonly unknown[]) {
  return { choices: messages.map((message) => ({ message })) };
}

const NUMBERS = { type: 'array', items: { type: 'number' } };

describe('the validity of an answer', () => {
  it.each([
    ['by the schema', [{ content: '[1, 2]' }], true],
    ['JSON against the schema', [{ content: '["a"]' }], false],
    ['no JSON', [{ content: 'none' }], false],
    ['a refusal', [{ content: null, refusal: 'no' }], false],
    ['one choice of two against it', [{ content: '[]' }, { content: '{}' }], false],
    ['a call of a tool', [{ content: null, tool_calls: [{}] }], undefined],
  ])('is told of %s', (_what, messages, valid) => {
    expect(schemaValidity(version(NUMBERS), answer(...messages))).toBe(valid);
  });

  it('is not measured without a schema, or by one that does not compile', () => {
    expect(schemaValidity(version(null), answer({ content: '1' }))).toBeUndefined();
    const broken = version({ type: 'nothing' });
    expect(schemaValidity(broken, answer({ content: '1' }))).toBeUndefined();
  });

  it('is not measured where an answer is too deep, and throws nothing', () => {
    const nested = version({ type: 'array', items: { $ref: '#' } });
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(schemaValidity(nested, answer({ content: deep }))).not.toBe(true);
  });

  it('is measured whatever pattern a schema has: patterns run in linear time', () => {
    const pattern = version({ type: 'string', pattern: '^(a+)+$' });
    const hostile = answer({ content: JSON.stringify(`${'a'.repeat(40)}!`) });
    expect(schemaValidity(pattern, hostile)).toBe(false);
  });

  it('is given up by a schema that once took for ever, and by no other one', () => {
    const both = { allOf: [{ $ref: '#' }, { $ref: '#' }] };
    const doubling = version({ type: 'object', properties: { a: both } });
    const nested = answer({ content: `${'{"a":'.repeat(60)}{}${'}'.repeat(60)}` });
    expect(schemaValidity(doubling, nested)).toBeUndefined();
    expect(schemaValidity(doubling, answer({ content: '{}' }))).toBeUndefined();
    expect(schemaValidity(version(NUMBERS), answer({ content: '[]' }))).toBe(true);
  });
});
