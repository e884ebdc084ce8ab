import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { allocate, type MicroRub } from '../../kernel/money.js';
import type { PoolShare } from './tables.js';

/** Who shares a pool: the consumer, and its units of the driver. */
export interface Consumer {
  /** Null for traffic that names no consumer. */
  readonly consumer: string | null;
  readonly units: bigint;
}

/** A consumer stands once in a pool. */
export function consumerFaults(consumers: readonly Consumer[]): Fault[] {
  const first = new Map<string | null, number>();
  return consumers.flatMap(({ consumer }, at) => {
    const before = first.get(consumer);
    if (before === undefined) first.set(consumer, at);
    return before === undefined
      ? []
      : [fault(`input.consumers.${at}.consumer`, 'invalid', 'stands in the list already')];
  });
}

/** Whether there is anything to split a pool by. */
export function hasUnits(consumers: readonly Consumer[]): boolean {
  return consumers.some(({ units }) => units > 0n);
}

/** Splits a pool by units, to the micro-ruble: floors first, then the largest remainders. */
export function sharesOf(poolMicro: MicroRub, consumers: readonly Consumer[]): PoolShare[] {
  const parts = allocate(
    poolMicro,
    consumers.map(({ units }) => units),
  );
  return consumers.map(({ consumer, units }, at) => ({
    consumer,
    units,
    shareMicro: parts[at] ?? 0n,
  }));
}
