import type { ValuesOf } from '../../kernel/fields/field.js';
import { cacheIdentity } from './cache-identity.js';
import type { CACHE_INPUT, CACHE_PLAN } from './tables.js';
import { CACHE_RULES, type CacheRule, SIMILARITY_MIN } from './vocabulary.js';

type Asked = ValuesOf<typeof CACHE_INPUT.fields>;

/** When each rule closes the caches that it is of. What is unknown closes. */
const CLOSED: Readonly<Record<CacheRule, (asked: Asked) => boolean>> = {
  tenant_missing: ({ tenantId }) => tenantId === null,
  data_class_unknown: ({ dataClass }) => dataClass === null,
  data_class_closed: ({ dataClass }) => dataClass === 'C3' || dataClass === 'C4',
  writes: ({ writes }) => writes !== false,
  personalized: ({ personalized }) => personalized !== false,
  contract_off: ({ contractEnabled }) => !contractEnabled,
  similarity_low: ({ similarity }) => similarity === null || similarity < SIMILARITY_MIN,
};

/** What a cache may do for a request, with every rule that closes one. */
export function planCache(asked: Asked): ValuesOf<typeof CACHE_PLAN.fields> {
  const closing = CACHE_RULES.rows.filter(({ code }) => CLOSED[code](asked));
  const { tenantId } = asked;
  return {
    identity: tenantId === null ? null : cacheIdentity({ ...asked, tenantId }),
    exact: closing.some(({ of }) => of === 'both') ? 'REFUSED' : 'ALLOWED',
    semantic: closing.length > 0 ? 'REFUSED' : 'ALLOWED',
    closedBy: closing.map(({ code }) => code),
  };
}
