import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { BLUEPRINT_ERRORS } from './errors.js';

const BLUEPRINTS = {
  ids: {
    BlueprintRun: { number: 26, read: 'blueprints.read' },
    BlueprintDeployment: { number: 27, read: 'blueprints.read' },
  },
  permissions: {
    'blueprints.read': {
      description: 'Read runs and deployments of blueprints.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'blueprints.run': {
      description: 'Store manifests of blueprints, run them in the sandbox and deploy them.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: BLUEPRINT_ERRORS,
  mutations: {
    one_commit: ['blueprintDeploy', 'blueprintManifestStore'],
    own_books: ['blueprintRun'],
  },
  load: () => [import('./reference.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'delivery/blueprints': typeof BLUEPRINTS;
  }
}

registerModule('delivery/blueprints', BLUEPRINTS);
