import type { Pool } from 'pg';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { ContractMemory, type InForce } from '../../records/contract-memory.js';
import { ALIAS_FIELDS, MODEL_ALIASES } from './records.js';

/** The last versions of an organization's aliases by name, removed ones among them. */
export type AliasesInForce = ReadonlyMap<string, InForce<ValuesOf<typeof ALIAS_FIELDS>>>;

/** The model aliases of organizations, in memory. */
export function createAliasCache(pool: Pool): ContractMemory<typeof ALIAS_FIELDS> {
  return new ContractMemory(pool, MODEL_ALIASES.kind, ALIAS_FIELDS);
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly modelAliases: ContractMemory<typeof ALIAS_FIELDS>;
  }
}
