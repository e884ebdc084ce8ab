import {
  type GraphQLInputType,
  isInputObjectType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { failOnFaults } from '../src/kernel/errors/fail.js';
import {
  addFault,
  addMissing,
  addUnknown,
  type Coerce,
  compileCoerce,
  type Findings,
} from './coerce.js';
import { compileFromText, type FromText, type QueryParameters } from './query-text.js';
import { spellings } from './wire-names.js';

/** Where a variable of a row gets its value. */
export interface VariableRow {
  /** The variable's name, which is the wire name. */
  readonly name: string;
  readonly type: GraphQLInputType;
  /** The coerced default of the operation, or undefined. */
  readonly defaultValue: unknown;
  /** Whole numbers outside are faults. */
  readonly range?: { readonly min: number; readonly max: number };
}

/** What a binder needs to know of a row. */
export interface BindPlan {
  readonly variables: readonly VariableRow[];
  readonly pathParameters: readonly string[];
  /** True where the method takes its fields from a body. */
  readonly takesBody: boolean;
  /** The variable that takes the whole body. */
  readonly bodyVariable: string | undefined;
  readonly ignoreUnknown: boolean;
  /** Query parameters that the transport itself reads. */
  readonly reservedQuery: readonly string[];
  /** The field of the body by which the transport chose this row. */
  readonly reservedField?: string;
}

/** One request, parsed and not yet understood. */
export interface RequestParts {
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: QueryParameters;
  /** The parsed body; undefined when there is none. */
  readonly body: unknown;
}

/** Variables as resolvers receive them, and the fields that nobody read. */
export interface Bound {
  readonly variables: Record<string, unknown>;
  readonly ignored: readonly string[];
}

/**
 * Makes variables of a request.
 * @throws GatewayError `invalid_request` with every fault of path, query and body
 */
export type Bind = (parts: RequestParts) => Bound;

interface Slot {
  readonly name: string;
  readonly keys: readonly string[];
  readonly inPath: boolean;
  readonly wholeBody: boolean;
  readonly required: boolean;
  readonly defaultValue: unknown;
  readonly range: VariableRow['range'];
  readonly coerce: Coerce;
  readonly fromText: FromText;
}

const NOTHING_IGNORED: readonly string[] = [];
const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});

/** Compiles the binder of a row; nothing is looked up by type when a request comes. */
export function compileBind(plan: BindPlan): Bind {
  const slots = plan.variables.map((variable) => compileSlot(variable, plan));
  const known = new Set(slots.flatMap((slot) => slot.keys));
  const names = slots.filter((slot) => !slot.inPath).map((slot) => slot.name);
  const queryKnown = new Set([...known, ...plan.reservedQuery]);
  const bodyKnown = new Set(known);
  if (plan.reservedField !== undefined) bodyKnown.add(plan.reservedField);
  const readsFields = plan.takesBody && plan.bodyVariable === undefined;
  return (parts) => {
    const findings: Findings = { faults: [], unknown: [] };
    const body = plan.takesBody ? objectBody(parts.body, findings) : NO_FIELDS;
    if (readsFields) noteUnknown(body, bodyKnown, names, findings);
    noteUnknown(parts.query, queryKnown, names, findings);
    const variables: Record<string, unknown> = {};
    for (const slot of slots)
      fillSlot(slot, parts, readsFields ? body : NO_FIELDS, variables, findings);
    if (!plan.ignoreUnknown) refuseUnknown(findings);
    if (findings.faults.length > 0) failOnFaults(findings.faults);
    const ignored = findings.unknown.length > 0 ? pathsOf(findings) : NOTHING_IGNORED;
    return { variables, ignored };
  };

  function fillSlot(
    slot: Slot,
    parts: RequestParts,
    fields: Readonly<Record<string, unknown>>,
    variables: Record<string, unknown>,
    findings: Findings,
  ): void {
    if (slot.wholeBody) {
      const body = parts.body ?? {};
      if (isFields(body)) variables[slot.name] = slot.coerce(body, '', findings);
      return;
    }
    const found = findings.faults.length;
    const value = slot.inPath
      ? fromPath(slot, parts, findings)
      : (fromFields(slot, fields, findings) ?? fromQuery(slot, parts.query, findings));
    if (value !== undefined) variables[slot.name] = value.value;
    else if (slot.defaultValue !== undefined) variables[slot.name] = slot.defaultValue;
    else if (slot.required && findings.faults.length === found) addMissing(slot.name, findings);
  }
}

function compileSlot(variable: VariableRow, plan: BindPlan): Slot {
  const inPath = plan.pathParameters.includes(variable.name);
  return {
    name: variable.name,
    keys: inPath ? [variable.name] : spellings(variable.name),
    inPath,
    wholeBody: plan.bodyVariable === variable.name,
    required: isNonNullType(variable.type) && variable.defaultValue === undefined,
    defaultValue: variable.defaultValue,
    range: variable.range,
    coerce: compileCoerce(variable.type),
    fromText: compileFromText(variable.type),
  };
}

/** A value that was found, in a box, since null is a value too. */
interface Found {
  readonly value: unknown;
}

function fromPath(slot: Slot, parts: RequestParts, findings: Findings): Found | undefined {
  const text = parts.path[slot.name];
  if (text === undefined) return undefined;
  return { value: slot.coerce(slot.fromText(text), slot.name, findings) };
}

function fromFields(
  slot: Slot,
  fields: Readonly<Record<string, unknown>>,
  findings: Findings,
): Found | undefined {
  for (const key of slot.keys) {
    if (!Object.hasOwn(fields, key)) continue;
    return { value: inRange(slot, slot.coerce(fields[key], key, findings), key, findings) };
  }
  return undefined;
}

function fromQuery(slot: Slot, query: QueryParameters, findings: Findings): Found | undefined {
  for (const key of slot.keys) {
    const text = query[key];
    if (text === undefined) continue;
    const value = slot.coerce(slot.fromText(text), key, findings);
    return { value: inRange(slot, value, key, findings) };
  }
  return undefined;
}

function inRange(slot: Slot, value: unknown, path: string, findings: Findings): unknown {
  if (!slot.range || typeof value !== 'number') return value;
  const { min, max } = slot.range;
  if (value >= min && value <= max) return value;
  const message = `\`${path}\` must be between ${min} and ${max}.`;
  return addFault(findings, path, 'out_of_range', message);
}

function objectBody(body: unknown, findings: Findings): Readonly<Record<string, unknown>> {
  if (body === undefined) return NO_FIELDS;
  if (isFields(body)) return body;
  addFault(findings, '', 'wrong_type', 'The body must be a JSON object.');
  return NO_FIELDS;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noteUnknown(
  fields: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  names: readonly string[],
  findings: Findings,
): void {
  for (const key of Object.keys(fields)) {
    if (known.has(key)) continue;
    addUnknown(findings, key, key, names);
  }
}

function refuseUnknown(findings: Findings): void {
  for (const { path, nearest } of findings.unknown) {
    const hint = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
    addFault(findings, path, 'invalid', `\`${path}\` is not a field of this operation.${hint}`);
  }
}

function pathsOf(findings: Findings): readonly string[] {
  return findings.unknown.map((unknown) => unknown.path);
}

/** True for a variable type that a whole body can go to: an input object or a scalar for JSON. */
export function takesWholeBody(type: GraphQLInputType): boolean {
  const inner = isNonNullType(type) ? type.ofType : type;
  return isInputObjectType(inner) || (isScalarType(inner) && !isSpecifiedScalarType(inner));
}
