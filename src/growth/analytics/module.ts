import { registerModule } from '../../graph/registration.js';
import { ANALYTICS_ERRORS } from './errors.js';

const ANALYTICS = {
  errors: ANALYTICS_ERRORS,
  mutations: { one_commit: ['analyticsBeaconSend'] },
  // What it writes belongs to no tenant, which sessions of a tenant cannot.
  everyTenant: ['analyticsBeaconSend'],
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'growth/analytics': typeof ANALYTICS;
  }
}

registerModule('growth/analytics', ANALYTICS);
