import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { failOnFaults } from '../src/kernel/errors/fail.js';
import { repeatedKeys } from '../src/kernel/repeated-keys.js';
import { compileCoerce, compileObject } from './coerce.js';
import { type Coerce, type Entry, entriesOf } from './coerce-object.js';
import {
  addFault,
  addMissing,
  addTwice,
  addUnread,
  type Findings,
  quoted,
  refuseUnread,
} from './findings.js';
import type { InputNames } from './input-names.js';
import { addRepeated, refuseParameter, refuseUnknownChoice } from './query-faults.js';
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
  /** True for what sets a control: a field that nobody reads is a fault. */
  readonly control: boolean;
  /** How the fields of input objects are called. */
  readonly names: InputNames;
  /** True where query parameters that nobody reads are the client's own, and no fault. */
  readonly foreignQuery: boolean;
  /** Query parameters that the transport itself reads. */
  readonly reservedQuery: readonly string[];
  /** Query parameters by which the transport chooses among the rows of the path, with values. */
  readonly chosenQuery: ReadonlyMap<string, readonly string[]>;
  /** Fields of the body by which the transport chooses among the rows of the path. */
  readonly choices: readonly string[];
  /** The one of them that chose this row. */
  readonly chosenBy?: string;
}

/** One request, parsed and not yet understood. */
export interface RequestParts {
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: QueryParameters;
  /** The parsed body; undefined when there is none. */
  readonly body: unknown;
  /** The body as it came. */
  readonly rawBody?: Buffer;
}

/** Variables as resolvers receive them, and the fields that nobody read. */
export interface Bound {
  readonly variables: Record<string, unknown>;
  readonly ignored: readonly string[];
  /** Where members were written, by their published places, if that was elsewhere. */
  readonly written?: ReadonlyMap<string, string>;
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
  readonly required: boolean;
  readonly defaultValue: unknown;
  readonly range: VariableRow['range'];
  readonly coerce: Coerce;
  readonly fromText: FromText;
  /** True for a list, whose parameter may be repeated. */
  readonly takesMany: boolean;
}

