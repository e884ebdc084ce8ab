import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import {
  DateTimeFilter,
  enumFilter,
  IdFilter,
  RubFilter,
  StringFilter,
} from '../../graph/filters.js';
import { LEDGER_TYPES, USAGE_STATUSES } from './vocabulary.js';

/** The kinds of ledger entries. */
export const LedgerTypeEnum = builder.enumType('LedgerEntryType', {
  description: 'What kind of money operation a ledger entry is.',
  values: enumValues(LEDGER_TYPES),
});

/** The ends of requests. */
export const UsageStatusEnum = builder.enumType('UsageStatus', {
  description: 'How a request ended.',
  values: enumValues(USAGE_STATUSES),
});

const LedgerTypeFilter = enumFilter(LedgerTypeEnum);
const UsageStatusFilter = enumFilter(UsageStatusEnum);

/** What the ledger may be narrowed by. */
export const LedgerFilterInput = builder.inputType('LedgerFilter', {
  description: 'Which entries of the ledger to list: those that meet all conditions.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeFilter, description: 'When the entry was written.' }),
    type: t.field({ type: LedgerTypeFilter, description: 'The kind of operation.' }),
    amountRub: t.field({ type: RubFilter, description: 'The amount, VAT included.' }),
    requestId: t.field({ type: IdFilter, description: 'The request that the entry belongs to.' }),
    keyId: t.field({ type: IdFilter, description: 'The key that the request was made with.' }),
    model: t.field({ type: StringFilter, description: 'The model that answered the request.' }),
    feature: t.field({ type: StringFilter, description: '`metadata.feature` of the request.' }),
    clientId: t.field({ type: StringFilter, description: '`metadata.client_id` of the request.' }),
  }),
});

/** What usage may be narrowed by. */
export const UsageFilterInput = builder.inputType('UsageFilter', {
  description: 'Which requests to list: those that meet all conditions.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeFilter, description: 'When the request was settled.' }),
    status: t.field({ type: UsageStatusFilter, description: 'How the request ended.' }),
    amountRub: t.field({ type: RubFilter, description: 'What was charged, VAT included.' }),
    requestId: t.field({ type: IdFilter, description: 'The request itself.' }),
    keyId: t.field({ type: IdFilter, description: 'The key that the request was made with.' }),
    model: t.field({ type: StringFilter, description: 'The model that answered the request.' }),
    feature: t.field({ type: StringFilter, description: '`metadata.feature` of the request.' }),
    clientId: t.field({ type: StringFilter, description: '`metadata.client_id` of the request.' }),
  }),
});
