import { createHash } from 'node:crypto';
import { nearestNames } from '../../catalog/providers/near-names.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import {
  CONNECTORS,
  type Connector,
  type ConnectorAction,
  type ConnectorField,
} from './catalogue.js';
import { isState, type RecordState } from './changes.js';
import { type FieldType, LIMITS } from './vocabulary.js';

/** What a caller states of a change. */
export interface PreviewInput {
  readonly connector: string;
  readonly action: string;
  readonly recordId?: string | null;
  /** The record as it is now. */
  readonly record?: unknown;
  /** The new values. */
  readonly changes?: unknown;
}

/** A change that can be looked at. */
export interface PreviewRequest {
  readonly connector: Connector;
  readonly action: ConnectorAction;
  /** Undefined for a record that the action makes. */
  readonly recordRef: string | undefined;
  /** Undefined when the caller leaves it to what the gateway knows. */
  readonly stated: RecordState | undefined;
  readonly changes: RecordState;
}

/** The connector of an id, or undefined. */
export function connectorOf(id: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.id === id);
}

/** The action of a connector, or undefined. */
export function actionOf(connector: Connector, id: string): ConnectorAction | undefined {
  return connector.actions.find((action) => action.id === id);
}

/**
 * Reads what a caller states.
 * @throws invalid_request with every fault
 */
export function readPreview(input: PreviewInput): PreviewRequest {
  const faults: Fault[] = [];
  const connector = connectorOf(input.connector);
  if (!connector) faults.push(unknown('connector', input.connector, idsOf(CONNECTORS)));
  const action = connector && actionOf(connector, input.action);
  if (connector && !action) faults.push(unknown('action', input.action, idsOf(connector.actions)));
  const stated = readState('record', input.record, LIMITS.stateBytes, faults);
  const changes = readState('changes', input.changes, LIMITS.changesBytes, faults) ?? {};
  faults.push(...recordIdFaults(input.recordId));
  if (connector && action) {
    faults.push(...targetFaults(action, input), ...fieldFaults(action, changes));
  }
  failOnFaults(faults);
  if (!connector || !action) throw new TypeError('an unknown action is a fault');
  const recordRef = makesRecord(action) ? undefined : recordRefOf(input.recordId, stated);
  return { connector, action, recordRef, stated: makesRecord(action) ? {} : stated, changes };
}

/** True where there is no record before the action. */
function makesRecord({ verb }: ConnectorAction): boolean {
  return verb === 'create' || verb === 'send';
}

/**
 * What a record is known by: the id that the caller gives, that in the record, or else the hash of
 * what the caller states of it.
 */
function recordRefOf(recordId: string | null | undefined, stated: RecordState | undefined): string {
  const own = stated?.id;
  if (recordId != null) return recordId;
  if (isRecordId(own)) return String(own);
  const hash = createHash('sha256').update(canonicalJson(stated ?? {}), 'utf8');
  return `sha256:${hash.digest('hex')}`;
}

function isRecordId(value: Sealable | undefined): boolean {
  return typeof value === 'number' || (typeof value === 'string' && idFits(value));
}

function idFits(id: string): boolean {
  return id.trim().length > 0 && id.length <= LIMITS.recordIdLength;
}

function recordIdFaults(recordId: string | null | undefined): Fault[] {
  if (recordId == null || (idFits(recordId) && !/\p{Surrogate}/u.test(recordId))) return [];
  const message = `record_id must have 1 to ${LIMITS.recordIdLength} characters.`;
  return [{ path: 'record_id', code: 'out_of_range', message }];
}

/** An action that makes a record takes none; every other one must know which it is about. */
function targetFaults(action: ConnectorAction, { recordId, record }: PreviewInput): Fault[] {
  if (makesRecord(action)) {
    const given = Object.entries({ record_id: recordId, record }).filter(
      ([, value]) => value != null,
    );
    return given.map(([path]) => {
      const message = `${path} must be left out: ${action.id} makes a new record.`;
      return { path, code: 'invalid', message };
    });
  }
  if (recordId != null || record != null) return [];
  const message = `record is missing: ${action.id} needs the record as it is now, or a record_id.`;
  return [{ path: 'record', code: 'missing', message }];
}

function readState(
  path: string,
  value: unknown,
  bytesMax: number,
  faults: Fault[],
): RecordState | undefined {
  if (value == null) return undefined;
  const fault = (code: Fault['code'], rule: string): undefined => {
    faults.push({ path, code, message: `${path} must ${rule}.` });
    return undefined;
  };
  const plain: Sealable = JSON.parse(JSON.stringify(value));
  if (!isState(plain)) return fault('wrong_type', 'be a JSON object');
  if (Object.keys(plain).length > LIMITS.stateFields) {
    return fault('out_of_range', `have at most ${LIMITS.stateFields} fields`);
  }
  try {
    const bytes = Buffer.byteLength(canonicalJson(plain), 'utf8');
    return bytes <= bytesMax ? plain : fault('out_of_range', `have at most ${bytesMax} bytes`);
  } catch (error) {
    return fault('invalid', `be JSON that can be kept exactly: ${(error as Error).message}`);
  }
}

function fieldFaults(action: ConnectorAction, changes: RecordState): Fault[] {
  const names = action.fields.map(({ name }) => name);
  const given = Object.entries(changes).flatMap(([name, value]): Fault[] => {
    const field = action.fields.find((one) => one.name === name);
    return field ? valueFaults(field, value) : [unknown(`changes.${name}`, name, names)];
  });
  const missing = action.fields.filter(
    ({ name, required }) => required && (changes[name] ?? null) === null,
  );
  const nothing = action.verb === 'update' && Object.keys(changes).length === 0;
  return [
    ...given,
    ...missing.map(({ name }) => missingFault(`changes.${name}`, `${action.id} needs it`)),
    ...(nothing ? [missingFault('changes', `${action.id} sets ${names.join(', ')}`)] : []),
  ];
}

const TYPE_RULES: Readonly<Record<FieldType, (value: Sealable) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isDay(value),
  list: (value) => Array.isArray(value),
  object: isState,
};

/** Null clears an optional field; that a required one is missing is told apart. */
function valueFaults({ name, type }: ConnectorField, value: Sealable): Fault[] {
  if (value === null || TYPE_RULES[type](value)) return [];
  const path = `changes.${name}`;
  const what = type === 'date' ? 'a day as YYYY-MM-DD' : `of the type ${type}`;
  return [{ path, code: 'wrong_type', message: `${path} must be ${what}.` }];
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function missingFault(path: string, why: string): Fault {
  return { path, code: 'missing', message: `${path} is missing: ${why}.` };
}

function unknown(path: string, name: string, known: readonly string[]): Fault {
  const near = nearestNames(name, known);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `known: ${known.join(', ')}.`;
  return { path, code: 'unknown_value', message: `${path} "${name}" is not known; ${hint}` };
}

function idsOf(things: readonly { readonly id: string }[]): string[] {
  return things.map(({ id }) => id);
}
