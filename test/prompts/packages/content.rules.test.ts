import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Sealable } from '../../../src/kernel/canonical.js';
import { contentHashOf, readContent } from '../../../src/prompts/packages/content.rules.js';
import { packageFaults } from '../../../src/prompts/packages/package.rules.js';
import { hasType } from '../../../src/prompts/packages/variables.rules.js';
import { stated, type WrittenVersion } from './stated.js';

const BARE = { description: null, default: null, trusted: null };

function faultsOf(input: Partial<WrittenVersion>): string[] {
  const { faults } = readContent(stated({ template: 'Be kind.', ...input }));
  return faults.map(({ path, code }) => `${path} ${code}`);
}

describe('variables', () => {
  const name = { ...BARE, name: 'name', type: 'string', required: true };

  it.each<[string, WrittenVersion['variables'], object[]]>([
    ['nothing', undefined, []],
    ['an empty list', [], []],
    ['a name alone', ['name'], [name]],
    [
      'every member',
      [
        {
          name: 'n',
          type: 'integer',
          required: false,
          description: 'd',
          default: 3,
          trusted: true,
        },
      ],
      [
        {
          name: 'n',
          type: 'integer',
          required: false,
          description: 'd',
          default: 3,
          trusted: true,
        },
      ],
    ],
  ])('are read from %s', (_form, variables, expected) => {
    const { value, faults } = readContent(stated({ template: 'Be kind.', variables }));
    expect([value.variables, faults]).toEqual([expected, []]);
  });

  it.each<[NonNullable<WrittenVersion['variables']>, string[]]>([
    [[''], ['input.variables.0.name invalid']],
    [['a b'], ['input.variables.0.name invalid']],
    [['a', 'a'], ['input.variables.1 invalid']],
    [[{ name: 'a', type: 'number', default: 'x' }], ['input.variables.0.default wrong_type']],
    [[{ name: 'a', description: 'x'.repeat(501) }], ['input.variables.0.description out_of_range']],
    [Array.from({ length: 101 }, (_, at) => `v${at}`), ['input.variables out_of_range']],
  ])('%j are refused by name', (variables, expected) => {
    expect(faultsOf({ variables })).toEqual(expected);
  });

  it.each([
    ['string', 'a', 1],
    ['number', 1.5, '1'],
    ['integer', 1, 1.5],
    ['boolean', false, 0],
    ['array', [], {}],
    ['object', {}, []],
  ] as const)('of the type %s take only such values', (type, right, wrong) => {
    expect([hasType(right, type), hasType(wrong, type)]).toEqual([true, false]);
  });
});

describe('model variants', () => {
  it('are called as their model unless a name is given', () => {
    const bare = { temperature: null, max_tokens: null, weight: 1 };
    const cold = { model: 'n', name: 'cold', temperature: 0, maxTokens: 5, weight: 3 };
    const { value, faults } = readContent(
      stated({ template: 'Be kind.', modelVariants: ['m', cold] }),
    );
    expect([value.modelVariants, faults]).toEqual([
      [
        { ...bare, name: 'm', model: 'm' },
        { name: 'cold', model: 'n', temperature: 0, max_tokens: 5, weight: 3 },
      ],
      [],
    ]);
  });

  it.each<[NonNullable<WrittenVersion['modelVariants']>, string[]]>([
    [
      [{ model: 'm', temperature: 3, maxTokens: 0, weight: 0 }],
      [
        'input.modelVariants.0.temperature out_of_range',
        'input.modelVariants.0.maxTokens out_of_range',
        'input.modelVariants.0.weight out_of_range',
      ],
    ],
    [['m', 'm'], ['input.modelVariants.1.name invalid']],
    [[''], ['input.modelVariants.0.model out_of_range']],
    [Array.from({ length: 11 }, (_, at) => `m${at}`), ['input.modelVariants out_of_range']],
  ])('%j are refused by name', (modelVariants, expected) => {
    expect(faultsOf({ modelVariants })).toEqual(expected);
  });
});

