import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits, oneOf } from '../../kernel/errors/faults.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  json,
  list,
  money,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { argumentSchemaFaults } from './arguments-schema.js';
import type { ToolContract, VerbRule } from './contract.js';
import { boundedJson, isPointer } from './json-values.js';
import { BOUNDS, CONNECTORS, DEFAULTS, RISK_LEVELS, VERBS } from './vocabulary.js';

const { timeoutMsMin, timeoutMsMax } = BOUNDS;
const { approvalExpiresSecondsMin, approvalExpiresSecondsMax } = BOUNDS;

/** A contract as a caller states it; what is left out takes its default. */
export const TOOL_DRAFT = fieldTable(
  'ToolRegisterInput',
  'The contract of a tool. `toolKey` and `verbs` suffice.',
  {
    toolKey: text(
      'Lower-case words joined by dots, dashes or underscores, at most ' +
        `${BOUNDS.toolKeyCharactersMax} characters.`,
      { max: BOUNDS.toolKeyCharactersMax },
    ),
    name: optional(text('What people call it.', { max: BOUNDS.nameCharactersMax })),
    description: optional(
      text('What the tool does, for people and models.', { max: BOUNDS.descriptionCharactersMax }),
    ),
    verbs: list(
      json('A verb.'),
      'Names of published verbs, or objects `{verb, risk, destructive, requires_approval, ' +
        'compensating_verb, arguments_schema, amount_field, records_field}`, of which only ' +
        '`verb` is required. What an object says of its verb counts before what the contract says.',
      { min: 1, max: VERBS.codes.length },
    ),
    risk: optional(
      code(
        RISK_LEVELS,
        'The risk of every verb that does not say its own; default that of the verb.',
      ),
    ),
    destructive: optional(
      flag(
        'Every verb that does not say its own is destructive; default that of the verb. False ' +
          'does not make a destructive verb harmless; only the verb itself can say so.',
      ),
    ),
    requiresApproval: optional(
      flag('Every call waits for an approval, unless the verb says its own; default false.'),
    ),
    endpointUrl: optional(text('An https address on the public internet.', { max: 2_048 })),
    connector: optional(
      code(CONNECTORS, 'Default `http_webhook` with an endpointUrl, else `simulated`.'),
    ),
    timeoutMs: optional(
      integer(`From ${timeoutMsMin} to ${timeoutMsMax}; default ${DEFAULTS.timeoutMs}.`, {
        min: timeoutMsMin,
        max: timeoutMsMax,
      }),
    ),
    approvalExpiresSeconds: optional(
      integer(
        `From ${approvalExpiresSecondsMin} to ${approvalExpiresSecondsMax}; ` +
          `default ${DEFAULTS.approvalExpiresSeconds}.`,
        { min: approvalExpiresSecondsMin, max: approvalExpiresSecondsMax },
      ),
    ),
    amountMicroMaxAuto: optional(
      money('Larger amounts wait for an approval; default the limit of the caller.', { min: 0n }),
    ),
  },
);

/** A contract as a caller states it. */
export type ToolDraft = ValuesOf<typeof TOOL_DRAFT.fields>;

const TOOL_KEY = /^([a-z0-9]+([._-][a-z0-9]+)*)?$/;
const KEY_FORM = 'must be lower-case letters and digits, joined by single dots, dashes or _';

/** The fields that an object of `verbs` may have, each with what its value must be. */
const VERB_FIELDS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  verb: [(value) => typeof value === 'string', 'must be the name of a verb'],
  risk: [(value) => RISK_LEVELS.has(String(value)), `must be ${RISK_LEVELS.codes.join(', ')}`],
  destructive: [(value) => typeof value === 'boolean', 'must be true or false'],
  requires_approval: [(value) => typeof value === 'boolean', 'must be true or false'],
  compensating_verb: [(value) => typeof value === 'string', 'must be the name of a verb'],
  arguments_schema: [(value) => asObject(value) !== undefined, 'must be a JSON Schema object'],
  amount_field: [isPointer, 'must be a JSON pointer such as /amount_rub'],
  records_field: [isPointer, 'must be a JSON pointer such as /record_ids'],
};

/** Every fault of a draft. The endpoint is judged elsewhere. */
export function draftFaults(draft: ToolDraft): Fault[] {
  const { toolKey, verbs } = draft;
  return [
    ...inputFaults(TOOL_DRAFT.fields, draft, 'input'),
    ...fits('input.toolKey', TOOL_KEY.test(toolKey), KEY_FORM),
    ...(verbs.length <= VERBS.codes.length ? verbsFaults(verbs) : []),
    ...connectorFaults(draft),
  ];
}

