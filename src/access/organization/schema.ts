import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { Tenant } from '../auth/schema.js';
import {
  setFourEyes,
  setLimitsByMembers,
  setSecondFactorRequired,
  setWorkspaceRequired,
} from './service.js';

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

builder.mutationField('organizationSecondFactorSet', (t) =>
  t.field({
    type: Tenant,
    description:
      'Says whether members need a second factor. While they do, a member without one can log ' +
      'in, enrol one and do nothing else. API keys are not concerned.',
    authScopes: { can: 'organization.write' },
    args: {
      required: t.arg.boolean({ required: true, description: 'True requires a second factor.' }),
    },
    resolve: (_root, { required }, ctx) => setSecondFactorRequired(authorized(ctx), required),
  }),
);

builder.mutationField('organizationLimitsByMembersSet', (t) =>
  t.field({
    type: Tenant,
    description:
      'Says whether members alone change limits of keys, budgets, policies and workspaces. ' +
      'A key that asks for such a change, or lifts a throttle, is refused whatever its rights.',
    authScopes: { can: 'organization.write' },
    args: {
      always: t.arg.boolean({ required: true, description: 'True keeps limits from keys.' }),
    },
    resolve: (_root, { always }, ctx) => setLimitsByMembers(authorized(ctx), always),
  }),
);

builder.mutationField('organizationWorkspaceRequiredSet', (t) =>
  t.field({
    type: Tenant,
    description:
      'Says whether every request to a model needs a workspace. If so, a request without one is ' +
      'refused before anything is held, unless its key, member or project belongs to one. ' +
      '`workspaceBoundaryEffect` shows beforehand which requests would have been refused.',
    authScopes: { can: 'organization.write' },
    args: {
      required: t.arg.boolean({ required: true, description: 'True refuses such requests.' }),
    },
    resolve: (_root, { required }, ctx) => setWorkspaceRequired(authorized(ctx), required),
  }),
);
