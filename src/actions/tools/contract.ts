import {
  code,
  type Field,
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
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import type { JsonObject } from '../../kernel/json.js';
import { underWireNames } from '../former-content.js';
import { meaningOf, riskInForce } from './verb-meaning.rules.js';
import { CONNECTORS, RISK_LEVELS, VERB_ORIGINS, VERBS, type VerbOrigin } from './vocabulary.js';

const VERB_RULE = fieldTable(
  'ToolVerbRule',
  'What a contract says about one of its verbs, defaults filled in.',
  {
    verb: text('A verb of the published list, or one that the tool declares.'),
    origin: code(VERB_ORIGINS, 'Who says what it means.'),
    risk: code(RISK_LEVELS, 'How risky it is, and never below the published verb of its name.'),
    readOnly: flag('It changes nothing: as published, or as the tool declares.'),
    destructive: flag('It destroys something.'),
    requiresApproval: flag('Every call of it waits for an approval.'),
    compensatingVerb: optional(
      text('The verb that undoes it; null where nothing does, so no rollback is offered.'),
    ),
    argumentsSchema: optional(
      json('JSON Schema of its arguments; null accepts any object.') as Field<JsonObject>,
    ),
    amountField: optional(text('JSON pointer to the argument that is money in rubles.')),
    recordsField: optional(
      text('JSON pointer to the argument that lists or counts what is changed.'),
    ),
  },
);

/** What a contract says about one of its verbs, defaults filled in. */
export type VerbRule = ValuesOf<typeof VERB_RULE.fields>;

/** What a version of a contract shows of itself. */
export const CONTRACT_FIELDS = {
  toolKey: text('The name of the tool in the organization.'),
  name: optional(text('What people call it; null where nobody said.')),
  description: optional(text('What it does; null where nobody said.')),
  verbs: list(object(VERB_RULE, 'A verb.'), 'What it can be asked to do.'),
  risk: code(RISK_LEVELS, 'As registered, or else the highest risk of its verbs.'),
  destructive: flag('As registered, or else whether a verb is destructive.'),
  requiresApproval: flag('As registered, or else whether a verb requires an approval.'),
  connector: code(CONNECTORS, 'What carries its actions out.'),
  endpointUrl: optional(text('What `http_webhook` calls; null for `simulated`.')),
  timeoutMs: integer('How long a call may take, all attempts together, in milliseconds.'),
  approvalExpiresSeconds: integer('How long a call waits for an approval.'),
  amountMicroMaxAuto: optional(
    money('Larger amounts wait; null leaves the limit of the kind of caller.'),
  ),
} as const;

const STORED_FIELDS = {
  ...CONTRACT_FIELDS,
  signingGeneration: integer('Counts the rotations of the signing secret, from 1.'),
} as const;

/** What a tool may do, as it was registered, defaults filled in. */
export type ToolContract = ValuesOf<typeof STORED_FIELDS>;

/** What a contract says about a verb, or undefined when it lacks the verb. */
export function ruleOf(contract: ToolContract, verb: string): VerbRule | undefined {
  return contract.verbs.find((rule) => rule.verb === verb);
}

/** Whether the contract's connector carries nothing out. */
export function isSimulated({ connector }: ToolContract): boolean {
  return connector === 'simulated';
}

/** A contract as it is stored. */
export function storedContract(contract: ToolContract): SealedContent {
  return sealedContent(STORED_FIELDS, contract);
}

/**
 * The reverse of `storedContract`, also for what was stored under earlier names, or before tools
 * could declare verbs. A risk below that of the published verb counts as that one, and a critical
 * verb that the tool declares counts as destructive.
 */
export function readContract(body: unknown): ToolContract {
  const content = underWireNames(STORED_FIELDS, body as SealedContent);
  const verbs = content.verbs as readonly SealedContent[];
  const named = verbs.map((each) => ({
    ...each,
    origin: verbOrigin(String(each.verb)),
    read_only: each.read_only ?? isReading(String(each.verb)),
  }));
  const read = openedContent(STORED_FIELDS, { ...content, verbs: named });
  return { ...read, verbs: read.verbs.map(ruleInForce) };
}

/** A rule of before as it counts today: no verb is less than it means. */
function ruleInForce(rule: VerbRule): VerbRule {
  const isDeclared = rule.origin === 'declared';
  const destructive = rule.destructive || (isDeclared && meaningOf(rule).destructive);
  return { ...rule, risk: riskInForce(rule), destructive };
}

/** Whether a published verb changes nothing; one that is not published may change something. */
export function isReading(verb: string): boolean {
  return VERBS.find(verb)?.scope === 'none';
}

/** Who says what a verb of a contract means. */
export function verbOrigin(verb: string): VerbOrigin {
  return VERBS.has(verb) ? 'published' : 'declared';
}
