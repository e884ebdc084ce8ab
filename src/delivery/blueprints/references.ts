import { defineReference } from '../../records/references.js';
import { DEPLOY_CHECKS } from './deploy-vocabulary.js';
import { LINT_LEVELS, LINT_RULES } from './lint-vocabulary.js';
import { READINESS_CRITERIA } from './readiness-vocabulary.js';
import {
  CATEGORIES,
  DEPLOY_DECISIONS,
  INPUT_SOURCES,
  OPERATIONS,
  OPERATORS,
  ORIGINS,
  PLATFORMS,
  POLICY_PARTS,
  RUN_FAILURES,
  RUN_STATUSES,
  STEP_STATUSES,
  STEP_TYPES,
} from './vocabulary.js';

/** What the reference of blueprints publishes: the very lists that its rules read. */
export const BLUEPRINT_REFERENCES = {
  categories: defineReference('blueprints.category', CATEGORIES),
  platforms: defineReference('blueprints.platform', PLATFORMS),
  stepTypes: defineReference('blueprints.step_type', STEP_TYPES),
  policies: defineReference('blueprints.policy_part', POLICY_PARTS),
  operators: defineReference('blueprints.operator', OPERATORS),
  operations: defineReference('blueprints.operation', OPERATIONS),
  readinessCriteria: defineReference('blueprints.readiness_criterion', READINESS_CRITERIA),
  deployChecks: defineReference('blueprints.deploy_check', DEPLOY_CHECKS),
  lintRules: defineReference('blueprints.lint_rule', LINT_RULES),
  lintLevels: defineReference('blueprints.lint_level', LINT_LEVELS),
  runStatuses: defineReference('blueprints.run_status', RUN_STATUSES),
  runFailures: defineReference('blueprints.run_failure', RUN_FAILURES),
  stepStatuses: defineReference('blueprints.step_status', STEP_STATUSES),
  origins: defineReference('blueprints.origin', ORIGINS),
  inputSources: defineReference('blueprints.input_source', INPUT_SOURCES),
  decisions: defineReference('blueprints.decision', DEPLOY_DECISIONS),
} as const;
