import { contractKind } from '../../records/contract-kinds.js';
import { TERMS_FIELDS } from './tables.js';

/** The terms of each client: versions only grow. */
export const PARTNER_TERMS = contractKind({
  kind: 'partner_terms',
  type: 'PartnerTerms',
  description: 'A version of the terms that a partner bills a client by.',
  body: TERMS_FIELDS,
  key: 'clientId',
  list: { field: 'partnerTerms', permission: 'partner.read', by: ['clientId'] },
});
