import { USAGE_DIMENSIONS } from '../../catalog/providers/vocabulary.js';
import type { Window } from '../../kernel/window.rules.js';
import type { FocusGranularity } from './vocabulary.js';

/** Which groups to read. */
export interface GroupsQuestion {
  readonly tenantId: string;
  readonly accountId: string;
  readonly span: Window;
  readonly granularity: FocusGranularity;
  /** The place to begin with, itself among what is read. */
  readonly beginning: { readonly period: Date; readonly key: string } | undefined;
  /** What an earlier statement saw; undefined for what is there now. */
  readonly snapshot: string | undefined;
  readonly limit: number;
  /** Whether the span is one charge period: its groups may be kept for the next page. */
  readonly isOnePeriod: boolean;
}

/** The parts of usage that a group sums. */
export const METERS = USAGE_DIMENSIONS.codes;

/** What tells requests apart in the export, as the rows of usage spell it. */
export const DIMENSIONS = [
  ['projectId', 'u.project_id'],
  ['keyId', 'u.key_id'],
  ['userId', 'u.user_id'],
  ['operation', 'u.operation'],
  ['model', 'u.model'],
  ['provider', 'u.provider'],
  ['route', 'u.route'],
  ['simulated', 'u.simulated'],
  ['cachedAnswer', "coalesce(u.metadata ->> 'gw_cache' = 'hit', false)"],
  ['feature', 'u.feature'],
  ['environment', 'u.environment'],
  ['clientId', 'u.client_id'],
  ['prices', 'u.prices'],
] as const;

const SHOWN = DIMENSIONS.map(([name, column]) => `${column} AS "${name}"`).join(', ');

/** Groups of a page with what their requests have in common. */
export function shownSql(page: string, snapshot: string): string {
  return `SELECT ${page}.*, ${SHOWN}, project.name AS "projectName", ${snapshot} AS snapshot
  FROM ${page}
  LEFT JOIN usage_event u ON u.tenant_id = $1 AND u.seq = ${page}.sample
  LEFT JOIN project ON project.tenant_id = $1 AND project.id = u.project_id
  ORDER BY period, key`;
}
