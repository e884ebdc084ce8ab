import { registerModule } from '../../graph/registration.js';
import { PUBLISHER_ERRORS } from './errors.js';

/** What operators do to claims of other organizations. */
const OF_OPERATORS = ['publisherIdentityDecide', 'publisherIdentityRevoke'] as const;

const PUBLISHERS = {
  ids: { PublisherIdentity: { number: 161, read: 'certification.read' } },
  errors: PUBLISHER_ERRORS,
  mutations: {
    one_commit: ['publisherIdentityClaim', 'publisherIdentityWithdraw', ...OF_OPERATORS],
    own_books: ['publisherIdentityVerify'],
  },
  everyTenant: OF_OPERATORS,
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'assurance/publishers': typeof PUBLISHERS;
  }
}

registerModule('assurance/publishers', PUBLISHERS);
