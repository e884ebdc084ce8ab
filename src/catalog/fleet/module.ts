import { registerModule } from '../../graph/registration.js';

const CHANGES = [
  'deploymentHealthSet',
  'deploymentLimitsSet',
  'deploymentPriceAdd',
  'deploymentWeightSet',
  'modelSelectionSet',
  'providerDeclare',
  'providerHealthSet',
  'providerWithdraw',
] as const;

registerModule('catalog/fleet', {
  mutations: { one_commit: CHANGES },
  // What they write belongs to no tenant, which sessions of a tenant cannot.
  everyTenant: CHANGES,
  load: () => [import('./schema.js')],
});
