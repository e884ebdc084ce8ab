import { createHash, randomFillSync } from 'node:crypto';
import { sharedNowMs } from './clock.js';
import type { NamesIn } from './module-rows.js';

/** A kind of thing that has ids. */
export type IdKind = NamesIn<'ids'>;

const numbers: Record<string, number> = {};
const KIND_BY_NUMBER = new Map<number, IdKind>();
const NUMBER_MAX = 0xfff;

/**
 * Every id is a uuid of version 7 whose twelve `rand_a` bits hold the kind of thing it names, so
 * `node(id)` knows where to look without a table. RFC 9562 leaves those bits to the implementation.
 * Each module registers the numbers of its kinds; they are never reused or changed.
 */
export const ID_KINDS = numbers as Readonly<Record<IdKind, number>>;

/**
 * Adds a kind of thing that has ids.
 * @throws TypeError for a kind or a number that is taken, or a number beyond twelve bits
 */
export function addIdKind(kind: string, number: number): void {
  const taken = KIND_BY_NUMBER.get(number);
  if (taken) throw new TypeError(`the id number ${number} of ${kind} belongs to ${taken}`);
  if (Object.hasOwn(numbers, kind)) throw new TypeError(`the id kind ${kind} is registered twice`);
  if (!Number.isInteger(number) || number < 1 || number > NUMBER_MAX) {
    throw new TypeError(`the id number ${number} of ${kind} is not within 1 to ${NUMBER_MAX}`);
  }
  numbers[kind] = number;
  KIND_BY_NUMBER.set(number, kind as IdKind);
}

// Every request has one, whatever module it asks.
addIdKind('Request', 9);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for any well-formed uuid, of whatever version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const pool = Buffer.allocUnsafe(4096);
let poolUsed = pool.length;
let lastMs = 0;
let sequence = 0;

/** A new id of a kind: ordered by time, and within a millisecond of this process by creation. */
export function newId(kind: IdKind, nowMs: number = sharedNowMs()): string {
  if (poolUsed + 6 > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const ms = Math.max(nowMs, lastMs);
  sequence = ms === lastMs ? sequence + 1 : 0;
  lastMs = ms;
  if (sequence > 0x3fff) {
    lastMs += 1;
    sequence = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const tail = pool.toString('hex', poolUsed, poolUsed + 6);
  poolUsed += 6;
  const kindHex = ID_KINDS[kind].toString(16).padStart(3, '0');
  const order = (0x8000 | sequence).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kindHex}-${order}-${tail}`;
}

/**
 * The id of a kind that follows from another id and a label: the same ones give the same id, on
 * every node and in every attempt. It sorts where the other id does.
 */
export function derivedId(kind: IdKind, from: string, label: string): string {
  const hash = createHash('sha256').update(`${from}\n${kind}\n${label}`).digest();
  const kindHex = ID_KINDS[kind].toString(16).padStart(3, '0');
  const order = (0x8000 | (hash.readUInt16BE(0) & 0x3fff)).toString(16);
  return `${from.slice(0, 13)}-7${kindHex}-${order}-${hash.toString('hex', 2, 8)}`;
}

/** The kind that an id names, or undefined for ids that were not made here. */
export function kindOfId(id: string): IdKind | undefined {
  if (!isUuid(id) || id[14] !== '7') return undefined;
  return KIND_BY_NUMBER.get(Number.parseInt(id.slice(15, 18), 16));
}

/** When an id was made; undefined for ids that were not made here. */
export function timeOfId(id: string): Date | undefined {
  if (kindOfId(id) === undefined) return undefined;
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
