import type { Pool } from 'pg';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { ContractMemory, type InForce } from '../../records/contract-memory.js';
import { CONTRACT_FIELDS, WORKLOAD_CONTRACTS } from './records.js';

/** What a workload contract says. */
export type WorkloadTerms = ValuesOf<typeof CONTRACT_FIELDS>;

/** A workload contract in force. */
export type WorkloadInForce = InForce<WorkloadTerms>;

/** The workload contracts of tenants, in memory. */
export function createWorkloadCache(pool: Pool): ContractMemory<typeof CONTRACT_FIELDS> {
  return new ContractMemory(pool, WORKLOAD_CONTRACTS.kind, CONTRACT_FIELDS);
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly workloads: ContractMemory<typeof CONTRACT_FIELDS>;
  }
}
