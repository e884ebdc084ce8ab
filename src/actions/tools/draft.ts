import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits, length, oneOf } from '../../kernel/errors/faults.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  json,
  list,
  money,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { argumentSchemaFaults } from './arguments-schema.js';
import { isReading, type ToolContract, type VerbRule, verbOrigin } from './contract.js';
import { boundedJson, isPointer } from './json-values.js';
import { higherRisk, meaningOf, riskInForce } from './verb-meaning.rules.js';
import { BOUNDS, CONNECTORS, DEFAULTS, RISK_LEVELS, type RiskLevel, VERBS } from './vocabulary.js';

const { timeoutMsMin, timeoutMsMax } = BOUNDS;
const { approvalExpiresSecondsMin, approvalExpiresSecondsMax } = BOUNDS;

const VERB_DRAFT = fieldTable(
  'ToolVerbInput',
  'A verb of a contract. What is said of it counts before what the contract says.',
  {
    verb: text(
      'A verb of the published list, or one that the tool declares: then `risk` is stated. Lower ' +
        `case, joined by single _, at most ${BOUNDS.verbCharactersMax} characters.`,
    ),
    risk: optional(
      code(
        RISK_LEVELS,
        'How risky it is; default as the contract, else the verb. It cannot be below that of the ' +
          'published verb of its name.',
      ),
    ),
    readOnly: optional(
      flag(
        'A verb that the tool declares changes nothing; default false. Else it counts as one ' +
          'that moves money, so that calls without a known amount wait for an approval.',
      ),
    ),
    destructive: optional(flag('It destroys something; default as the contract, else the verb.')),
    requiresApproval: optional(
      flag('Every call of it waits for an approval; default as the contract.'),
    ),
    compensatingVerb: optional(
      text('The verb of the contract that undoes it; without one no rollback is offered.'),
    ),
    argumentsSchema: optional(json('JSON Schema of its arguments; default any object.')),
    amountField: optional(text('JSON pointer to the argument that is money in rubles.')),
    recordsField: optional(
      text('JSON pointer to the argument that lists or counts what is changed.'),
    ),
  },
);

