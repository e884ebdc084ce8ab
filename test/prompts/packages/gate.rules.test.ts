import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../src/prompts/evaluations/evidence-tables.js';
import { readContent } from '../../../src/prompts/packages/content.rules.js';
import {
  type ContextFinding,
  type GateResult,
  runGate,
} from '../../../src/prompts/packages/gate/gate.rules.js';
import type { NamedModel } from '../../../src/prompts/packages/gate/models.rules.js';
import { compileOutputSchema } from '../../../src/prompts/packages/gate/output-schema.js';
import { GATE_CHECKS } from '../../../src/prompts/packages/gate/vocabulary.js';
import { stated } from './stated.js';

const MODEL: NamedModel = {
  kind: 'model',
  model: {
    operation: 'chat',
    capabilities: ['text', 'json_schema'],
    contextWindow: 1_000,
    maxOutputTokens: 100,
  },
  refusal: undefined,
  price: {
    effectiveFrom: '2026-01-01',
    microRubPerMillion: { input_uncached: 2_000_000n, output_text: 10_000_000n },
    sourceKind: 'operator',
    vatBasis: 'included',
  },
};

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const GOOD = {
  template: '[user]\n<letter>{{ letter }}</letter>',
  variables: [{ name: 'letter', trusted: false }],
  outputSchema: SCHEMA,
  modelVariants: [{ model: 'm', maxTokens: 50 }],
  sampleVariables: { letter: 'one two three' },
  sampleOutputs: [{ a: 'b' }],
};

/** Recorded runs that prove the one case with the one model. */
const PROVED: Evidence = {
  hasSchema: true,
  caseSetId: '01900000-0000-7000-8000-000000000001',
  caseSetVersion: 1,
  caseSetHash: 'a'.repeat(64),
  caseCount: 1,
  passShareMin: 1,
  significance: 0.05,
  targets: [
    {
      name: 'm',
      model: 'm',
      simulatedOnly: false,
      evaluationId: null,
      receiptId: null,
      runs: 1,
      outcomes: 'p',
      simulated: false,
      schemaChecked: 1,
      schemaValid: 1,
      costMicro: 1n,
      latencyMsMedian: 1,
    },
  ],
  production: null,
};

/** One token for each word, so that figures can be told by hand. */
function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function gate(
  changes: Readonly<Record<string, unknown>> = {},
  named: NamedModel = MODEL,
  context: ContextFinding = { kind: 'no_policy' },
): GateResult {
  const { value, faults } = readContent(stated({ ...GOOD, ...changes }));
  expect(faults).toEqual([]);
  const hasSchema = value.outputSchema !== null;
  const evidence = { ...PROVED, hasSchema };
  const models = new Map([['m', named]]);
  return runGate({ content: value, named: models, countTokens: words, context, evidence });
}

/** How one check ended. */
function ending(result: GateResult, code: string): string | undefined {
  return result.checks.find((check) => check.code === code)?.status;
}

