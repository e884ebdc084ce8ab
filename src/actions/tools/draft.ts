import { nearestNames } from '../../catalog/providers/near-names.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { argumentSchemaFaults } from './arguments-schema.js';
import type { ToolContract, VerbRule } from './contract.js';
import { boundedJson, isPointer } from './json-values.js';
import { BOUNDS, type ConnectorCode, DEFAULTS, RISK_LEVELS, VERBS } from './vocabulary.js';

/** A contract as a caller states it; what is absent takes its default. */
export interface ToolDraft {
  readonly toolKey: string;
  readonly name?: string | null;
  readonly description?: string | null;
  /** Names of verbs, or objects that say more about one. */
  readonly verbs: readonly unknown[];
  readonly risk?: string | null;
  readonly destructive?: boolean | null;
  readonly requiresApproval?: boolean | null;
  readonly connector?: ConnectorCode | null;
  readonly endpointUrl?: string | null;
  readonly timeoutMs?: number | null;
  readonly approvalExpiresSeconds?: number | null;
  readonly amountMicroMaxAuto?: bigint | null;
}

const VERB_CODES: readonly string[] = VERBS.map(({ code }) => code);
const RISK_CODES: readonly string[] = RISK_LEVELS.map(({ code }) => code);
const TOOL_KEY = /^[a-z0-9]+([._-][a-z0-9]+)*$/;

/** The fields that an object of `verbs` may have, each with what its value must be. */
const VERB_FIELDS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  verb: [(value) => typeof value === 'string', 'must be the name of a verb'],
  risk: [(value) => RISK_CODES.includes(String(value)), `must be ${RISK_CODES.join(', ')}`],
  destructive: [(value) => typeof value === 'boolean', 'must be true or false'],
  requires_approval: [(value) => typeof value === 'boolean', 'must be true or false'],
  compensating_verb: [(value) => typeof value === 'string', 'must be the name of a verb'],
  arguments_schema: [(value) => asObject(value) !== undefined, 'must be a JSON Schema object'],
  amount_field: [isPointer, 'must be a JSON pointer such as /amount_rub'],
  records_field: [isPointer, 'must be a JSON pointer such as /record_ids'],
};

/** Every fault of a draft, by the names of the REST body. The endpoint is judged elsewhere. */
export function draftFaults(draft: ToolDraft): Fault[] {
  return [
    ...keyFaults(draft.toolKey),
    ...textFaults('name', draft.name, BOUNDS.nameCharactersMax),
    ...textFaults('description', draft.description, BOUNDS.descriptionCharactersMax),
    ...verbsFaults(draft.verbs),
    ...rangeFaults('timeout_ms', draft.timeoutMs, BOUNDS.timeoutMsMin, BOUNDS.timeoutMsMax),
    ...rangeFaults(
      'approval_expires_seconds',
      draft.approvalExpiresSeconds,
      BOUNDS.approvalExpiresSecondsMin,
      BOUNDS.approvalExpiresSecondsMax,
    ),
    ...amountFaults(draft.amountMicroMaxAuto),
    ...connectorFaults(draft),
  ];
}

function keyFaults(toolKey: string): Fault[] {
  const path = 'tool_key';
  if (toolKey.length <= BOUNDS.toolKeyCharactersMax && TOOL_KEY.test(toolKey)) return [];
  const message =
    `${path} must be 1 to ${BOUNDS.toolKeyCharactersMax} lower-case letters and digits, ` +
    'joined by single dots, dashes or underscores.';
  return [{ path, code: 'invalid', message }];
}

/** The fault of a text that must be neither empty nor too long; absent is allowed. */
export function textFaults(path: string, text: string | null | undefined, max: number): Fault[] {
  if (text == null || (text.trim() !== '' && text.length <= max)) return [];
  return [{ path, code: 'out_of_range', message: `${path} must have 1 to ${max} characters.` }];
}

function rangeFaults(path: string, value: number | null | undefined, min: number, max: number) {
  if (value == null || (value >= min && value <= max)) return [];
  const message = `${path} must be from ${min} to ${max}.`;
  return [{ path, code: 'out_of_range', message } satisfies Fault];
}

function amountFaults(amount: bigint | null | undefined): Fault[] {
  const path = 'amount_rub_max_auto';
  if (amount == null || amount >= 0n) return [];
  return [{ path, code: 'out_of_range', message: `${path} must not be less than 0.` }];
}

function connectorFaults({ connector, endpointUrl }: ToolDraft): Fault[] {
  const path = 'endpoint_url';
  if (connector === 'http_webhook' && endpointUrl == null) {
    return [{ path, code: 'missing', message: `${path} is what http_webhook calls.` }];
  }
  if (connector !== 'simulated' || endpointUrl == null) return [];
  const message = `${path} is not called by the connector simulated; leave one of them out.`;
  return [{ path, code: 'invalid', message }];
}

function verbsFaults(verbs: readonly unknown[]): Fault[] {
  const path = 'verbs';
  if (verbs.length === 0 || verbs.length > VERB_CODES.length) {
    const message = `${path} must name 1 to ${VERB_CODES.length} verbs.`;
    return [{ path, code: 'out_of_range', message }];
  }
  const names = verbs.map(nameOf);
  return verbs.flatMap((entry, index) => {
    const at = `${path}.${index}`;
    const isTwice =
      names.indexOf(names[index]) !== index && VERB_CODES.includes(names[index] ?? '');
    const twice: Fault[] = isTwice
      ? [{ path: at, code: 'invalid', message: `${at}: ${names[index]} is listed twice.` }]
      : [];
    return [...entryFaults(at, entry, names), ...twice];
  });
}

