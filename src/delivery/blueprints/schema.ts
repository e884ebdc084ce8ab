import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumOf, outputOf } from '../../graph/table-types.js';
import { lintAnswer } from './lint.js';
import { lintDocument, listBlueprints, readBlueprint, storeManifest } from './service.js';
import { BLUEPRINT, LINT, STORED_MANIFEST } from './tables.js';
import { CATEGORIES } from './vocabulary.js';

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
    args: { id: t.arg.string({ required: true, description: 'Its slug.' }) },
    resolve: (_root, { id }, ctx) => readBlueprint(ctx, id),
  }),
  blueprintManifestLint: t.field({
    type: outputOf(LINT),
    description:
      'Lints a manifest by the published rules, without storing it. Its JSON Schema is in the ' +
      'reference of blueprints.',
    authScopes: { can: 'blueprints.read' },
    complexity: 20,
    args: { manifest: t.arg({ type: 'JSON', required: true, description: 'The manifest.' }) },
    resolve: (_root, { manifest }) => lintAnswer(lintDocument(manifest)),
  }),
}));

builder.mutationField('blueprintManifestStore', (t) =>
  t.field({
    type: outputOf(STORED_MANIFEST),
    description:
      'Stores a manifest of your own, or its next version. It is listed, run and deployed by the ' +
      'operations of the built-in blueprints, under its `id`. A manifest with an error of the ' +
      'lint is refused with every one of them.',
    authScopes: { can: 'blueprints.run' },
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
);
