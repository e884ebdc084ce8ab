import { registerModule } from '../../graph/registration.js';
import { MARKETPLACE_ERRORS } from './errors.js';

/** What finds listings and reports of other organizations. */
const OF_ALL = [
  'marketplaceListingMeasure',
  'marketplaceListingReport',
  'marketplaceReportResolve',
] as const;

const MARKETPLACE = {
  ids: { ListingReport: { number: 162, read: 'certification.read' } },
  errors: MARKETPLACE_ERRORS,
  mutations: { one_commit: OF_ALL },
  everyTenant: OF_ALL,
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'assurance/marketplace': typeof MARKETPLACE;
  }
}

registerModule('assurance/marketplace', MARKETPLACE);
