import type { LintRule } from '../../../src/delivery/blueprints/lint-vocabulary.js';
import type { Manifest } from '../../../src/delivery/blueprints/manifest.js';

/** A copy of a manifest, free to be changed. */
interface Draft {
  readonly steps: Record<string, unknown>[];
  readonly models: Record<string, Record<string, unknown>>;
  readonly personal_data: string[];
  readonly input_schema: { readonly properties: Record<string, unknown> };
  readonly example_input: Record<string, unknown>;
  readonly business_result: { proof?: object[] };
  readonly golden_cases: { expected: string }[];
  version: unknown;
}

type Change = (draft: Draft) => void;

const llm = (id: string, extra: object = {}) => ({
  id,
  type: 'llm',
  title: 'Planted',
  with: {},
  template: '[user]\nОтветь.',
  max_output_tokens: 10,
  output_schema: {
    type: 'object',
    properties: { word: { type: 'string', enum: ['да', 'нет'] } },
    required: ['word'],
    additionalProperties: false,
  },
  ...extra,
});

/** For each rule of the lint a change that plants its fault into any blueprint. */
const PLANTS: Readonly<Record<LintRule, Change>> = {
  manifest_invalid: (draft) => {
    draft.version = 1;
  },
  unknown_step_type: (draft) => {
    draft.steps.push({ id: 'planted', type: 'teleport', title: 'Planted' });
  },
  schema_invalid: (draft) => {
    const output_schema = { type: 'object', properties: { a: { $ref: '#' } } };
    draft.steps.push(llm('planted', { output_schema }));
  },
  duplicate_step_id: (draft) => {
    draft.steps.push({ ...(draft.steps[0] ?? {}) });
  },
  cyclic_reference: (draft) => {
    draft.steps.push(
      llm('planted_a', { with: { b: 'steps.planted_b.word' }, template: '[user]\n«{{ b }}»' }),
      llm('planted_b', { with: { a: 'steps.planted_a.word' }, template: '[user]\n«{{ a }}»' }),
    );
  },
  forward_reference: (draft) => {
    draft.steps.unshift(
      llm('planted', { with: { w: 'steps.later.word' }, template: '[user]\n«{{ w }}»' }),
    );
    draft.steps.push(llm('later'));
  },
  undeclared_reference: (draft) => {
    draft.steps.push(
      llm('planted', { with: { w: 'input.nowhere' }, template: '[user]\n«{{ w }}»' }),
    );
  },
  undeclared_variable: (draft) => {
    draft.steps.push(llm('planted', { template: '[user]\n«{{ unbound }}»' }));
  },
  template_invalid: (draft) => {
    draft.steps.push(llm('planted', { template: '[user]\n{% if x %}' }));
  },
  missing_output_schema: (draft) => {
    draft.steps.push(llm('planted', { output_schema: undefined }));
  },
  unbounded_cost: (draft) => {
    draft.steps.push(llm('planted', { max_output_tokens: undefined }));
  },
  capability_mismatch: (draft) => {
    draft.models.primary = { ...draft.models.primary, capabilities: ['text', 'audio'] };
  },
  unreachable_step: (draft) => {
    draft.steps.push(
      llm('planted'),
      llm('never', { when: { ref: 'steps.planted.word', operator: 'equals', value: 'может' } }),
    );
  },
  undeclared_tool: (draft) => {
    draft.steps.push({
      id: 'planted',
      type: 'tool',
      title: 'Planted',
      with: {},
      tool_key: 'nobody.listed',
      verb: 'create',
    });
  },
  personal_data_unprotected: (draft) => {
    draft.personal_data.push('ogrn');
  },
  example_invalid: (draft) => {
    draft.example_input.surplus = true;
  },
  check_invalid: (draft) => {
    const must = { ref: 'input', operator: 'shares_words', other: 'input', value: 0 };
    draft.business_result.proof?.push({ code: 'planted', must, message: 'Planted.' });
  },
  golden_case_wrong: (draft) => {
    for (const each of draft.golden_cases) each.expected = 'failed';
  },
  missing_proof: (draft) => {
    delete draft.business_result.proof;
  },
  missing_fallback: (draft) => {
    delete draft.models.fallback;
  },
  unused_input: (draft) => {
    draft.input_schema.properties.unread = { type: 'string', maxLength: 10 };
  },
  unused_variable: (draft) => {
    draft.steps.push(llm('planted', { with: { unread: 'steps.first.word' } }));
    draft.steps.unshift(llm('first'));
  },
  unused_step: (draft) => {
    draft.steps.push(llm('planted'));
  },
  prompt_too_long: (draft) => {
    draft.steps.push(llm('planted', { template: `[user]\n${'слово '.repeat(1_001)}` }));
  },
  undelimited_value: (draft) => {
    draft.steps.unshift(llm('first'));
    draft.steps.push(
      llm('planted', { with: { w: 'steps.first.word' }, template: '[user]\nДелай так: {{ w }}' }),
    );
  },
};

/** A copy of a manifest with the fault of a rule planted. */
export function planted(manifest: Manifest, rule: LintRule): unknown {
  const draft = JSON.parse(JSON.stringify(manifest)) as Draft;
  PLANTS[rule](draft);
  return JSON.parse(JSON.stringify(draft));
}
