import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const PROCUREMENT = {
  ids: { ProcurementPack: { number: 100, read: 'procurement.read' } },
  permissions: {
    'procurement.read': {
      description: 'Read procurement packs, their documents and their readiness.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'procurement.write': {
      description: 'Assemble procurement packs, answer questionnaires and track documents.',
      roles: ['owner', 'admin', 'security', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  mutations: {
    one_commit: [
      'procurementEdoTrack',
      'procurementPackAssemble',
      'procurementPackStatusSet',
      'procurementQuestionnaireFill',
    ],
  },
  load: () => [import('./reference.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'assurance/procurement': typeof PROCUREMENT;
  }
}

registerModule('assurance/procurement', PROCUREMENT);
