import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { lintDocument, type StoredManifest, storeManifest } from './own-manifests.js';
import { Lint } from './schema.js';

const Stored = builder.objectRef<StoredManifest>('BlueprintManifest').implement({
  description:
    'A version of a manifest that your organization stored. Versions never change, and the last ' +
    'one is run and deployed under its id as the blueprints of the server are.',
  fields: (t) => ({
    blueprintId: t.string({
      description: 'The slug to run and deploy it by.',
      resolve: ({ manifest }) => manifest.id,
    }),
    version: t.exposeInt('version', { description: 'Counted from 1, without a gap.' }),
    manifest: t.field({
      type: 'JSON',
      description: 'The manifest.',
      resolve: ({ manifest }) => manifest,
    }),
    manifestHash: t.expose('hash', {
      type: 'Sha256',
      description: 'SHA-256 of the manifest as canonical JSON; runs and deployments name it.',
    }),
    alreadyStored: t.exposeBoolean('alreadyStored', {
      description: 'True where the last version says exactly this; then no version was added.',
    }),
    lint: t.field({
      type: Lint,
      description: 'What the lint found: warnings, since errors are refused.',
      resolve: ({ findings }) => findings,
    }),
    storedBy: t.expose('storedBy', { type: 'UUID', description: 'The member or key.' }),
    storedAt: t.expose('storedAt', { type: 'DateTime', description: 'When it was stored.' }),
  }),
});

builder.queryField('blueprintManifestLint', (t) =>
  t.field({
    type: Lint,
    description:
      'Lints a manifest by the published rules, without storing it. Its JSON Schema is in the ' +
      'reference of blueprints.',
    authScopes: { can: 'blueprints.read' },
    complexity: 20,
    args: { manifest: t.arg({ type: 'JSON', required: true, description: 'The manifest.' }) },
    resolve: (_root, { manifest }) => lintDocument(manifest),
  }),
);

builder.mutationField('blueprintManifestStore', (t) =>
  t.field({
    type: Stored,
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