describe('the gate', () => {
  it('runs every published check, in the published order', () => {
    expect(gate().checks.map(({ code }) => code)).toEqual(GATE_CHECKS.codes);
  });

  it('passes when no check fails, and says what was not measured', () => {
    const result = gate();
    expect(result).toMatchObject({ gateStatus: 'pass', schemaValid: true });
    expect(result.checks.filter(({ status }) => status !== 'pass')).toEqual([
      {
        code: 'context_policy',
        status: 'not_measured',
        message: 'The package names no context policy.',
        details: [],
      },
      {
        code: 'no_regression',
        status: 'not_measured',
        message: 'No other version is in production.',
        details: [],
      },
    ]);
  });

  it.each<[string, string, string, Readonly<Record<string, unknown>>]>([
    ['variables_declared', 'fail', 'a variable that is not declared', { variables: [] }],
    [
      'variables_used',
      'warn',
      'a variable that is not used',
      {
        variables: [
          { name: 'letter', trusted: false },
          { name: 'x', required: false },
        ],
      },
    ],
    ['samples_complete', 'warn', 'no sample value', { sampleVariables: {} }],
    ['samples_complete', 'fail', 'a sample of another type', { sampleVariables: { letter: 1 } }],
    [
      'samples_complete',
      'warn',
      'a sample of no variable',
      { sampleVariables: { letter: 'a', other: 'b' } },
    ],
    [
      'template_renders',
      'fail',
      'an empty rendering',
      { template: '{% if letter == 1 %}a{% endif %}' },
    ],
    ['template_renders', 'pass', 'a stand-in for a sample', { sampleVariables: {} }],
    ['template_renders', 'not_measured', 'a check before that failed', { variables: [] }],
    ['output_schema_compiles', 'fail', 'an unknown type', { outputSchema: { type: 'strin' } }],
    ['output_schema_compiles', 'fail', 'an unknown keyword', { outputSchema: { typ: 'string' } }],
    ['output_schema_compiles', 'not_measured', 'no schema', { outputSchema: null }],
    ['sample_outputs_valid', 'fail', 'an output against the schema', { sampleOutputs: [{}] }],
    ['sample_outputs_valid', 'not_measured', 'no output', { sampleOutputs: [] }],
    ['models_known', 'fail', 'an unknown model', { modelVariants: ['other'] }],
    ['models_known', 'warn', 'no model variant', { modelVariants: [] }],
    [
      'context_window',
      'fail',
      'more max_tokens than the model has',
      { modelVariants: [{ model: 'm', maxTokens: 101 }] },
    ],
    [
      'context_window',
      'fail',
      'messages beyond the window',
      { sampleVariables: { letter: 'w '.repeat(1_000) } },
    ],
  ])('%s is %s: %s', (code, status, _what, changes) => {
    const result = gate(changes);
    expect(ending(result, code)).toBe(status);
    if (status === 'fail') expect(result.gateStatus).toBe('fail');
  });

  it.each<[string, string, string, NamedModel]>([
    ['models_known', 'fail', 'a model for embeddings', withModel({ operation: 'embeddings' })],
    ['models_capable', 'fail', 'no json_schema', withModel({ capabilities: ['text'] })],
    ['models_allowed', 'fail', 'a policy that refuses', { ...MODEL, refusal: 'not listed' }],
    ['cost_known', 'fail', 'a model without a price', { ...MODEL, price: undefined }],
    ['models_known', 'pass', 'an alias', { kind: 'alias' }],
    ['cost_known', 'not_measured', 'an alias', { kind: 'alias' }],
    ['context_window', 'not_measured', 'an alias', { kind: 'alias' }],
  ])('%s is %s: %s', (code, status, _what, named) => {
    expect(ending(gate({}, named), code)).toBe(status);
  });

  it.each<[string, ContextFinding]>([
    ['not_measured', { kind: 'no_policy' }],
    ['not_measured', { kind: 'no_pack' }],
    ['pass', { kind: 'evaluated', violations: [] }],
    ['fail', { kind: 'evaluated', violations: [{ rule: 'too_old' }] }],
  ])('the context policy: %s for %j', (status, context) => {
    expect(ending(gate({}, MODEL, context), 'context_policy')).toBe(status);
  });

  it('gives the same result for the same input', () => {
    expect(gate()).toEqual(gate());
  });
});

function withModel(changes: Partial<Extract<NamedModel, { kind: 'model' }>['model']>): NamedModel {
  if (MODEL.kind !== 'model') return MODEL;
  return { ...MODEL, model: { ...MODEL.model, ...changes } };
}

describe('a template', () => {
  it('that takes forever is stopped, and that is no verdict', () => {
    const loop = '{% for a in letter %}{% for b in letter %}{% for c in letter %}x{% endfor %}';
    const slow = () =>
      gate({
        template: `${loop}{% endfor %}{% endfor %}`,
        variables: [{ name: 'letter', type: 'array' }],
        sampleVariables: { letter: Array.from({ length: 800 }, () => 'a') },
      });
    expect(slow).toThrow('rendering took longer than 500 ms');
  });
});

