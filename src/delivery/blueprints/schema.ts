import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf, outputOf, shownFields } from '../../graph/table-types.js';
import { requireOwn } from '../../records/own.js';
import { deployBlueprint, shownDeployment } from './deploy.js';
import { lintAnswer } from './lint.js';
import { runBlueprint } from './run.js';
import { shownRun } from './run-record.js';
import { RUN_FIELDS, UNDERWAY } from './run-tables.js';
import { runsUnderway } from './run-underway.js';
import { lintDocument, listBlueprints, readBlueprint, storeManifest } from './service.js';
import { BLUEPRINT, DEPLOYMENT_FIELDS, LINT, STORED_MANIFEST } from './tables.js';
import { CATEGORIES } from './vocabulary.js';

const Run = builder.prismaNode('BlueprintRun', {
  id: { field: 'id', description: 'The id of the run.' },
  description:
    'A run of a blueprint with the real routing, firewall and billing of the gateway, on ' +
    'simulated models or on those that were named. It never changes.',
  fields: (t) => shownFields(t, RUN_FIELDS, shownRun) as never,
});

const Deployment = builder.prismaNode('BlueprintDeployment', {
  id: { field: 'id', description: 'The id of the deployment.' },
  description:
    'A sandbox deployment: what was checked and decided at that moment. Nothing outside the ' +
    'gateway changes, and the record never does.',
  fields: (t) => shownFields(t, DEPLOYMENT_FIELDS, shownDeployment) as never,
});

const READ = { can: 'blueprints.read' } as const;
const RUN = { can: 'blueprints.run' } as const;

builder.queryFields((t) => ({
  blueprints: t.field({
    type: [outputOf(BLUEPRINT)],
    description:
      'The catalogue of blueprints, followed by those that the organization of the caller stored.',
    args: {
      category: t.arg({ type: enumOf(CATEGORIES), description: 'Only those of a category.' }),
    },
    resolve: (_root, { category }, ctx) => listBlueprints(ctx, category ?? undefined),
  }),
  blueprint: t.field({
    type: outputOf(BLUEPRINT),
    description: 'A blueprint with its manifest, readiness and lint.',
    args: { id: t.arg.string({ required: true, description: 'The slug of the blueprint.' }) },
    resolve: (_root, { id }, ctx) => readBlueprint(ctx, id),
  }),
  blueprintManifestLint: t.field({
    type: outputOf(LINT),
    description:
      'Lints a manifest by the published rules, without storing it. Its JSON Schema is in the ' +
      'reference of blueprints.',
    authScopes: READ,
    complexity: 20,
    args: {
      manifest: t.arg({
        type: 'JSON',
        required: true,
        description: 'The manifest, as a document.',
      }),
    },
    resolve: (_root, { manifest }) => lintAnswer(lintDocument(manifest)),
  }),
  blueprintRuns: t.prismaConnection({
    type: Run,
    cursor: 'id',
    description: 'Runs of blueprints, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    args: { blueprintId: t.arg.string({ description: 'Only runs of this blueprint.' }) },
    resolve: (query, _root, { blueprintId }, ctx) =>
      database(ctx).blueprintRun.findMany({
        ...query,
        where: { blueprintId: blueprintId ?? undefined },
        orderBy: NEWEST_FIRST,
      }),
  }),
  blueprintRun: t.field({
    type: Run,
    description: 'A run of a blueprint.',
    authScopes: READ,
    args: { id: t.arg({ type: 'ID', required: true, description: 'The run, by its id.' }) },
    resolve: (_root, { id }, ctx) => requireOwn(authorized(ctx), 'BlueprintRun', id),
  }),
  blueprintRunsUnderway: t.field({
    type: [outputOf(UNDERWAY)],
    description: 'Runs of blueprints that go on, newest first, at most 200.',
    authScopes: READ,
    complexity: 20,
    resolve: (_root, _args, ctx) => runsUnderway(authorized(ctx)),
  }),
  blueprintDeployments: t.prismaConnection({
    type: Deployment,
    cursor: 'id',
    description: 'Deployments of blueprints, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    resolve: (query, _root, _args, ctx) =>
      database(ctx).blueprintDeployment.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
  blueprintDeployment: t.field({
    type: Deployment,
    description: 'A deployment of a blueprint.',
    authScopes: READ,
    args: { id: t.arg({ type: 'ID', required: true, description: 'The deployment, by its id.' }) },
    resolve: (_root, { id }, ctx) => requireOwn(authorized(ctx), 'BlueprintDeployment', id),
  }),
}));

builder.mutationFields((t) => ({
  blueprintManifestStore: t.field({
    type: outputOf(STORED_MANIFEST),
    description:
      'Stores a manifest of your own, or its next version. It is listed, run and deployed by the ' +
      'operations of the built-in blueprints, under its `id`. A manifest with an error of the ' +
      'lint is refused with every one of them.',
    authScopes: RUN,
    complexity: 20,
    args: {
      manifest: t.arg({
        type: 'JSON',
        required: true,
        description: 'The manifest, at most 64 KiB as JSON. Its `id` must be none of the server.',
      }),
    },
    resolve: (_root, { manifest }, ctx) => storeManifest(authorized(ctx), manifest),
  }),
  blueprintRun: t.field({
    type: Run,
    description:
      'Runs a blueprint in the sandbox, or with models that you name. Models of the sandbox are ' +
      'simulated, so that such a run proves nothing; routing, firewall and billing are real, so ' +
      'the run is charged to the caller. A step that fails is data of the run.',
    authScopes: RUN,
    args: {
      id: t.arg.string({ required: true, description: 'The slug of the blueprint.' }),
      input: t.arg({
        type: 'JSON',
        description: 'By the input schema of the manifest; default: its example.',
      }),
      metadata: t.arg({
        type: 'JSON',
        description:
          'Further members of `metadata` of each request, such as `client_id`: short texts. ' +
          '`feature` is that of the manifest. The wishes of the sandbox work here too: ' +
          '`sandbox_error: "503"` with `sandbox_error_model: "gw-mini"` shows the fallback.',
      }),
      model: t.arg.string({
        description:
          'A model of this server to ask in place of those of the sandbox. The policies of the ' +
          'project must protect the personal data of the inputs as the manifest demands.',
      }),
      fallbackModel: t.arg.string({
        description: 'Asked where `model` fails in a way in which another one may not.',
      }),
    },
    resolve: (_root, asked, ctx) => runBlueprint(authorized(ctx), asked),
  }),
  blueprintDeploy: t.field({
    type: Deployment,
    description:
      'Deploys a blueprint into the sandbox of a project: checks keys, policy, budget, firewall, ' +
      'models, funds, tools and a completed run, and records the verdict. Each call is a new one.',
    authScopes: RUN,
    args: {
      id: t.arg.string({ required: true, description: 'The slug of the blueprint.' }),
      projectId: t.arg({ type: 'ID', description: 'Default: the project of the caller.' }),
    },
    resolve: (_root, asked, ctx) => deployBlueprint(authorized(ctx), asked),
  }),
}));
