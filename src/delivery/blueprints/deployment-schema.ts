import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { deployBlueprint, deploymentById } from './deploy.js';
import type { DeployTest, MissingItem } from './deploy-rules.js';
import { DEPLOY_CHECKS } from './deploy-vocabulary.js';
import { DEPLOY_DECISIONS, type DeployDecision } from './vocabulary.js';

const DecisionEnum = builder.enumType('BlueprintDeployDecision', {
  description: 'What a deployment decided.',
  values: enumValues(DEPLOY_DECISIONS),
});

const CheckEnum = builder.enumType('BlueprintDeployCheck', {
  description: 'What is checked before a blueprint is deployed.',
  values: enumValues(DEPLOY_CHECKS),
});

const Test = builder.objectRef<DeployTest>('BlueprintDeployTest').implement({
  description: 'A check of a deployment, by the rows of the organization at that moment.',
  fields: (t) => ({
    code: t.expose('code', { type: CheckEnum, description: 'The published check.' }),
    description: t.exposeString('description', { description: 'What must hold.' }),
    passed: t.exposeBoolean('passed', { description: 'Whether it held.' }),
    evidence: t.exposeString('evidence', { description: 'What the rows showed.' }),
  }),
});

const Missing = builder.objectRef<MissingItem>('BlueprintMissingItem').implement({
  description: 'Something that is missing, and the call that mends it.',
  fields: (t) => ({
    code: t.expose('code', { type: CheckEnum, description: 'The check that failed for it.' }),
    missing: t.exposeString('missing', { description: 'What is missing.' }),
    method: t.exposeString('method', { description: 'The method of the call.' }),
    path: t.exposeString('path', { description: 'Its path.' }),
    body: t.expose('body', { type: 'JSON', description: 'Its body; `{}` where it has none.' }),
  }),
});

const Deployment = builder.prismaNode('BlueprintDeployment', {
  id: { field: 'id', description: 'The id of the deployment.' },
  description:
    'A sandbox deployment: what was checked and decided at that moment. Nothing outside the ' +
    'gateway changes, and the record never does.',
  fields: (t) => ({
    blueprintId: t.exposeString('blueprintId', { description: 'The blueprint.' }),
    manifestHash: t.expose('manifestHash', {
      type: 'Sha256',
      description: 'SHA-256 of the manifest that was judged.',
    }),
    projectId: t.expose('projectId', { type: 'UUID', description: 'The project.' }),
    environment: t.string({
      description: 'Always `sandbox`: a deployment is a validated record.',
      resolve: () => 'sandbox',
    }),
    simulated: t.boolean({
      description: 'True: no system outside the gateway is changed.',
      resolve: () => true,
    }),
    decision: t.field({
      type: DecisionEnum,
      description: 'What was decided.',
      resolve: ({ decision }) => decision as DeployDecision,
    }),
    readinessPercent: t.int({
      description: 'The weights of the checks that passed, of 100.',
      resolve: ({ readiness }) => (readiness as { readonly percent: number }).percent,
    }),
    tests: t.field({
      type: [Test],
      description: 'Every check with its result and evidence.',
      resolve: ({ tests }) => tests as unknown as DeployTest[],
    }),
    missingItems: t.field({
      type: [Missing],
      description: 'What is missing, each with the call that mends it.',
      resolve: ({ missingItems }) => missingItems as unknown as MissingItem[],
    }),
    receiptId: t.expose('receiptId', { type: 'UUID', description: 'Its sealed receipt.' }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'The member or key.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

builder.queryFields((t) => ({
  blueprintDeployments: t.prismaConnection({
    type: Deployment,
    cursor: 'id',
    description: 'Deployments of blueprints, newest first.',
    authScopes: { can: 'blueprints.read' },
    complexity: pageComplexity,
    resolve: (query, _root, _args, ctx) =>
      database(ctx).blueprintDeployment.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
  blueprintDeployment: t.field({
    type: Deployment,
    description: 'A deployment of a blueprint.',
    authScopes: { can: 'blueprints.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The deployment.' }) },
    resolve: (_root, { id }, ctx) => deploymentById(authorized(ctx), id),
  }),
}));

builder.mutationField('blueprintDeploy', (t) =>
  t.field({
    type: Deployment,
    description:
      'Deploys a blueprint into the sandbox of a project: checks keys, policy, budget, firewall, ' +
      'models, funds, tools and a completed run, and records the verdict. Each call is a new one.',
    authScopes: { can: 'blueprints.run' },
    args: {
      id: t.arg.string({ required: true, description: 'The slug of the blueprint.' }),
      projectId: t.arg({ type: 'UUID', description: 'Default: the project of the caller.' }),
    },
    resolve: (_root, asked, ctx) => deployBlueprint(authorized(ctx), asked),
  }),
);
