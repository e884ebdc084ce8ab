import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { CERTIFICATION_ERRORS } from './errors.js';

const CERTIFICATION = {
  ids: {
    MarketplaceListing: { number: 80, read: 'certification.read' },
    Certification: { number: 81, read: 'certification.read' },
  },
  permissions: {
    'certification.read': {
      description: 'Read own listings, badges, reviews and their receipts.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'certification.write': {
      description: 'Create, publish and withdraw listings, and start reviews of badges.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
    'certification.review': {
      description: 'Decide reviews of badges, and revoke badges.',
      roles: ['owner', 'admin', 'security'],
      keys: [],
    },
  },
  errors: CERTIFICATION_ERRORS,
  mutations: {
    one_commit: [
      'certificationReviewStart',
      'certificationReviewDecide',
      'certificationRevoke',
      'marketplaceListingCreate',
      'marketplaceListingPublish',
      'marketplaceListingWithdraw',
    ],
  },
  load: () => [import('./schema.js'), import('./public-schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'assurance/certification': typeof CERTIFICATION;
  }
}

registerModule('assurance/certification', CERTIFICATION);
