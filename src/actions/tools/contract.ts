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
import { CONNECTORS, RISK_LEVELS } from './vocabulary.js';

const VERB_RULE = fieldTable(
  'ToolVerbRule',
  'What a contract says about one of its verbs, defaults filled in.',
  {
    verb: text('A verb of the published list.'),
    risk: code(RISK_LEVELS, 'How risky the verb is.'),
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

/** The reverse of `storedContract`, also for what was stored under earlier names. */
export function readContract(body: unknown): ToolContract {
  return openedContent(STORED_FIELDS, underWireNames(STORED_FIELDS, body as SealedContent));
}
