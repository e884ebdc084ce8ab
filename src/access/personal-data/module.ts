import { registerModule } from '../../graph/registration.js';

const PERSONAL_DATA = {
  ids: {
    DataKey: { number: 145 },
  },
  permissions: {
    'personal_data.erase': {
      description: 'Erase the personal data of the organization, and read the receipts of it.',
      roles: ['owner'],
      keys: [],
    },
  },
  mutations: { one_commit: ['organizationPersonalDataErase'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/personal-data': typeof PERSONAL_DATA;
  }
}

registerModule('access/personal-data', PERSONAL_DATA);
