import { getNamedType, isEnumType } from 'graphql';
import { sharedNowMs } from '../src/kernel/clock.js';
import { GatewayError } from '../src/kernel/errors/fail.js';
import { isoTime, moscowDay } from '../src/kernel/time.js';
import type { CompiledRow } from './row.js';

/** A request that works, split into what goes where. */
export interface ExampleRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Undefined for methods without a body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Stands for an id in the path of an example; a server that runs the example puts a real one. */
const EXAMPLE_ID = '01977c2a-5b1e-7010-8000-3f2b9c4d5e6f';

/** The example request of a row; what it does not name is left out, path parameters are made up. */
export function exampleRequest(row: CompiledRow): ExampleRequest {
  const example = dated(row.contract.example, sharedNowMs());
  const given = isFields(example) ? example : {};
  const path: Record<string, string> = {};
  const query: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const name of row.pathParameters) path[name] = String(given[name] ?? madeUp(row, name));
  const inBody = row.contract.method !== 'GET' && row.contract.method !== 'DELETE';
  const whole = row.contract.body;
  const named = new Set(row.variables.map((variable) => variable.name));
  for (const [name, value] of Object.entries(given)) {
    if (name in path) continue;
    const besideBody = whole !== undefined && name !== whole && named.has(name);
    if (inBody && !besideBody) body[name] = value;
    else query[name] = Array.isArray(value) ? value.join(',') : String(value);
  }
  return { path, query, body: inBody ? body : undefined };
}

const DATE = /^\{(today|month|midnight)([+-]\d+)?\}$/;
const DAY_MS = 86_400_000;

/**
 * An example whose dates are those of now: `{today-30}` is a day in Moscow, `{month-1}` a month,
 * `{midnight-1}` the begin of a day in UTC, so many days or months off. So an example works however
 * old its file is.
 */
export function dated(example: unknown, nowMs: number): unknown {
  if (typeof example === 'string') {
    const found = DATE.exec(example);
    return found ? dateOf(found[1] ?? '', Number(found[2] ?? 0), nowMs) : example;
  }
  if (Array.isArray(example)) return example.map((each) => dated(each, nowMs));
  if (!isFields(example)) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, dated(value, nowMs)]),
  );
}

function dateOf(unit: string, off: number, nowMs: number): string {
  if (unit === 'midnight') return isoTime(new Date(nowMs - (nowMs % DAY_MS) + off * DAY_MS));
  if (unit === 'today') return moscowDay(nowMs + off * DAY_MS);
  const [year = 0, month = 1] = moscowDay(nowMs).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + off, 1)).toISOString().slice(0, 7);
}

function madeUp(row: CompiledRow, name: string): string {
  const variable = row.variables.find((candidate) => candidate.name === name);
  const type = variable && getNamedType(variable.type);
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  return type?.name === 'Int' ? '1' : EXAMPLE_ID;
}

/** What is wrong with the example of a row, as the binder sees it. */
export function exampleFault(row: CompiledRow): string[] {
  const example = exampleRequest(row);
  try {
    const { ignored } = row.bind(example);
    return ignored.map((name) => `the example has "${name}", which no variable takes`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const what = row.contract.example === undefined ? 'the row needs an example' : 'the example';
    return [`${what}: ${error.message}`];
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
