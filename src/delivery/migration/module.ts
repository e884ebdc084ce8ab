import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { MIGRATION_ERRORS } from './errors.js';

const MIGRATION = {
  ids: {
    ProviderMigration: { number: 28, read: 'migration.read' },
    MigrationCheckRun: { number: 29, read: 'migration.read' },
  },
  permissions: {
    'migration.read': {
      description: 'Read migrations from other providers and their checks.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'migration.write': {
      description: 'Create migrations, scan, compare, cut over and roll back.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: MIGRATION_ERRORS,
  mutations: {
    one_commit: [
      'providerMigrationCreate',
      'providerMigrationCutOver',
      'providerMigrationRollback',
      'providerMigrationScan',
    ],
    own_books: ['providerMigrationCompare'],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'delivery/migration': typeof MIGRATION;
  }
}

registerModule('delivery/migration', MIGRATION);