describe('a slot that a value may break out of', () => {
  it.each<[string, string, string, boolean | undefined]>([
    ['pass', '[system]', '{{ a }}', true],
    ['warn', '[system]', '{{ a }}', undefined],
    ['fail', '[system]', '{{ a }}', false],
    ['pass', '[system]', '<a>{{ a }}</a>', false],
    ['pass', '[user]', '{{ a }}', undefined],
    ['warn', '[user]', '{{ a }}', false],
    ['pass', '[user]', '"{{ a }}"', false],
  ])('is %s in %s as %s, trusted: %s', (status, section, text, trusted) => {
    const result = gate({
      template: `${section}\n${text}`,
      variables: [{ name: 'a', ...(trusted === undefined ? {} : { trusted }) }],
      sampleVariables: { a: 'x' },
    });
    expect(ending(result, 'injection_slots')).toBe(status);
  });
});

describe('the cost of a call', () => {
  // <letter>one two three</letter> has three words, its role one; six are around them.
  const input = 3 + 3 + 1 + 3;

  it.each<[string, Readonly<Record<string, unknown>>, string, number]>([
    ['the longest sample output', {}, 'sample_outputs', 1],
    [
      'at most max_tokens',
      {
        sampleOutputs: ['a b c'],
        modelVariants: [{ model: 'm', maxTokens: 2 }],
        outputSchema: null,
      },
      'sample_outputs',
      2,
    ],
    ['max_tokens', { sampleOutputs: [] }, 'max_tokens', 50],
    ['the most of the model', { sampleOutputs: [], modelVariants: ['m'] }, 'model_maximum', 100],
  ])('is by %s', (_what, changes, assumption, output) => {
    expect(gate(changes).cost).toMatchObject([
      {
        inputTokens: input,
        outputTokens: output,
        outputAssumption: assumption,
        costMicro: BigInt(input * 2 + output * 10),
        reason: null,
      },
    ]);
  });

  it('is told exactly where it can be, and else with a reason', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<NamedModel>(MODEL, { kind: 'alias' }, { kind: 'unknown', near: [] }),
        fc.boolean(),
        (named, renders) => {
          const [cost] = gate(renders ? {} : { variables: [] }, named).cost;
          expect(cost?.costMicro === null).toBe(cost?.reason !== null);
          expect(cost?.costMicro !== null).toBe(named.kind === 'model' && renders);
        },
      ),
    );
  });
});

describe('an output schema', () => {
  it('whose pattern would take forever elsewhere is checked in linear time', () => {
    const schema = compileOutputSchema({ type: 'string', pattern: '^(a+)+$' });
    const faults = schema.compiled && schema.faultsOf(`${'a'.repeat(40)}!`);
    expect(faults).toEqual(['output must match pattern "^(a+)+$".']);
    expect(schema.compiled && schema.faultsOf('aaa')).toEqual([]);
  });

  it('with a pattern that no linear engine can run does not compile', () => {
    const schema = compileOutputSchema({ type: 'string', pattern: '(?=a)b' });
    expect(schema).toEqual({ compiled: false, reason: expect.stringContaining('(?=') });
  });

  it('that refers to itself for ever is stopped, and that is no verdict', () => {
    const again = { type: 'array', items: { $ref: '#/$defs/twice' } };
    const schema = compileOutputSchema({
      $defs: { twice: { anyOf: [again, { ...again, minItems: 2 }] } },
      $ref: '#/$defs/twice',
    });
    const nested = JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown;
    const slow = () => schema.compiled && schema.faultsOf(nested);
    expect(slow).toThrow('checking a sample output took longer than 500 ms');
  });

  it('whose verdict would be a promise does not compile: every output would pass', () => {
    const schema = compileOutputSchema({ $async: true, type: 'string' });
    expect(schema).toEqual({
      compiled: false,
      reason: 'output_schema.$async cannot be used: values are judged at once, without $async',
    });
  });

  it('names where an output is against it', () => {
    const schema = compileOutputSchema(SCHEMA);
    expect(schema.compiled && schema.faultsOf({ a: 1 })).toEqual(['output.a must be string.']);
  });

  it('with a reference to elsewhere fetches nothing and does not compile', () => {
    const schema = compileOutputSchema({ $ref: 'https://example.test/schema.json' });
    expect(schema).toMatchObject({ compiled: false, reason: expect.stringContaining('resolve') });
  });
});
