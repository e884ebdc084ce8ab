import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits, oneOf } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import {
  CONNECTORS,
  type Connector,
  type ConnectorAction,
  type ConnectorField,
} from './catalogue.js';
import { isState, type RecordState } from './changes.js';
import { PREVIEW_INPUT } from './tables.js';
import { type FieldType, LIMITS } from './vocabulary.js';

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

type Asked = ValuesOf<typeof PREVIEW_INPUT.fields>;

/** The connector of an id, or undefined. */
export function connectorOf(id: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.id === id);
}

/** The action of a connector, or undefined. */
export function actionOf(connector: Connector, id: string): ConnectorAction | undefined {
  return connector.actions.find((action) => action.id === id);
}

/** True while the connector has no adapter to the real system. */
export function isSimulated(connector: string): boolean {
  return connectorOf(connector)?.status === 'simulated';
}

/**
 * Reads what a caller states.
 * @throws invalid_request with every fault
 */
export function readPreview(given: GivenValues): PreviewRequest {
  const asked = inputValues(PREVIEW_INPUT.fields, given);
  const connector = connectorOf(asked.connector);
  const action = connector && actionOf(connector, asked.action);
  const changed = isState(asked.changes) ? asked.changes : {};
  failOnFaults([
    ...inputFaults(PREVIEW_INPUT.fields, asked, 'input'),
    ...oneOf('input.connector', asked.connector, idsOf(CONNECTORS)),
    ...(connector ? oneOf('input.action', asked.action, idsOf(connector.actions)) : []),
    ...stateFaults('input.record', asked.record, LIMITS.stateBytes),
    ...stateFaults('input.changes', asked.changes, LIMITS.changesBytes),
    ...(action ? [...targetFaults(action, asked), ...fieldFaults(action, changed)] : []),
  ]);
  if (!connector || !action) throw new TypeError('an unknown action is a fault');
  if (makesRecord(action)) {
    return { connector, action, recordRef: undefined, stated: {}, changes: changed };
  }
  const stated = isState(asked.record) ? asked.record : undefined;
  const recordRef = asked.recordId ?? recordRefOf(stated);
  return { connector, action, recordRef, stated, changes: changed };
}

/** True where there is no record before the action. */
function makesRecord({ verb }: ConnectorAction): boolean {
  return verb === 'create' || verb === 'send';
}

/** What a record without a name is known by: its own id, else the hash of what is stated of it. */
function recordRefOf(stated: RecordState | undefined): string {
  const own = stated?.id;
  const fits = typeof own === 'string' && own.trim() !== '' && own.length <= LIMITS.recordIdLength;
  if (fits || typeof own === 'number') return String(own);
  const hash = createHash('sha256').update(canonicalJson(stated ?? {}), 'utf8');
  return `sha256:${hash.digest('hex')}`;
}

/** An action that makes a record takes none; every other one must know which it is about. */
function targetFaults(action: ConnectorAction, { recordId, record }: Asked): Fault[] {
  if (makesRecord(action)) {
    const what = `must be left out: ${action.id} makes a new record`;
    return [
      ...fits('input.recordId', recordId === null, what),
      ...fits('input.record', record === null, what),
    ];
  }
  if (recordId !== null || record !== null) return [];
  return [missing('input.record', `${action.id} needs the record as it is now, or a record_id`)];
}

function stateFaults(path: string, value: unknown, bytesMax: number): Fault[] {
  if (value === null) return [];
  if (!isState(value)) return [fault(path, 'wrong_type', 'must be a JSON object')];
  const { length } = Object.keys(value);
  const isFew = length <= LIMITS.stateFields;
  const isShort = Buffer.byteLength(JSON.stringify(value), 'utf8') <= bytesMax;
  return [
    ...(isFew ? [] : [tooMuch(path, `must have at most ${LIMITS.stateFields} fields`)]),
    ...(isShort ? [] : [tooMuch(path, `must have at most ${bytesMax} bytes`)]),
  ];
}

function fieldFaults(action: ConnectorAction, changes: RecordState): Fault[] {
  const names = action.fields.map(({ name }) => name);
  const given = Object.entries(changes).flatMap(([name, value]): Fault[] => {
    const field = action.fields.find((one) => one.name === name);
    return field ? valueFaults(field, value) : oneOf(`input.changes.${name}`, name, names);
  });
  const lacking = action.fields.filter(
    ({ name, required }) => required && (changes[name] ?? null) === null,
  );
  const nothing = action.verb === 'update' && Object.keys(changes).length === 0;
  return [
    ...given,
    ...lacking.map(({ name }) => missing(`input.changes.${name}`, `${action.id} needs it`)),
    ...(nothing ? [missing('input.changes', `${action.id} sets ${names.join(', ')}`)] : []),
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
  const what = type === 'date' ? 'a day as YYYY-MM-DD' : `of the type ${type}`;
  return [fault(`input.changes.${name}`, 'wrong_type', `must be ${what}`)];
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function missing(path: string, why: string): Fault {
  return fault(path, 'missing', `is missing: ${why}`);
}

function tooMuch(path: string, what: string): Fault {
  return fault(path, 'out_of_range', what);
}

function idsOf(things: readonly { readonly id: string }[]): string[] {
  return things.map(({ id }) => id);
}
