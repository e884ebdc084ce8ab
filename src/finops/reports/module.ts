import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { REPORT_ERRORS } from './errors.js';

const REPORTS = {
  permissions: {
    'reports.read': {
      description: 'Read reports over usage: cost, service levels, drift and what could be cached.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
  },
  errors: REPORT_ERRORS,
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'finops/reports': typeof REPORTS;
  }
}

registerModule('finops/reports', REPORTS);