describe('content', () => {
  it.each<[string, Partial<WrittenVersion>, string[]]>([
    ['a template that does not parse', { template: 'a\n{{ b' }, ['input.template invalid']],
    ['a template without text', { template: ' ' }, ['input.template invalid']],
    ['a long template', { template: 'a'.repeat(100_001) }, ['input.template out_of_range']],
    ['half a surrogate pair', { template: '\ud800' }, ['input.template invalid']],
    ['a schema that is no object', { outputSchema: 'object' }, ['input.outputSchema wrong_type']],
    [
      'a number beyond 2^53',
      { outputSchema: { maximum: 2 ** 60 } },
      ['input.outputSchema invalid'],
    ],
    ['many outputs', { sampleOutputs: Array(21).fill(1) }, ['input.sampleOutputs out_of_range']],
    [
      'a large output',
      { sampleOutputs: ['a'.repeat(200_001)] },
      ['input.sampleOutputs out_of_range'],
    ],
    ['sample values in a list', { sampleVariables: [] }, ['input.sampleVariables wrong_type']],
    ['a pack without items', { contextPack: {} }, ['input.contextPack.items missing']],
  ])('with %s is refused by name', (_what, input, expected) => {
    expect(faultsOf(input)).toEqual(expected);
  });

  it('says in which line the template does not parse', () => {
    const [fault] = readContent({ template: 'a\n{% if b %}' }).faults;
    expect(fault?.message).toMatch(/^input\.template, line 2: /);
  });

  it('of whatever JSON is read or refused, never thrown at', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, json, json, (fallback, outputSchema, samples) => {
        const { value, faults } = readContent(
          stated({
            template: 'a',
            variables: [{ name: 'a', type: 'object', default: fallback }],
            outputSchema,
            sampleVariables: samples,
            sampleOutputs: samples,
            contextPack: samples,
          }),
        );
        if (faults.length === 0) expect(contentHashOf(value)).toHaveLength(32);
      }),
    );
  });

  it('has one hash, however the members of its JSON are ordered', () => {
    const hashes = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map((outputSchema) =>
      contentHashOf(readContent({ template: 'a', outputSchema }).value).toString('hex'),
    );
    expect(hashes[0]).toBe(hashes[1]);
    const other = contentHashOf(readContent({ template: 'b' }).value).toString('hex');
    expect(other).not.toBe(hashes[0]);
  });

  it('has the least class that it states in its hash, and else the hash of before', () => {
    const { value } = readContent({ template: 'a' });
    const { template, variables, outputSchema, modelVariants, samples } = value;
    const before = canonicalJson({
      template,
      variables: variables as [],
      output_schema: outputSchema as null,
      model_variants: modelVariants as [],
      samples: samples as unknown as Sealable,
    });
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(contentHashOf(value).toString('hex')).toBe(hashOf(before));
    const stating = readContent({ template: 'a', dataClassMin: 'C4' }).value;
    const classed = before.replace('{', '{"data_class_min":"C4",');
    expect(contentHashOf(stating).toString('hex')).toBe(hashOf(classed));
  });
});

describe('a key', () => {
  const UNSAID = { ownerTeam: null, useCase: null, contextPolicy: null };

  it.each(['support.reply', 'a', 'A/b_c-1'])('%s is accepted', (promptKey) => {
    expect(packageFaults({ ...UNSAID, promptKey })).toEqual([]);
  });

  it.each([
    ['', 'out_of_range'],
    [' ', 'out_of_range'],
    ['a'.repeat(121), 'out_of_range'],
    ['.a', 'invalid'],
    ['a b', 'invalid'],
    ['ключ', 'invalid'],
  ])('"%s" is refused', (promptKey, code) => {
    const faults = packageFaults({ ...UNSAID, promptKey });
    expect(faults).toMatchObject([{ path: 'input.promptKey', code }]);
  });
});
