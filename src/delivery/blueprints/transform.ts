import type { Operation } from './manifest.js';
import type { OperationCode } from './vocabulary.js';

const LINES_MAX = 500;
const MATCHES_MAX = 100;

type Compute = (value: unknown, operation: Operation) => unknown;

const OPERATIONS: Readonly<Record<OperationCode, Compute>> = {
  count: (value) => (typeof value === 'string' ? linesOf(value) : listOf(value)).length,
  lines: (value) => linesOf(textOf(value)).slice(0, LINES_MAX),
  sum_product: (value, { field, by }) =>
    inUnits(hundredthsOf(value, (item) => numberAt(item, field) * numberAt(item, by))),
  least_by: (value, { field }) => leastBy(listOf(value), field),
  spread_percent: (value, { field }) => spreadPercent(listOf(value), field),
  join: (value) => listOf(value).map(lineOf).join('\n'),
  amounts: (value) => amountsIn(textOf(value)),
  dates: (value) => datesIn(textOf(value)),
};

/** The values that a transform computes, by name. Pure; what is not there counts as empty. */
export function transformed(
  set: Readonly<Record<string, Operation>>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).map(([name, operation]) => [
      name,
      OPERATIONS[operation.operation](values[operation.of], operation),
    ]),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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
