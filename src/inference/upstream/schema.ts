import { DEPLOYMENT_KEY } from '../../catalog/fleet/tables.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { defaulting, flag } from '../../kernel/fields/field.js';
import { listDeployments, probe } from './deployments.js';
import { DEPLOYMENT, PROBE } from './tables.js';

builder.queryField('deployments', (t) =>
  t.field({
    type: [outputOf(DEPLOYMENT)],
    description: 'How the deployments of all models stand on the node that answers.',
    authScopes: { can: 'models.read' },
    resolve: (_root, _args, ctx) => listDeployments(authorized(ctx)),
  }),
);

builder.mutationField('deploymentProbe', (t) =>
  t.field({
    type: outputOf(PROBE),
    description:
      'Makes one small real request to a deployment and says how it went. It is billed to nobody ' +
      'and changes nothing of its health. For administrators of the platform alone.',
    authScopes: { can: 'profile.read' },
    args: argsOf(t, {
      ...DEPLOYMENT_KEY,
      stream: defaulting(flag('Asks a chat model for a stream and reads it to its end.'), false),
    }),
    resolve: (_root, { key, stream }, ctx) => probe(authorized(ctx), key, stream ?? false),
  }),
);
