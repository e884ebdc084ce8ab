import type { Operation } from './manifest.js';
import type { OperationCode } from './operators.js';

const LINES_MAX = 500;
const MATCHES_MAX = 100;

/** What is bound to the step, by name, is there for operations of two values. */
type Bound = Readonly<Record<string, unknown>>;

type Compute = (value: unknown, operation: Operation, bound: Bound) => unknown;

const OPERATIONS: Readonly<Record<OperationCode, Compute>> = {
  count: countOf,
  lines: (value) => linesOf(textOf(value)).slice(0, LINES_MAX),
  sum_product: (value, { field, by }) =>
    inUnits(hundredthsOf(value, (item) => numberAt(item, field) * numberAt(item, by))),
  least_by: (value, { field }) => leastBy(listOf(value), field),
  percent: (value, { by = '' }, bound) => percentOf(distinct(value), distinct(bound[by])),
  union: (value, { by = '' }, bound) => [...elementsOf(value), ...elementsOf(bound[by])],
  lookup: (value, { field = '', by = '' }, bound) => lookedUp(value, field, listOf(bound[by])),
  spread_percent: (value, { field }) => spreadPercent(listOf(value), field),
  join: (value) => listOf(value).map(lineOf).join('\n'),
  amounts: (value) => amountsIn(textOf(value)),
  dates: (value) => datesIn(textOf(value)),
};

/** The values that a transform computes, by name. Pure; what is not there counts as empty. */
export function transformed(
  set: Readonly<Record<string, Operation>>,
  values: Bound,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).map(([name, operation]) => [
      name,
      OPERATIONS[operation.operation](values[operation.of], operation, values),
    ]),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function countOf(value: unknown): number {
  if (typeof value === 'string') return linesOf(value).length;
  if (Array.isArray(value) || typeof value !== 'object' || value === null) {
    return listOf(value).length;
  }
  return Object.values(value).filter((each) => each !== null && each !== '').length;
}

function percentOf(part: readonly unknown[], whole: readonly unknown[]): number | null {
  return whole.length === 0 ? null : Math.round((part.length * 100) / whole.length);
}

/** The texts and objects of a list that differ from one another. */
function distinct(value: unknown): unknown[] {
  const keys = listOf(value).map((each) =>
    typeof each === 'string' ? each.trim() : JSON.stringify(each),
  );
  return [...new Set(keys)];
}

function elementsOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' ? [value] : listOf(value);
}

type Members = Readonly<Record<string, unknown>>;

/** Where no element has the id, the field becomes null. */
function lookedUp(value: unknown, field: string, known: readonly unknown[]): unknown[] {
  const byId = new Map(known.map((each) => [(each as Members | null)?.id, each]));
  return listOf(value).map((item) => {
    const members = item as Members | null;
    return { ...members, [field]: byId.get(members?.[field]) ?? null };
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function numberAt(item: unknown, field = ''): number {
  const value = (item as Readonly<Record<string, unknown>> | null)?.[field];
  return typeof value === 'number' ? value : 0;
}

/** Each item is rounded to a hundredth by itself, as the lines of an invoice are. */
function hundredthsOf(value: unknown, amount: (item: unknown) => number): number {
  return listOf(value).reduce<number>((sum, item) => sum + Math.round(amount(item) * 100), 0);
}

function inUnits(hundredths: number): number {
  return hundredths / 100;
}

function leastBy(items: readonly unknown[], field: string | undefined): unknown {
  return items.reduce<unknown>(
    (least, item) =>
      least === null || numberAt(item, field) < numberAt(least, field) ? item : least,
    null,
  );
}

/** (greatest − least) / greatest in percent, to a tenth; null where nothing can be compared. */
function spreadPercent(items: readonly unknown[], field: string | undefined): number | null {
  const numbers = items.map((item) => numberAt(item, field));
  const greatest = Math.max(...numbers);
  if (numbers.length < 2 || greatest <= 0) return null;
  return Math.round(((greatest - Math.min(...numbers)) / greatest) * 1_000) / 10;
}

function lineOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (typeof item !== 'object' || item === null) return String(item);
  return Object.values(item).join(': ');
}

/** `12 500 000,00 руб.`, `2 500 ₽`, `350.50 рублей`; spaces may be unbreakable. */
const AMOUNT =
  /(\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,4}|\d{1,13})(?:[.,](\d{1,2}))?[ \u00a0\u202f]*(?:₽|руб)/gu;

function amountsIn(text: string): number[] {
  return [...text.matchAll(AMOUNT)].slice(0, MATCHES_MAX).map(([, whole = '', fraction = '']) => {
    const digits = whole.replaceAll(/\D/g, '') + fraction.padEnd(2, '0');
    return Number(digits) / 100;
  });
}

function datesIn(text: string): string[] {
  const days = [...text.matchAll(/\b(\d\d)\.(\d\d)\.(\d{4})\b/g)].map(
    ([, day, month, year]) => `${year}-${month}-${day}`,
  );
  return [...new Set(days.filter(isDay))].slice(0, MATCHES_MAX);
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}
