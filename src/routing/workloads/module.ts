import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const WORKLOADS = {
  permissions: {
    'workloads.read': {
      description: 'Read contracts of workloads, receipts of transforms and plans for documents.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'workloads.write': {
      description: 'Publish contracts of workloads and seal transforms.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['contextTransformSeal', 'workloadContractPublish'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'routing/workloads': typeof WORKLOADS;
  }
}

registerModule('routing/workloads', WORKLOADS);
