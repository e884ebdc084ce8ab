import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { Tenant } from '../auth/schema.js';
import { setFourEyes } from './service.js';

builder.mutationField('organizationFourEyesSet', (t) =>
  t.field({
    type: Tenant,
    description:
      'Says whether nobody may ever approve their own request, not even where no other member ' +
      'could. A key counts as the member who created or last rotated it. Requests that wait keep ' +
      'the stricter of both settings.',
    authScopes: { can: 'organization.write' },
    args: {
      always: t.arg.boolean({ required: true, description: 'True requires a second person.' }),
    },
    resolve: (_root, { always }, ctx) => setFourEyes(authorized(ctx), always),
  }),
);
