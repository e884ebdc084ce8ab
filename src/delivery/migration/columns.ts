import type { Prisma, ProviderMigration } from '../../generated/prisma/client.js';
import type { Fields, ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import {
  CUTOVER_FIELDS,
  type Cutover,
  ROLLBACK_PLAN,
  type RollbackPlan,
  SCAN_FIELDS,
  type Scan,
} from './tables.js';

/** What a migration keeps as JSON, by the tables that spell receipts too. */

/** Values as a column takes them. */
export function stored<F extends Fields>(fields: F, values: ValuesOf<F>): Prisma.InputJsonObject {
  return sealedContent(fields, values) as Prisma.InputJsonObject;
}

/** The last scan, or undefined. */
export function scanOf({ scan }: Pick<ProviderMigration, 'scan'>): Scan | undefined {
  return scan === null ? undefined : openedContent(SCAN_FIELDS, scan as SealedContent);
}

/** Cutovers that were asked for before acknowledgements and aliases were kept have none. */
const NOT_KEPT_BEFORE = { acknowledgements: [], open_conditions: [], aliases: [] };

/** The last request to cut over, or undefined. */
export function cutoverOf({ cutover }: Pick<ProviderMigration, 'cutover'>): Cutover | undefined {
  if (cutover === null) return undefined;
  const content = { ...NOT_KEPT_BEFORE, ...(cutover as SealedContent) };
  return openedContent(CUTOVER_FIELDS, content);
}

/** The way back. */
export function planOf({ rollbackPlan: plan }: Pick<ProviderMigration, 'rollbackPlan'>) {
  return openedContent(ROLLBACK_PLAN.fields, plan as SealedContent) satisfies RollbackPlan;
}
