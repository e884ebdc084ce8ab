import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  object,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { LINT_LEVELS, LINT_RULES } from './lint-vocabulary.js';
import { GOLDEN_KINDS, PROOFS } from './proof-vocabulary.js';
import {
  CATEGORIES,
  DEPLOY_CHECKS,
  DEPLOY_DECISIONS,
  ORIGINS,
  PLATFORMS,
  READINESS_CRITERIA,
} from './vocabulary.js';

const FINDING = fieldTable('BlueprintLintFinding', 'Something that the lint found in a manifest.', {
  rule: code(LINT_RULES, 'The published rule.'),
  level: code(LINT_LEVELS, 'How bad the fault is.'),
  path: text('Where in the manifest, dotted.'),
  message: text('What is wrong there.'),
  fix: text('What mends the fault.'),
});

/** Something that the lint found in a manifest. */
export type LintFinding = ValuesOf<typeof FINDING.fields>;

/** What the lint found. */
export const LINT = fieldTable('BlueprintLint', 'What the lint found in a manifest.', {
  errorCount: integer('Findings that keep it from running.'),
  warningCount: integer('Findings that should be better.'),
  findings: list(object(FINDING, 'A finding.'), 'All of them, in the order of the rules.'),
});

/** A rule of the lint, as the reference lists it. */
export const LINT_RULE = fieldTable('BlueprintLintRule', 'Rules of the lint.', {
  level: code(LINT_LEVELS, 'How bad what it finds is.'),
  fix: FINDING.fields.fix,
});

/** A criterion or check with its weight, as the reference lists it. */
export const WEIGHTED = fieldTable('BlueprintWeightedCode', 'A criterion or check.', {
  weight: integer('How many points of 100 it is worth.'),
});

const CRITERION = fieldTable(
  'BlueprintReadinessCriterion',
  'A criterion of readiness, as it was judged on this server.',
  {
    code: code(READINESS_CRITERIA, 'The published criterion.'),
    description: text('What must hold.'),
    ...WEIGHTED.fields,
    met: flag('Whether it holds.'),
    evidence: text('What shows whether it holds.'),
  },
);

/** A criterion as it was judged. */
export type JudgedCriterion = ValuesOf<typeof CRITERION.fields>;

const READINESS = fieldTable(
  'BlueprintReadiness',
  'How ready a blueprint is on this server; the same for every organization.',
  {
    score: integer('The weights of the criteria met, 0 to 100.'),
    criteria: list(object(CRITERION, 'A criterion.'), 'Every published criterion.'),
  },
);

/** How ready a blueprint is on this server. */
export type BlueprintReadiness = ValuesOf<typeof READINESS.fields>;

const GOLDEN_CASE = fieldTable(
  'BlueprintGoldenCase',
  'A golden case of a blueprint. Its input and answers are in `golden_cases` of the manifest, ' +
    'under its id.',
  {
    id: text('The case, unique within the blueprint.'),
    kind: code(GOLDEN_KINDS, 'What kind of input the case tries.'),
    title: text('What the case is about, for people.'),
    expected: code(PROOFS, 'What the checks are to make of the honest answers.'),
    judged: code(PROOFS, 'What they make of them.'),
    lies: integer('Answers of a lying model, those of the normal case among them.'),
    liesCaught: integer('How many of these claim nothing.'),
  },
);

const MANIFEST_HASH = sha256('SHA-256 of the manifest as canonical JSON; runs name it.');

