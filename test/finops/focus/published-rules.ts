import { readFileSync } from 'node:fs';
import type { FocusCharge } from '../../../src/finops/focus/tables.js';
import { formatRub } from '../../../src/kernel/money.js';

/** A row of the export as it is on the wire: by the column ids of FOCUS. */
export type WireRow = Readonly<Record<string, string | number | boolean | null>>;

/** A column as the specification describes it. */
interface PublishedColumn {
  readonly id: string;
  readonly file: string;
  readonly level: 'Mandatory' | 'Conditional' | 'Recommended';
  readonly type: 'String' | 'Decimal' | 'Date/Time' | 'JSON';
  readonly null: boolean;
  readonly format?: 'Numeric' | 'Currency' | 'DateTime' | 'Unit' | 'KeyValue';
  readonly min?: number;
  readonly allowed?: readonly string[];
  /** Allowed values with their parents. */
  readonly pairs?: readonly (readonly string[])[];
}

/** A rule among columns; it holds for rows that have one of the values that `when` lists. */
interface PublishedRule {
  readonly file: string;
  readonly text: string;
  readonly when?: Readonly<Record<string, readonly (string | null)[]>>;
  readonly null?: readonly string[];
  readonly filled?: readonly string[];
  readonly zero?: readonly string[];
  readonly together?: readonly string[];
  readonly equal?: readonly string[];
  readonly different?: readonly string[];
  readonly before?: readonly string[];
  readonly product?: readonly string[];
  readonly determines?: readonly string[];
  readonly among?: Readonly<Record<string, readonly string[]>>;
}

interface Published {
  readonly columns: readonly PublishedColumn[];
  /** Columns that the export leaves out, and why the specification does not ask for them. */
  readonly absent: Readonly<Record<string, string>>;
  readonly rules: readonly PublishedRule[];
}

/** What FOCUS 1.2 publishes of its columns. */
export const PUBLISHED: Published = JSON.parse(
  readFileSync(new URL('./focus-1.2.json', import.meta.url), 'utf8'),
);

const FORMATS: Readonly<Record<string, RegExp>> = {
  Currency: /^[A-Z]{3}$/,
  DateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  Unit: /^(\d+ )?[A-Z][A-Za-z]*s$/,
};

/** What is wrong with a value by the column alone. */
function columnFaults(column: PublishedColumn, value: WireRow[string] | undefined): string[] {
  if (value === undefined) return ['absent'];
  if (value === null) return column.null ? [] : ['null'];
  const faults: string[] = [];
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (isNumber !== (column.type === 'Decimal')) faults.push(`no ${column.type}: ${value}`);
  if (typeof value === 'string' && value.trim() === '') faults.push('empty');
  if (column.min !== undefined && Number(value) < column.min) faults.push(`under ${column.min}`);
  if (column.allowed && !column.allowed.includes(String(value))) faults.push(`unlisted: ${value}`);
  if (column.pairs && !column.pairs.some(([, each]) => each === value)) {
    faults.push(`unlisted: ${value}`);
  }
  const format = FORMATS[column.format ?? ''];
  if (format && !format.test(String(value))) faults.push(`no ${column.format}: ${value}`);
  if (column.format === 'KeyValue' && !isKeyValue(String(value))) faults.push('no flat object');
  return faults;
}

function isKeyValue(text: string): boolean {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => each === null || typeof each !== 'object');
}

/** Costs are written to the micro-ruble, so a product matches to half of one. */
const HALF_A_MICRO_RUBLE = 0.500_001e-6;

/** The rows that break a rule; `determines` is judged over all of them. */
function rowsAgainst(rule: PublishedRule, rows: readonly WireRow[]): WireRow[] {
  const seen = new Map<unknown, unknown>();
  return rows.filter((row) => {
    const conditions = Object.entries(rule.when ?? {});
    if (!conditions.every(([id, values]) => values.includes(row[id] as string | null)))
      return false;
    return !holds(rule, row, seen);
  });
}

function holds(rule: PublishedRule, row: WireRow, seen: Map<unknown, unknown>): boolean {
  const values = (ids: readonly string[]) => ids.map((id) => row[id]);
  if (rule.null) return values(rule.null).every((value) => value === null);
  if (rule.filled) return values(rule.filled).every((value) => value !== null);
  if (rule.zero) return values(rule.zero).every((value) => value === 0);
  if (rule.together) return new Set(values(rule.together).map((each) => each === null)).size === 1;
  if (rule.equal) return new Set(values(rule.equal)).size === 1;
  if (rule.different) {
    const [first, second] = values(rule.different);
    return first === null || first !== second;
  }
  if (rule.before) return values(rule.before).join() < values(rule.before).reverse().join();
  if (rule.product) return isProduct(values(rule.product), row.ChargeClass);
  if (rule.among) {
    return Object.entries(rule.among).every(([id, among]) => among.includes(String(row[id])));
  }
  const [from, to] = values(rule.determines ?? []);
  if (from === null || from === undefined) return true;
  const known = seen.get(from) ?? to;
  seen.set(from, known);
  return known === to;
}

function isProduct(
  values: readonly (WireRow[string] | undefined)[],
  chargeClass?: WireRow[string],
): boolean {
  const [price = null, quantity = null, cost = null] = values;
  if (price === null || quantity === null || chargeClass !== null) return true;
  const product = Number(price) * Number(quantity);
  return Math.abs(product - Number(cost)) <= HALF_A_MICRO_RUBLE + Math.abs(product) * 1e-12;
}

/** Every column and rule that rows break, each with what was found. */
export function violations(rows: readonly WireRow[]): string[] {
  const present = PUBLISHED.columns.filter(({ id }) => !(id in PUBLISHED.absent));
  const ofColumns = present.flatMap((column) =>
    rows.flatMap((row) =>
      columnFaults(column, row[column.id]).map((each) => `${column.id} ${each}`),
    ),
  );
  const ofPairs = rows
    .filter((row) => !isPair(row))
    .map((row) => `${row.ServiceSubcategory} is no part of ${row.ServiceCategory}`);
  const ofRules = PUBLISHED.rules.flatMap((rule) =>
    rowsAgainst(rule, rows).map((row) => `${rule.text}: ${JSON.stringify(row)}`),
  );
  return [...ofColumns, ...ofPairs, ...ofRules];
}

function isPair({ ServiceCategory: category, ServiceSubcategory: subcategory }: WireRow): boolean {
  const { pairs } = PUBLISHED.columns.find(({ id }) => id === 'ServiceSubcategory') ?? {};
  return pairs?.some(([parent, child]) => parent === category && child === subcategory) ?? false;
}

/** A row of the rules as the wire shows it. */
export function wireRow(charge: FocusCharge): WireRow {
  const entries = Object.entries(charge).map(([name, value]) => {
    const id = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    if (!id.includes('Micro')) return [id, typeof value === 'bigint' ? Number(value) : value];
    return [id.replace('Micro', ''), value === null ? null : Number(formatRub(value as bigint))];
  });
  return Object.fromEntries(entries);
}