/** The variable that takes the whole body. */
interface BodySlot {
  readonly name: string;
  coerce(body: Fields, query: QueryParameters, findings: Findings): unknown;
  /** True for a query parameter that serves a field of the body. */
  takes(parameter: string): boolean;
  /** The names of its fields, for hints. */
  readonly wireNames: readonly string[];
  /** True where nothing is known of what is inside. */
  readonly isOpaque: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const NOTHING_IGNORED: readonly string[] = [];
const NO_FIELDS: Fields = Object.freeze({});

/** Compiles the binder of a row; nothing is looked up by type when a request comes. */
export function compileBind(plan: BindPlan): Bind {
  const slots = plan.variables.map((variable) =>
    variable.name === plan.bodyVariable
      ? compileBodySlot(variable, plan)
      : compileSlot(variable, plan),
  );
  const whole = slots.find(isWhole);
  const single = slots.filter((slot): slot is Slot => !isWhole(slot));
  const named = new Map(single.flatMap((slot) => slot.keys.map((key) => [key, slot] as const)));
  const names = single.filter((slot) => !slot.inPath).map((slot) => slot.name);
  const queryNames = [...names, ...(whole?.wireNames ?? [])];
  const reserved = new Set([...plan.reservedQuery, ...plan.chosenQuery.keys()]);
  const strictQuery = !plan.takesBody && !plan.control && !plan.foreignQuery;
  const refused = plan.choices.filter((name) => {
    return name !== plan.chosenBy && !named.has(name) && !whole?.takes(name) && !whole?.isOpaque;
  });
  const noteUnread = (parts: RequestParts, body: Fields, findings: Findings) => {
    const isGiven = (name: string) => named.get(name)?.keys.some(isIn(body, parts.query)) ?? false;
    for (const key of whole ? [] : Object.keys(body)) {
      if (plan.takesBody && (named.has(key) || plan.choices.includes(key))) continue;
      addUnread(findings, key, key, names, isGiven);
    }
    for (const key of Object.keys(parts.query)) {
      const isTwice = !reserved.has(key) && Object.hasOwn(body, key);
      if (isTwice && plan.control) {
        const message = `\`${key}\` stands in the query and in the body; give it once.`;
        addFault(findings, key, 'invalid', message);
      }
      if (named.has(key) || reserved.has(key) || whole?.takes(key)) continue;
      if (strictQuery) refuseParameter(findings, key, [...queryNames, ...reserved]);
      else addUnread(findings, key, key, queryNames, isGiven);
    }
    for (const [name, values] of plan.chosenQuery) {
      refuseUnknownChoice(name, values, parts.query, findings);
    }
  };
  return (parts) => {
    const findings: Findings = { faults: [], unread: [] };
    const given = plan.takesBody || plan.control ? objectBody(parts.body, findings) : NO_FIELDS;
    const body = plan.takesBody ? given : NO_FIELDS;
    if (plan.control && parts.rawBody) refuseRepeated(parts.rawBody, findings);
    if (plan.control) refuseOther(plan.pathParameters, parts, given, findings);
    noteUnread(parts, given, findings);
    for (const name of refused) refuseChoice(name, body, findings);
    const variables: Record<string, unknown> = {};
    for (const slot of slots) {
      if (isWhole(slot)) variables[slot.name] = slot.coerce(body, parts.query, findings);
      else fillSlot(slot, parts, whole ? NO_FIELDS : body, variables, findings);
    }
    if (findings.unread.length > 0) refuseUnread(findings, plan.control);
    if (findings.faults.length > 0) failOnFaults(findings.faults);
    const ignored = findings.unread.length > 0 ? pathsOf(findings) : NOTHING_IGNORED;
    const { written } = findings;
    return written ? { variables, ignored, written } : { variables, ignored };
  };
}

/** Which of two values was meant for a control is not for the gateway to guess. */
function refuseRepeated(rawBody: Buffer, findings: Findings): void {
  for (const path of repeatedKeys(rawBody)) {
    addFault(findings, path, 'invalid', `${quoted(path)} stands twice in the body; give it once.`);
  }
}

/** The path names what is set: a body or query that names another one is refused. */
function refuseOther(
  names: readonly string[],
  { path, query }: RequestParts,
  body: Fields,
  findings: Findings,
): void {
  for (const name of names) {
    const others = [body[name], query[name]].filter((given) => given !== undefined);
    if (others.every((given) => String(given) === path[name])) continue;
    addFault(findings, name, 'invalid', `\`${name}\` is not the one in the path.`);
  }
}

function isWhole(slot: Slot | BodySlot): slot is BodySlot {
  return 'takes' in slot;
}

/** True would have chosen another row; anything but false is a slip that must not pass for it. */
function refuseChoice(name: string, body: Fields, findings: Findings): void {
  const value = body[name] ?? false;
  if (value === false) return;
  addFault(findings, name, 'wrong_type', `\`${name}\` must be true or false.`);
}

function isIn(body: Fields, query: QueryParameters): (key: string) => boolean {
  return (key) => Object.hasOwn(body, key) || query[key] !== undefined;
}

function fillSlot(
  slot: Slot,
  parts: RequestParts,
  fields: Fields,
  variables: Record<string, unknown>,
  findings: Findings,
): void {
  const found = findings.faults.length;
  const value = slot.inPath
    ? fromPath(slot, parts, findings)
    : (fromFields(slot, fields, findings) ?? fromQuery(slot, parts.query, findings));
  if (value !== undefined) variables[slot.name] = value.value;
  else if (slot.defaultValue !== undefined) variables[slot.name] = slot.defaultValue;
  else if (slot.required && findings.faults.length === found) addMissing(slot.name, findings);
}

function compileSlot(variable: VariableRow, plan: BindPlan): Slot {
  const inPath = plan.pathParameters.includes(variable.name);
  return {
    name: variable.name,
    keys: inPath ? [variable.name] : spellings(variable.name),
    inPath,
    required: isNonNullType(variable.type) && variable.defaultValue === undefined,
    defaultValue: variable.defaultValue,
    range: variable.range,
    coerce: compileCoerce(variable.type, plan.names),
    fromText: compileFromText(variable.type),
    takesMany: isListType(getNullableType(variable.type)),
  };
}

function compileBodySlot(variable: VariableRow, plan: BindPlan): BodySlot {
  const { name } = variable;
  const type = getNullableType(variable.type);
  if (isInputObjectType(type)) return objectSlot(name, type, plan);
  const coerce = compileCoerce(variable.type, plan.names);
  return {
    name,
    coerce: (body, _query, findings) => coerce(body, '', findings),
    takes: () => false,
    wireNames: [],
    isOpaque: true,
  };
}

function objectSlot(name: string, type: GraphQLInputObjectType, plan: BindPlan): BodySlot {
  const object = compileObject(type, plan.names);
  const texts = new Map(
    Object.values(type.getFields()).map((field) => [field.name, compileFromText(field.type)]),
  );
  const elsewhere = new Set([...plan.choices, ...plan.pathParameters]);
  const isRead = ({ key }: Entry) => !elsewhere.has(key) || object.find(key) !== undefined;
  return {
    name,
    wireNames: object.wireNames,
    isOpaque: false,
    takes: (parameter) => object.find(parameter) !== undefined,
    coerce(body, query, findings) {
      const entries = entriesOf(body, '').filter(isRead);
      const written = new Set(entries.map(({ key }) => object.find(key)));
      for (const [key, text] of Object.entries(query)) {
        const field = object.find(key);
        const fromText = field && texts.get(field.name);
        if (text === undefined || !fromText || written.has(field)) continue;
        entries.push({ key, value: fromText(text), at: key });
      }
      return object.coerceEntries(entries, '', findings);
    },
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

function fromFields(slot: Slot, fields: Fields, findings: Findings): Found | undefined {
  const [key, ...others] = slot.keys.filter((name) => Object.hasOwn(fields, name));
  if (key === undefined) return undefined;
  for (const other of others) addTwice(findings, other, key);
  return { value: inRange(slot, slot.coerce(fields[key], key, findings), key, findings) };
}

function fromQuery(slot: Slot, query: QueryParameters, findings: Findings): Found | undefined {
  for (const key of slot.keys) {
    const text = query[key];
    if (text === undefined) continue;
    for (const other of slot.keys) {
      if (other !== key && query[other] !== undefined) addTwice(findings, other, key);
    }
    if (typeof text !== 'string' && !slot.takesMany) {
      addRepeated(findings, key);
      return { value: undefined };
    }
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

function objectBody(body: unknown, findings: Findings): Fields {
  if (body === undefined) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields;
  addFault(findings, '', 'wrong_type', 'The body must be a JSON object.');
  return NO_FIELDS;
}

function pathsOf(findings: Findings): readonly string[] {
  return findings.unread.map((unread) => unread.path);
}

/** True for a variable type that a whole body can go to: an input object or a scalar for JSON. */
export function takesWholeBody(type: GraphQLInputType): boolean {
  const inner = isNonNullType(type) ? type.ofType : type;
  return isInputObjectType(inner) || (isScalarType(inner) && !isSpecifiedScalarType(inner));
}