type VerbDraft = ValuesOf<typeof VERB_DRAFT.fields>;

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
    verbs: list(object(VERB_DRAFT, 'A verb.'), 'The verbs of the tool, each once.', {
      min: 1,
      max: VERBS.codes.length,
    }),
    risk: optional(
      code(
        RISK_LEVELS,
        'The risk of every published verb that does not say its own, where that of the verb is ' +
          'not higher; default that of the verb.',
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

function verbsFaults(verbs: readonly VerbDraft[]): Fault[] {
  const names = verbs.map(({ verb }) => verb);
  return verbs.flatMap((draft, index) => {
    const at = `input.verbs.${index}`;
    const isTwice = names.indexOf(draft.verb) < index;
    return [...verbFaults(at, draft, names), ...fits(at, !isTwice, `lists ${draft.verb} again`)];
  });
}

function verbFaults(at: string, draft: VerbDraft, names: readonly string[]): Fault[] {
  const { verb, compensatingVerb, argumentsSchema, amountField, recordsField } = draft;
  const others = names.filter((name) => name !== verb);
  const schemaPath = `${at}.argumentsSchema`;
  return [
    ...(argumentsSchema === null ? [] : schemaFaults(schemaPath, argumentsSchema)),
    ...pointerFaults(`${at}.amountField`, amountField, '/amount_rub'),
    ...pointerFaults(`${at}.recordsField`, recordsField, '/record_ids'),
    ...nameFaults(at, draft),
    ...oneOf(`${at}.compensatingVerb`, compensatingVerb, others),
  ];
}

const VERB_NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const NAME_FORM = 'must be lower-case letters and digits, joined by single _';

/** A verb that is not published is declared by its risk: without one its name is unknown. */
function nameFaults(at: string, draft: VerbDraft): Fault[] {
  const { verb, risk, readOnly } = draft;
  const meaning = VERBS.find(verb);
  if (meaning) {
    const isBelow = risk !== null && higherRisk(risk, meaning.risk) !== risk;
    const isAsPublished = readOnly === null || readOnly === isReading(verb);
    return [
      ...fits(`${at}.risk`, !isBelow, `cannot be below ${meaning.risk}, which ${verb} has`),
      ...fits(`${at}.readOnly`, isAsPublished, `is stated by the published verb ${verb}`),
    ];
  }
  if (risk === null) return oneOf(`${at}.verb`, verb, VERBS.codes);
  const { verbCharactersMax: max } = BOUNDS;
  const isName = VERB_NAME.test(verb);
  return [
    ...length(`${at}.verb`, verb, { min: 1, max }),
    ...fits(`${at}.verb`, isName, NAME_FORM),
    ...declaredFaults(at, draft, risk),
  ];
}

/** What the members of a declared verb cannot be beside one another. */
function declaredFaults(at: string, draft: VerbDraft, risk: RiskLevel): Fault[] {
  const { readOnly, destructive, amountField, recordsField } = draft;
  const reads = readOnly === true;
  const changes = destructive === true || amountField !== null || recordsField !== null;
  const isHarmless = risk === 'critical' && !reads && destructive === false;
  return [
    ...fits(`${at}.readOnly`, !(reads && changes), 'contradicts what is said of its changes'),
    ...fits(`${at}.destructive`, !isHarmless, 'cannot be false for a critical verb'),
  ];
}

function pointerFaults(path: string, given: string | null, example: string): Fault[] {
  const isValid = given === null || isPointer(given);
  return isValid ? [] : [fault(path, 'wrong_type', `must be a JSON pointer such as ${example}`)];
}

function schemaFaults(path: string, value: unknown): Fault[] {
  if (!asObject(value)) return [fault(path, 'wrong_type', 'must be a JSON Schema object')];
  const bounds = { bytesMax: BOUNDS.schemaBytesMax, valuesMax: BOUNDS.argumentValuesMax };
  const { value: schema, faults } = boundedJson(path, value, bounds);
  const object = asObject(schema);
  return object ? argumentSchemaFaults(path, object) : [...faults];
}

/** The contract that a draft without faults states, defaults filled in. */
export function contractOf(draft: ToolDraft, signingGeneration: number): ToolContract {
  const verbs = draft.verbs.map((said) => verbRuleOf(said, draft));
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
 * verb means. Only a word about the verb itself makes a destructive verb harmless, and nothing
 * makes a verb less risky than the published one of its name.
 */
function verbRuleOf(said: VerbDraft, draft: ToolDraft): VerbRule {
  const { verb } = said;
  const published = VERBS.find(verb)?.risk;
  const stated = said.risk ?? draft.risk ?? published;
  if (!stated) throw new TypeError(`${verb} is not a verb`);
  const risk = riskInForce({ verb, risk: stated });
  const readOnly = said.readOnly ?? isReading(verb);
  const { destructive } = meaningOf({ verb, risk, readOnly });
  return {
    verb,
    origin: verbOrigin(verb),
    risk,
    readOnly,
    destructive: said.destructive ?? (draft.destructive === true || destructive),
    requiresApproval: said.requiresApproval ?? draft.requiresApproval ?? false,
    compensatingVerb: said.compensatingVerb,
    argumentsSchema: schemaOf(said.argumentsSchema),
    amountField: said.amountField,
    recordsField: said.recordsField,
  };
}

function highestRisk(verbs: readonly VerbRule[]) {
  const { codes } = RISK_LEVELS;
  return codes.findLast((level) => verbs.some(({ risk }) => risk === level)) ?? 'critical';
}

function schemaOf(value: unknown): JsonObject | null {
  const schema = asObject(value);
  return schema ? (JSON.parse(JSON.stringify(schema)) as JsonObject) : null;
}
