import { grown, type Peak, rootOfPeaks } from '../../kernel/merkle.rules.js';
import type { Window } from '../../kernel/window.rules.js';
import { addSums, NO_SUMS, type Sums } from './tally.rules.js';

/** What is read next: the rows by their times, then hold rows, then the numbers of the lines. */
export type Phase = 'rows' | 'holds' | 'lines' | 'end';

/**
 * How far a period is read and what was found, apart from what is found of single requests. It is
 * kept between two steps, so that a reading goes on where its process was killed.
 */
export interface Reading {
  readonly phase: Phase;
  /** Where the next slice begins. */
  readonly at: Date;
  /** How long the next slice is tried, in milliseconds. */
  readonly spanMs: number;
  /** A request that was held before it and has not ended is dangling. */
  readonly danglingBefore: Date;
  readonly leaves: number;
  readonly peaks: readonly Peak[];
  readonly sums: Sums;
  /** Usage rows that were held against their witness. */
  readonly witnessed: number;
  /** Lines that were held against their leaf in the log. */
  readonly logged: number;
  /** The numbers of the first and last line of the account in the period. */
  readonly versionMin: bigint | null;
  readonly versionMax: bigint | null;
  /** The first number that was not looked at, and the one behind the last. */
  readonly version: bigint;
  readonly versionEnd: bigint;
  /** The last id of a hold row that was looked at. */
  readonly holdId: string | null;
  /** The numbers of lines that are gone, the first ones, and how many in all. */
  readonly missing: readonly string[];
  readonly missingTotal: number;
}

/** A slice is at most a month long; its rows bound it further. */
export const SLICE_MS_MAX = 32 * 86_400_000;

/** A reading that begins. */
export function readingOf({ from }: Window, danglingBefore: Date): Reading {
  return {
    phase: 'rows',
    at: from,
    spanMs: SLICE_MS_MAX,
    danglingBefore,
    leaves: 0,
    peaks: [],
    sums: NO_SUMS,
    witnessed: 0,
    logged: 0,
    versionMin: null,
    versionMax: null,
    version: 0n,
    versionEnd: 0n,
    holdId: null,
    missing: [],
    missingTotal: 0,
  };
}

/** What a slice of rows adds to a reading. */
export interface SliceRead {
  readonly until: Date;
  readonly hashes: Uint8Array;
  readonly leaves: number;
  readonly sums: Sums;
  readonly witnessed: number;
  readonly versionMin: bigint | null;
  readonly versionMax: bigint | null;
}

function least(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

function most(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/** The reading after a slice; behind the last one the hold rows come. */
export function afterSlice(reading: Reading, slice: SliceRead, { to }: Window): Reading {
  return {
    ...reading,
    phase: slice.until >= to ? 'holds' : 'rows',
    at: slice.until,
    spanMs: Math.min(reading.spanMs * 2, SLICE_MS_MAX),
    leaves: reading.leaves + slice.leaves,
    peaks: grown(reading.peaks, slice.hashes),
    sums: addSums(reading.sums, slice.sums),
    witnessed: reading.witnessed + slice.witnessed,
    versionMin: least(reading.versionMin, slice.versionMin),
    versionMax: most(reading.versionMax, slice.versionMax),
  };
}

/** The root over the leaves that were read, in hexadecimal digits. */
export function rootOfReading({ peaks }: Reading): string {
  return Buffer.from(rootOfPeaks(peaks)).toString('hex');
}

/** A reading as JSON. */
export function keptReading(reading: Reading): string {
  const peaks = reading.peaks.map(({ level, hash }) => ({
    level,
    hash: Buffer.from(hash).toString('hex'),
  }));
  return JSON.stringify({ ...reading, peaks }, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** How JSON holds a reading. */
type Kept = { readonly [name in keyof Reading]: unknown } & {
  readonly peaks: readonly { readonly level: number; readonly hash: string }[];
  readonly sums: Readonly<Record<keyof Sums, string>>;
};

/** A reading that was kept. */
export function openedReading(kept: object): Reading {
  const of = kept as Kept;
  const big = (value: unknown) => (value === null ? null : BigInt(value as string));
  const sums = Object.entries(of.sums).map(([name, value]) => [name, BigInt(value)]);
  return {
    ...(of as unknown as Reading),
    at: new Date(of.at as string),
    danglingBefore: new Date(of.danglingBefore as string),
    peaks: of.peaks.map(({ level, hash }) => ({ level, hash: Buffer.from(hash, 'hex') })),
    sums: Object.fromEntries(sums) as unknown as Sums,
    versionMin: big(of.versionMin),
    versionMax: big(of.versionMax),
    version: BigInt(of.version as string),
    versionEnd: BigInt(of.versionEnd as string),
  };
}
