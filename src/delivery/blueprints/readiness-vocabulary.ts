import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/**
 * What a blueprint needs to be ready, with its weight of 100. Each is met or not; the evidence
 * comes from the manifest and from the configuration of this server.
 */
export const READINESS_CRITERIA = vocabulary('BlueprintCriterion', 'A criterion of readiness.', [
  { code: 'manifest_valid', weight: 20, description: 'The lint finds no error.' },
  { code: 'manifest_clean', weight: 5, description: 'The lint finds no warning.' },
  { code: 'fallback_declared', weight: 10, description: 'Another model can take over.' },
  {
    code: 'outputs_checked',
    weight: 10,
    description: 'Every answer of a model is checked against a schema.',
  },
  {
    code: 'personal_data_protected',
    weight: 15,
    description: 'Every class of personal data that inputs hold is masked or blocked.',
  },
  { code: 'cost_bounded', weight: 10, description: 'The most that a run can cost is known.' },
  {
    code: 'sandbox_available',
    weight: 10,
    description: 'The sandbox of this server has the models of the manifest.',
  },
  {
    code: 'model_available',
    weight: 10,
    description: 'This server can call a real model with the capabilities of the primary one.',
  },
  {
    code: 'fallback_available',
    weight: 10,
    description: 'This server can call a second real model with those of the fallback.',
  },
]);

/** A criterion of readiness. */
export type ReadinessCriterion = CodeOf<typeof READINESS_CRITERIA>;
