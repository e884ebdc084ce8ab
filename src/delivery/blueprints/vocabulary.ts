import { HYBRID_MODES } from '../../access/policies/vocabulary.js';
import { FIREWALL_MODES } from '../../kernel/firewall/vocabulary.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What a blueprint is for. */
export const CATEGORIES = vocabulary('BlueprintCategory', 'What a blueprint is for.', [
  { code: 'crm', description: 'Leads and customers: qualification, summaries of calls.' },
  { code: 'rag', description: 'Answers from documents that are given, with their sources.' },
  { code: 'tenders', description: 'State and corporate tenders by 44-FZ and 223-FZ.' },
  { code: 'documents', description: 'Contracts, invoices, acts: extraction and review.' },
  { code: 'calls', description: 'Quality of calls of a contact centre.' },
  { code: 'support', description: 'Tickets: sorting them, and drafts of replies.' },
  { code: 'hr', description: 'Vacancies and CVs.' },
  { code: 'ecommerce', description: 'Cards of goods on marketplaces and sites.' },
  { code: 'finance', description: 'Payments and accounting records.' },
  { code: 'procurement', description: 'Comparison of offers of suppliers.' },
  { code: 'marketing', description: 'Texts of campaigns.' },
  { code: 'employee', description: 'Assistants of employees, with personal data protected.' },
]);

/** A category. */
export type Category = CodeOf<typeof CATEGORIES>;

/** The parts of a policy that manifests state, each with the values that it can have. */
export const POLICY_PARTS = vocabulary('BlueprintPolicy', 'A part of a policy.', [
  {
    code: 'firewall',
    description: 'The mildest mode of each class of finding; a stricter one is as good.',
    values: FIREWALL_MODES.map(({ code }) => code),
  },
  {
    code: 'hybrid',
    description: 'The widest data routes; narrower ones are as good.',
    values: HYBRID_MODES.map(({ code }) => code),
  },
  {
    code: 'budget',
    description: 'The most that one run may cost, and a monthly budget to begin with, in rubles.',
    values: ['run_rub_max', 'monthly_rub'],
  },
]);

/** Where a blueprint can be called from. Every one of them calls the same REST operations. */
export const PLATFORMS = vocabulary('BlueprintPlatform', 'Where a blueprint can be called from.', [
  { code: 'rest_api', description: 'Any program, over the REST operations of this server.' },
  { code: 'graphql', description: 'Any program, over GraphQL.' },
  { code: 'n8n', description: 'A workflow tool that calls the REST operations.' },
  { code: 'bitrix24', description: 'A robot of Bitrix24 that calls a webhook.' },
  { code: 'amocrm', description: 'A digital pipeline of amoCRM that calls a webhook.' },
  { code: 'one_c', description: '1C:Enterprise, by an HTTP request from a handler.' },
  { code: 'telegram', description: 'A bot that passes messages on.' },
]);

/** What a step can be. Each type is really run in the sandbox; there are no others. */
export const STEP_TYPES = vocabulary('BlueprintStepType', 'What a step does.', [
  {
    code: 'llm',
    description:
      'A chat request through the whole pipeline of the gateway, billed to the caller; the ' +
      'answer must satisfy the output schema of the step.',
  },
  {
    code: 'retrieve',
    description: 'Ranks passages of documents that are given by BM25 over stems of words.',
  },
  { code: 'transform', description: 'Computes values from values, by named operations.' },
  {
    code: 'validate',
    description: 'Checks values; a failed check is named, and may end the run.',
  },
  {
    code: 'approval',
    description: 'Decides whether a person must agree; in the sandbox nobody is asked.',
  },
  {
    code: 'tool',
    description:
      'Shows which action of a tool would be asked for, and whether such a tool is registered; ' +
      'it is never called.',
  },
]);

/** A type of step. */
export type StepType = CodeOf<typeof STEP_TYPES>;

/** How a run ended. */
export const RUN_STATUSES = vocabulary('BlueprintRunStatus', 'How a run ended.', [
  { code: 'completed', description: 'Every step was done, or left out by its condition.' },
  { code: 'failed', description: 'A step failed; what was billed before it stays recorded.' },
]);

/** How a step ended. */
export const STEP_STATUSES = vocabulary('BlueprintStepStatus', 'How a step ended.', [
  { code: 'completed', description: 'The step has ended well.' },
  { code: 'skipped', description: 'Left out, since its condition did not hold.' },
  { code: 'failed', description: 'Failed, which ended the run.' },
]);

/** Where the input of a run came from. */
export const INPUT_SOURCES = vocabulary('BlueprintInputSource', 'Where an input came from.', [
  { code: 'example', description: 'The example of the manifest, since none was given.' },
  { code: 'given', description: 'The caller gave it.' },
  {
    code: 'published',
    description: 'The caller gave the example or a golden case of the manifest: no work is done.',
  },
]);