function connectorFaults({ connector, endpointUrl }: ToolDraft): Fault[] {
  const path = 'input.endpointUrl';
  if (connector === 'http_webhook' && endpointUrl === null) {
    return [fault(path, 'missing', 'is what http_webhook calls')];
  }
  const isUsed = connector !== 'simulated' || endpointUrl === null;
  return fits(path, isUsed, 'is not called by the connector simulated; leave one of them out');
}

function verbsFaults(verbs: readonly unknown[]): Fault[] {
  const names = verbs.map(nameOf);
  return verbs.flatMap((entry, index) => {
    const at = `input.verbs.${index}`;
    const name = names[index] ?? '';
    const isTwice = names.indexOf(name) < index && VERBS.has(name);
    return [...entryFaults(at, entry, names), ...fits(at, !isTwice, `lists ${name} again`)];
  });
}

function nameOf(entry: unknown): string | undefined {
  const name = typeof entry === 'string' ? entry : asObject(entry)?.verb;
  return typeof name === 'string' ? name : undefined;
}

function entryFaults(at: string, entry: unknown, names: readonly (string | undefined)[]): Fault[] {
  if (typeof entry === 'string') return oneOf(at, entry, VERBS.codes);
  const said = asObject(entry);
  if (!said) return [fault(at, 'wrong_type', 'must be the name of a verb or an object')];
  if (said.verb === undefined) return [fault(`${at}.verb`, 'missing', 'is needed')];
  const others = names.filter((name) => name !== undefined && name !== said.verb) as string[];
  return [
    ...Object.entries(said).flatMap(([name, value]) => fieldFaults(`${at}.${name}`, name, value)),
    ...oneOf(`${at}.verb`, textOf(said.verb), VERBS.codes),
    ...oneOf(`${at}.compensating_verb`, textOf(said.compensating_verb), others),
  ];
}

function fieldFaults(path: string, name: string, value: unknown): Fault[] {
  const field = Object.hasOwn(VERB_FIELDS, name) ? VERB_FIELDS[name] : undefined;
  if (!field) return oneOf(path, name, Object.keys(VERB_FIELDS));
  if (value === null && name !== 'verb') return [];
  const [isValid, what] = field;
  if (!isValid(value)) return [fault(path, 'wrong_type', what)];
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
  const { toolKey, endpointUrl, amountMicroMaxAuto } = draft;
  return {
    toolKey,
    name: draft.name?.trim() ?? null,
    description: draft.description?.trim() ?? null,
    verbs,
    risk: draft.risk ?? highestRisk(verbs),
    destructive: draft.destructive ?? verbs.some(({ destructive }) => destructive),
    requiresApproval: draft.requiresApproval ?? verbs.some((rule) => rule.requiresApproval),
    connector: draft.connector ?? (endpointUrl === null ? 'simulated' : 'http_webhook'),
    endpointUrl,
    timeoutMs: draft.timeoutMs ?? DEFAULTS.timeoutMs,
    approvalExpiresSeconds: draft.approvalExpiresSeconds ?? DEFAULTS.approvalExpiresSeconds,
    amountMicroMaxAuto,
    signingGeneration,
  };
}

/**
 * What is said of the verb itself counts first, then what is said of the whole tool, then what the
 * verb means. Only a word about the verb itself makes a destructive verb harmless.
 */
function verbRuleOf(entry: unknown, draft: ToolDraft): VerbRule {
  const said: JsonObject = asObject(entry) ?? { verb: entry };
  const meaning = VERBS.find(String(said.verb));
  if (!meaning) throw new TypeError(`${String(said.verb)} is not a verb`);
  return {
    verb: meaning.code,
    risk: RISK_LEVELS.find(String(said.risk))?.code ?? draft.risk ?? meaning.risk,
    destructive: flagOf(said.destructive) ?? (draft.destructive === true || meaning.destructive),
    requiresApproval: flagOf(said.requires_approval) ?? draft.requiresApproval ?? false,
    compensatingVerb: textOf(said.compensating_verb),
    argumentsSchema: schemaOf(said.arguments_schema),
    amountField: textOf(said.amount_field),
    recordsField: textOf(said.records_field),
  };
}

function highestRisk(verbs: readonly VerbRule[]) {
  const { codes } = RISK_LEVELS;
  return codes.findLast((level) => verbs.some(({ risk }) => risk === level)) ?? 'critical';
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function schemaOf(value: unknown): JsonObject | null {
  const schema = asObject(value);
  return schema ? (JSON.parse(JSON.stringify(schema)) as JsonObject) : null;
}