function nameOf(entry: unknown): string | undefined {
  const name = typeof entry === 'string' ? entry : asObject(entry)?.verb;
  return typeof name === 'string' ? name : undefined;
}

function entryFaults(at: string, entry: unknown, names: readonly (string | undefined)[]): Fault[] {
  if (typeof entry === 'string') return verbFaults(at, entry, VERB_CODES);
  const object = asObject(entry);
  if (!object) {
    const message = `${at} must be the name of a verb or an object.`;
    return [{ path: at, code: 'wrong_type', message }];
  }
  if (object.verb === undefined) {
    const message = `${at}.verb is missing.`;
    return [{ path: `${at}.verb`, code: 'missing', message }];
  }
  const own = names.filter((name): name is string => name !== undefined && name !== object.verb);
  return [
    ...Object.entries(object).flatMap(([name, value]) => fieldFaults(`${at}.${name}`, name, value)),
    ...(typeof object.verb === 'string' ? verbFaults(`${at}.verb`, object.verb, VERB_CODES) : []),
    ...(typeof object.compensating_verb === 'string'
      ? verbFaults(`${at}.compensating_verb`, object.compensating_verb, own)
      : []),
  ];
}

function verbFaults(path: string, verb: string, allowed: readonly string[]): Fault[] {
  if (allowed.includes(verb)) return [];
  const [near] = nearestNames(verb, allowed);
  const isOwn = allowed !== VERB_CODES;
  const what = isOwn ? 'another verb of this contract' : 'a verb that contracts may use';
  const source = isOwn ? `they are ${allowed.join(', ')}` : 'the reference lists them';
  const cure = near ? `did you mean ${near}?` : `${source}.`;
  const message = `${path}: ${verb.slice(0, BOUNDS.nameCharactersMax)} is not ${what}; ${cure}`;
  return [{ path, code: 'unknown_value', message }];
}

function fieldFaults(path: string, name: string, value: unknown): Fault[] {
  const field = Object.hasOwn(VERB_FIELDS, name) ? VERB_FIELDS[name] : undefined;
  if (!field) {
    const names = Object.keys(VERB_FIELDS);
    const [near] = nearestNames(name, names);
    const cure = near ? `did you mean ${near}?` : `they are ${names.join(', ')}.`;
    const message = `${path} is not something that is said of a verb; ${cure}`;
    return [{ path, code: 'unknown_value', message }];
  }
  if (value === null && name !== 'verb') return [];
  const [isValid, what] = field;
  if (!isValid(value)) return [{ path, code: 'wrong_type', message: `${path} ${what}.` }];
  return name === 'arguments_schema' ? schemaFaults(path, value) : [];
}

function schemaFaults(path: string, value: unknown): Fault[] {
  const bounds = { bytesMax: BOUNDS.schemaBytesMax, valuesMax: BOUNDS.argumentValuesMax };
  const { value: schema, faults } = boundedJson(path, value, bounds);
  const object = asObject(schema);
  return object ? argumentSchemaFaults(path, object) : [...faults];
}

/** The contract that a draft without faults states, defaults filled in. */
export function contractOf(draft: ToolDraft, signingGeneration: number): ToolContract {
  const verbs = draft.verbs.map((entry) => verbRuleOf(entry, draft));
  const endpointUrl = draft.endpointUrl ?? null;
  return {
    toolKey: draft.toolKey,
    name: draft.name?.trim() ?? null,
    description: draft.description?.trim() ?? null,
    verbs,
    risk: riskOf(draft.risk) ?? highestRisk(verbs),
    destructive: draft.destructive ?? verbs.some(({ destructive }) => destructive),
    requiresApproval: draft.requiresApproval ?? verbs.some((rule) => rule.requiresApproval),
    connector: draft.connector ?? (endpointUrl === null ? 'simulated' : 'http_webhook'),
    endpointUrl,
    timeoutMs: draft.timeoutMs ?? DEFAULTS.timeoutMs,
    approvalExpiresSeconds: draft.approvalExpiresSeconds ?? DEFAULTS.approvalExpiresSeconds,
    amountMicroMaxAuto: draft.amountMicroMaxAuto ?? null,
    signingGeneration,
  };
}

/**
 * What is said of the verb itself counts first, then what is said of the whole tool, then what the
 * verb means. Only a word about the verb itself makes a destructive verb harmless.
 */
function verbRuleOf(entry: unknown, draft: ToolDraft): VerbRule {
  const said: JsonObject = asObject(entry) ?? { verb: entry };
  const meaning = VERBS.find(({ code }) => code === said.verb);
  if (!meaning) throw new TypeError(`${String(said.verb)} is not a verb`);
  return {
    verb: meaning.code,
    risk: riskOf(said.risk) ?? riskOf(draft.risk) ?? meaning.risk,
    destructive: flag(said.destructive) ?? (draft.destructive === true || meaning.destructive),
    requiresApproval: flag(said.requires_approval) ?? draft.requiresApproval ?? false,
    compensatingVerb: textOf(said.compensating_verb),
    argumentsSchema: schemaOf(said.arguments_schema),
    amountField: textOf(said.amount_field),
    recordsField: textOf(said.records_field),
  };
}

function riskOf(value: unknown) {
  return RISK_LEVELS.find(({ code }) => code === value)?.code;
}

function highestRisk(verbs: readonly VerbRule[]) {
  const highest = RISK_LEVELS.findLast(({ code }) => verbs.some(({ risk }) => risk === code));
  return highest?.code ?? 'critical';
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function schemaOf(value: unknown): JsonObject | null {
  const schema = asObject(value);
  return schema ? (JSON.parse(JSON.stringify(schema)) as JsonObject) : null;
}
