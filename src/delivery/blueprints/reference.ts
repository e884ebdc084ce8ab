import { CONNECTORS } from '../../actions/integrations/catalogue.js';
import { builder } from '../../graph/builder.js';
import { fieldTable, list, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { LINT_LEVELS, LINT_RULES } from './lint-vocabulary.js';
import { MANIFEST_SCHEMA } from './manifest-schema.js';
import { OPERATIONS, OPERATORS } from './operators.js';
import { CHECK_RESULTS, GOLDEN_KINDS, PROOFS } from './proof-vocabulary.js';
import { LINT_RULE, WEIGHTED } from './tables.js';
import {
  CATEGORIES,
  DEPLOY_CHECKS,
  DEPLOY_DECISIONS,
  INPUT_SOURCES,
  ORIGINS,
  PLATFORMS,
  POLICY_PARTS,
  READINESS_CRITERIA,
  RUN_FAILURES,
  RUN_STATUSES,
  STEP_STATUSES,
  STEP_TYPES,
} from './vocabulary.js';

const POLICY_PART = fieldTable('BlueprintPolicyPart', 'Parts of a policy that manifests state.', {
  values: list(text('A value.'), 'The values or members that it can have.'),
});

const INTEGRATION = fieldTable(
  'BlueprintIntegration',
  'The registry of integrations that steps can be carried on with.',
  {
    id: text('The connector that the blueprint writes to.'),
    name: text('What it is called.'),
    category: text('What kind of system it is.'),
    status: text('Whether it is simulated.'),
    actions: list(text('An action.'), 'The ids of its actions.'),
  },
);

const INTEGRATIONS = CONNECTORS.map(({ id, name, description, category, status, actions }) => ({
  code: id,
  description,
  id,
  name,
  category,
  status,
  actions: actions.map((action) => action.id),
}));

const REFERENCE = publishReference({
  module: 'blueprints',
  type: 'BlueprintReference',
  description: 'Everything that blueprints are made of: the very lists that the rules read.',
  lists: {
    categories: codes('category', CATEGORIES),
    platforms: codes('platform', PLATFORMS),
    stepTypes: codes('step_type', STEP_TYPES),
    operators: codes('operator', OPERATORS),
    operations: codes('operation', OPERATIONS),
    policies: rows('policy_part', POLICY_PARTS.rows, POLICY_PART),
    integrations: rows('integration', INTEGRATIONS, INTEGRATION),
    readinessCriteria: rows('readiness_criterion', READINESS_CRITERIA.rows, WEIGHTED),
    deployChecks: rows('deploy_check', DEPLOY_CHECKS.rows, WEIGHTED),
    lintRules: rows('lint_rule', LINT_RULES.rows, LINT_RULE),
    lintLevels: codes('lint_level', LINT_LEVELS),
    decisions: codes('decision', DEPLOY_DECISIONS),
    runStatuses: codes('run_status', RUN_STATUSES),
    runFailures: codes('run_failure', RUN_FAILURES),
    stepStatuses: codes('step_status', STEP_STATUSES),
    origins: codes('origin', ORIGINS),
    inputSources: codes('input_source', INPUT_SOURCES),
    proofs: codes('proof', PROOFS),
    checkResults: codes('check_result', CHECK_RESULTS),
    goldenKinds: codes('golden_kind', GOLDEN_KINDS),
  },
});

builder.objectField(REFERENCE, 'manifestSchema', (t) =>
  t.field({
    type: 'JSON',
    description: 'The JSON Schema of manifests, draft 2020-12.',
    resolve: () => MANIFEST_SCHEMA,
  }),
);