/** Why a run ended where none of its steps says it. */
export const RUN_FAILURES = vocabulary('BlueprintRunFailure', 'Why a run ended.', [
  {
    code: 'node_lost',
    description:
      'The process that ran it died. Steps that had ended are there, and the cost is that of all ' +
      'its requests in usage.',
  },
]);

/** Why a run ended where none of its steps says it. */
export type RunFailure = CodeOf<typeof RUN_FAILURES>;

/** Who wrote a blueprint. */
export const ORIGINS = vocabulary('BlueprintOrigin', 'Who wrote a blueprint.', [
  { code: 'built_in', description: 'It belongs to the server and is the same for everybody.' },
  { code: 'own', description: 'Your organization stored it; no other one sees it.' },
]);

/** What a deployment decided. */
export const DEPLOY_DECISIONS = vocabulary('BlueprintDeployDecision', 'What was decided.', [
  { code: 'deployed', description: 'Every check passed; it stands in the sandbox.' },
  { code: 'blocked', description: 'A check failed; the missing items say what mends it.' },
]);

/**
 * What a blueprint needs to be ready, with its weight of 100. Each is met or not; the evidence
 * comes from the manifest and from the configuration of this server.
 */
export const READINESS_CRITERIA = vocabulary('BlueprintCriterion', 'A criterion of readiness.', [
  { code: 'manifest_valid', weight: 15, description: 'The lint finds no error.' },
  { code: 'manifest_clean', weight: 5, description: 'The lint finds no warning.' },
  { code: 'fallback_declared', weight: 10, description: 'Another model can take over.' },
  {
    code: 'outputs_checked',
    weight: 10,
    description: 'Every answer of a model is checked against a schema.',
  },
  {
    code: 'result_checked',
    weight: 5,
    description: 'Golden cases, bad ones among them, end as they should, and every lie is caught.',
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

/**
 * What a project must have before a blueprint is deployed, with its weight of 100 in the
 * readiness. A failed check names the call that mends it.
 */
export const DEPLOY_CHECKS = vocabulary('BlueprintDeployCheck', 'A check of a deployment.', [
  { code: 'manifest_lint', weight: 10, description: 'The lint of the manifest finds no error.' },
  {
    code: 'sandbox_run',
    weight: 15,
    description:
      'A run of this very manifest in the project is achieved and proved; a simulated one counts ' +
      'where the golden cases of the manifest end as they should.',
  },
  {
    code: 'key',
    weight: 15,
    description: 'A service or standard key of the project is in force.',
  },
  { code: 'budget', weight: 15, description: 'An enabled policy of the project has a budget.' },
  {
    code: 'firewall',
    weight: 10,
    description: 'The firewall is at least as strict as the manifest asks for.',
  },
  {
    code: 'data_route',
    weight: 10,
    description: 'The data routes are no wider than the manifest allows.',
  },
  {
    code: 'models',
    weight: 10,
    description: 'The policies leave a model for the primary need, and another for the fallback.',
  },
  { code: 'balance', weight: 5, description: 'The account has funds.' },
  {
    code: 'tools',
    weight: 10,
    description: 'The tools of the manifest are registered with the verbs that it needs.',
  },
]);

/** A check of a deployment. */
export type DeployCheck = CodeOf<typeof DEPLOY_CHECKS>;

/**
 * Failures of one model that another one may not have: then the fallback is asked. Every other
 * failure ends the run, since the fallback would fail alike.
 */
export const FALLBACK_CODES: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_not_allowed',
  'data_route_forbidden',
  'capability_unsupported',
  'context_length_exceeded',
  'model_without_price',
  'upstream_rejected',
  'upstream_rate_limited',
  'upstream_failed',
  'upstream_unavailable',
  'upstream_timeout',
  'blueprint_output_invalid',
  'blueprint_step_cost_unbounded',
]);

/** Bounds of manifests, inputs and outputs; what is beyond them is refused or cut, and says so. */
export const BLUEPRINT_BOUNDS = {
  stepsMax: 12,
  inputBytesMax: 262_144,
  metadataEntriesMax: 12,
  metadataCharactersMax: 256,
  outputBytesMax: 16_384,
  promptCharactersMax: 6_000,
  passagesMax: 2_000,
  passageCharactersMax: 1_200,
  manifestBytesMax: 65_536,
  manifestsMax: 100,
  versionsMax: 1_000,
  schemaNodesMax: 300,
  patternCharactersMax: 200,
  checkPatternCharactersMax: 600,
  proofChecksMax: 20,
  goldenCasesMax: 12,
  liesMax: 4,
} as const;
