import type { ValuesOf } from '../../kernel/fields/field.js';
import { isRestricted } from '../../kernel/firewall/data-class.rules.js';
import { cacheIdentity } from './cache-identity.js';
import type { CACHE_INPUT, CACHE_PLAN } from './tables.js';
import { CACHE_RULES, type CacheRule, SIMILARITY_MIN } from './vocabulary.js';

type Asked = ValuesOf<typeof CACHE_INPUT.fields>;
/** The facts that close the exact cache; what is unknown is null. */
type ExactFacts = Pick<
  Asked,
  'tenantId' | 'dataClass' | 'writes' | 'personalized' | 'contractEnabled'
>;

/** When each rule closes. What is unknown closes. */
const CLOSED: Readonly<Record<CacheRule, (asked: ExactFacts & Partial<Asked>) => boolean>> = {
  tenant_missing: ({ tenantId }) => tenantId === null,
  data_class_unknown: ({ dataClass }) => dataClass === null,
  data_class_closed: ({ dataClass }) => dataClass !== null && isRestricted(dataClass),
  writes: ({ writes }) => writes !== false,
  personalized: ({ personalized }) => personalized !== false,
  contract_off: ({ contractEnabled }) => !contractEnabled,
  similarity_low: ({ similarity }) => (similarity ?? 0) < SIMILARITY_MIN,
  // The plan is given a hash, which only what is exact has.
  not_exact: () => false,
  // The client of a request says it, and a plan is of none.
  no_store: () => false,
};
const OF_BOTH = CACHE_RULES.rows.filter((row) => row.of === 'both');

/** Every rule that closes the exact cache: the chat path and the plan ask this one list. */
export function closesExact(facts: ExactFacts): CacheRule[] {
  return OF_BOTH.filter(({ code }) => CLOSED[code](facts)).map(({ code }) => code);
}

/** What a cache may do for a request, with every rule that closes one. */
export function planCache(asked: Asked): ValuesOf<typeof CACHE_PLAN.fields> {
  const exactly = closesExact(asked);
  const closedBy = CACHE_RULES.codes.filter((rule) => CLOSED[rule](asked));
  const { tenantId } = asked;
  return {
    identity: tenantId === null ? null : cacheIdentity({ ...asked, tenantId }),
    exact: exactly.length > 0 ? 'REFUSED' : 'ALLOWED',
    semantic: closedBy.length > 0 ? 'REFUSED' : 'ALLOWED',
    closedBy,
  };
}