/** A blueprint as it is shown. */
export const BLUEPRINT = fieldTable(
  'Blueprint',
  'An AI workflow: a ready-made one of the server, or one that your organization stored.',
  {
    id: text('The slug of the blueprint.'),
    origin: code(ORIGINS, 'Who wrote the blueprint.'),
    name: text('What it is called.'),
    category: code(CATEGORIES, 'What it is for.'),
    vertical: text('The line of business.'),
    version: text('The version of the manifest.'),
    description: text('What the blueprint does.'),
    platforms: list(code(PLATFORMS, 'A platform.'), 'Where it can be called from.'),
    feature: text('`metadata.feature` of its requests: cost reports group by it.'),
    stepCount: integer('How many steps it has.'),
    manifest: json(
      'The whole manifest: input schema and example, steps, models with the fallback, ' +
        'policies, tools and business result. Its JSON Schema is in the reference.',
    ),
    manifestHash: MANIFEST_HASH,
    goldenCases: list(object(GOLDEN_CASE, 'A case.'), 'Its golden cases, judged by its checks.'),
    readiness: object(READINESS, 'How ready it is.'),
    lint: object(LINT, 'What the lint found.'),
  },
);

/** A blueprint: what is written, and what is computed of it on this server. */
export type BlueprintDetail = ValuesOf<typeof BLUEPRINT.fields>;

/** A version of a customer's manifest, as its owner gets it. */
export const STORED_MANIFEST = fieldTable(
  'BlueprintManifest',
  'A version of a manifest that your organization stored. Versions never change, and the last ' +
    'one is run and deployed under its id as the blueprints of the server are.',
  {
    blueprintId: text('The slug to run and deploy it by.'),
    version: integer('Counted from 1, without a gap.'),
    manifest: json('The manifest that was stored.'),
    manifestHash: MANIFEST_HASH,
    alreadyStored: flag(
      'True where the last version says exactly this; then no version was added.',
    ),
    lint: object(LINT, 'What the lint found: warnings, since errors are refused.'),
    storedBy: uuid('The member or key.'),
    storedAt: instant('When it was stored.'),
  },
);

/** A version of a customer's manifest, as its owner gets it. */
export type StoredManifest = ValuesOf<typeof STORED_MANIFEST.fields>;

const TEST = fieldTable(
  'BlueprintDeployTest',
  'A check of a deployment, by the rows of the organization at that moment.',
  {
    code: code(DEPLOY_CHECKS, 'The published check.'),
    description: text('What must hold.'),
    passed: flag('Whether it held.'),
    evidence: text('What the rows showed.'),
  },
);

const MISSING = fieldTable(
  'BlueprintMissingItem',
  'Something that is missing, and the call that mends it.',
  {
    code: code(DEPLOY_CHECKS, 'The check that failed for it.'),
    missing: text('What is missing.'),
    method: text('The method of the call.'),
    path: text('The path of the call.'),
    body: json(
      'Its body, to be sent as it is: each path has fields of its own, and null, which lifts a ' +
        'value, differs from what is left out. `{}` where it has none.',
    ),
  },
);

/** What is missing, and the call that mends it. */
export type MissingItem = ValuesOf<typeof MISSING.fields>;

/** What a deployment decided, and why. */
export const VERDICT = {
  decision: code(DEPLOY_DECISIONS, 'What was decided.'),
  readinessPercent: integer('The weights of the checks that passed, of 100.'),
  tests: list(object(TEST, 'A check.'), 'Every check with its result and evidence.'),
  missingItems: list(
    object(MISSING, 'A missing item.'),
    'What is missing, each with the call that mends it.',
  ),
} as const;

/** What was decided, and why. */
export type DeployVerdict = ValuesOf<typeof VERDICT>;

/** What the receipt of a deployment says of it, and the deployment itself too. */
export const DEPLOYMENT_FACTS = {
  blueprintId: text('The slug of the blueprint.'),
  manifestHash: sha256('SHA-256 of the manifest that was judged.'),
  projectId: uuid('The project that was judged.'),
  environment: text('Always `sandbox`: a deployment is a validated record.'),
  simulated: flag('True: no system outside the gateway is changed.'),
  ...VERDICT,
} as const;

/** A deployment as it is shown. */
export const DEPLOYMENT_FIELDS = {
  ...DEPLOYMENT_FACTS,
  receiptId: uuid('Its sealed receipt.'),
  requestedBy: uuid('The member or key.'),
  createdAt: instant('When it was decided.'),
} as const;
