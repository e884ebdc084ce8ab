import { type TimeFilter, timeWhere, type ValueFilter, valuesWhere } from '../../graph/filters.js';
import type { KeyType } from '../../graph/permissions.js';
import type { KeyStatus } from './vocabulary.js';

/** What the list of keys may be narrowed by. */
interface KeysFilter {
  readonly status?: KeyStatus | null;
  readonly keyType?: ValueFilter<KeyType> | null;
  readonly projectId?: ValueFilter | null;
  readonly createdBy?: ValueFilter | null;
  readonly createdAt?: TimeFilter | null;
}

const REVOKED_AT = { active: null, revoked: { not: null } } as const;

/** The condition of a list of keys. */
export function keysWhere({ status, keyType, projectId, createdBy, createdAt }: KeysFilter) {
  return {
    revokedAt: status ? REVOKED_AT[status] : undefined,
    keyType: valuesWhere(keyType),
    projectId: valuesWhere(projectId),
    createdBy: valuesWhere(createdBy),
    createdAt: timeWhere(createdAt),
  };
}
