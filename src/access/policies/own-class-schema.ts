import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { OWN_CLASS_BOUNDS, type OwnClassRule } from '../../kernel/firewall/own-classes.js';
import {
  DATA_CLASSES,
  type DataClass,
  FIREWALL_MODES,
  type FirewallMode,
} from '../../kernel/firewall/vocabulary.js';

/** What the firewall does, as policies say it. */
export const FirewallModeEnum = builder.enumType('FirewallMode', {
  description: 'What is done about a class of finding.',
  values: enumValues(FIREWALL_MODES),
});

const DataClassEnum = builder.enumType('DataClass', {
  description: 'Sensitivity of data, lowest first.',
  values: enumValues(DATA_CLASSES),
});

/** What a class of the customer is where the policy does not say. */
const DEFAULT_DATA_CLASS: DataClass = 'C2';

const { nameLength, words, wordLength, patterns, patternLength } = OWN_CLASS_BOUNDS;

const DESCRIPTIONS = {
  name:
    `1 to ${nameLength} lower-case letters, in words joined by \`_\`. Receipts, usage and ` +
    'placeholders carry it: findings of `project_name` become `[[GW_PROJECT_NAME_1]]`.',
  words:
    `At most ${words} words or phrases of 2 to ${wordLength} characters. They are found as whole ` +
    'words, whatever their case, with `ё` equal to `е`; other forms of a word are other words.',
  patterns:
    `At most ${patterns} expressions of RE2 of up to ${patternLength} characters: neither ` +
    'look-around nor back-references, and the time is linear. `(?i)` ignores case.',
  mode: 'What is done about it.',
} as const;

/** A class that a policy defines, as it is stated. */
export const OwnClassInput = builder.inputType('PolicyOwnClassInput', {
  description: 'A class of finding of your own: at least one word or pattern.',
  fields: (t) => ({
    name: t.string({ required: true, description: DESCRIPTIONS.name }),
    words: t.stringList({ description: DESCRIPTIONS.words }),
    patterns: t.stringList({ description: DESCRIPTIONS.patterns }),
    mode: t.field({ type: FirewallModeEnum, required: true, description: DESCRIPTIONS.mode }),
    dataClass: t.field({
      type: DataClassEnum,
      description: `How sensitive it is; default \`${DEFAULT_DATA_CLASS}\`.`,
    }),
  }),
});

/** The values of an input of that type. */
export interface OwnClassArgs {
  readonly name: string;
  readonly words?: readonly string[] | null;
  readonly patterns?: readonly string[] | null;
  readonly mode: FirewallMode;
  readonly dataClass?: DataClass | null;
}

/** The class that an input states. */
export function ownClassOf(args: OwnClassArgs): OwnClassRule {
  return {
    name: args.name,
    words: args.words ?? [],
    patterns: args.patterns ?? [],
    mode: args.mode,
    dataClass: args.dataClass ?? DEFAULT_DATA_CLASS,
  };
}

/** A class that a policy defines. */
export const PolicyOwnClass = builder.objectRef<OwnClassRule>('PolicyOwnClass').implement({
  description: 'A class of finding that a policy defines.',
  fields: (t) => ({
    name: t.exposeString('name', { description: DESCRIPTIONS.name }),
    words: t.exposeStringList('words', { description: DESCRIPTIONS.words }),
    patterns: t.exposeStringList('patterns', { description: DESCRIPTIONS.patterns }),
    mode: t.expose('mode', { type: FirewallModeEnum, description: DESCRIPTIONS.mode }),
    dataClass: t.expose('dataClass', {
      type: DataClassEnum,
      description: 'How sensitive it is.',
    }),
  }),
});
