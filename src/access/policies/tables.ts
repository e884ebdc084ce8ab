import {
  allOptional,
  code,
  defaulting,
  fieldTable,
  flag,
  integer,
  list,
  money,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { UNREAD_KINDS, UNREAD_MODES } from '../../kernel/firewall/contents.js';
import { OWN_CLASS_BOUNDS } from '../../kernel/firewall/own-classes.js';
import { DATA_CLASSES, FINDING_CLASSES, FIREWALL_MODES } from '../../kernel/firewall/vocabulary.js';
import { vocabulary } from '../../kernel/vocabulary.js';
import { HYBRID_MODES, LIMIT_BOUNDS, type LimitName } from './vocabulary.js';

/** Which data routes a request may take. */
export const HYBRIDS = vocabulary(
  'HybridMode',
  'Which data routes a request may take.',
  HYBRID_MODES,
);

const MODES = vocabulary('FirewallMode', 'What is done about a class of finding.', FIREWALL_MODES);

/** The classes of data as a list of the schema. */
export const CLASSES_OF_DATA = vocabulary(
  'DataClass',
  'Sensitivity of data, lowest first.',
  DATA_CLASSES,
);

const POSITIVE = { min: 1n };

/** Caps on spending. */
export const BUDGETS = fieldTable(
  'PolicyBudgets',
  'Caps on spending, VAT included. Days and months are those of Moscow.',
  {
    dailyMicro: optional(money('Most a day may cost; null when days are not capped.', POSITIVE)),
    monthlyMicro: optional(
      money('Most a month may cost; null when months are not capped.', POSITIVE),
    ),
  },
);

function limit(name: LimitName) {
  const { description, ...bounds } = LIMIT_BOUNDS[name];
  return optional(integer(description, bounds));
}

/** Numeric limits. */
export const LIMITS = fieldTable(
  'PolicyLimits',
  'How many requests and tokens a minute, and how much at once, the policy allows; null where it ' +
    'does not limit.',
  {
    rpm: limit('rpm'),
    tpm: limit('tpm'),
    concurrency: limit('concurrency'),
    maxOutputTokens: limit('maxOutputTokens'),
  },
);

/** The mode of each class of finding. */
export const FIREWALL = fieldTable(
  'PolicyFirewall',
  'The mode of each class of finding; a class that is left out keeps its default.',
  Object.fromEntries(
    FINDING_CLASSES.map((row) => [row.code, optional(code(MODES, row.description))]),
  ),
);

/** What is done about each kind of content that the firewall cannot read. */
export const UNREAD = fieldTable(
  'PolicyFirewallUnread',
  'What is done about each kind of content that the firewall cannot read. A kind that no policy ' +
    'names takes routes inside Russia only (`rf_only`).',
  Object.fromEntries(
    UNREAD_KINDS.map((row) => [row.code, optional(code(UNREAD_MODES, row.description))]),
  ),
);

const { nameLength, words, wordLength, patterns, patternLength } = OWN_CLASS_BOUNDS;

/** A class of finding that a policy defines. */
export const OWN_CLASS = fieldTable(
  'PolicyOwnClass',
  'A class of finding that a policy defines: at least one word or pattern.',
  {
    name: text(
      `1 to ${nameLength} lower-case letters, in words joined by \`_\`. Receipts, usage and ` +
        'placeholders carry it: findings of `project_name` become `[[GW_PROJECT_NAME_1]]`.',
    ),
    words: defaulting(
      list(
        text('A word or phrase.'),
        `At most ${words} words or phrases of 2 to ${wordLength} characters. They are found as ` +
          'whole words, whatever their case, with `ё` equal to `е`; other forms of a word are ' +
          'other words.',
      ),
      [],
    ),
    patterns: defaulting(
      list(
        text('An expression.'),
        `At most ${patterns} expressions of RE2 of up to ${patternLength} characters: neither ` +
          'look-around nor back-references, and the time is linear. `(?i)` ignores case.',
      ),
      [],
    ),
    mode: code(MODES, 'What is done about it.'),
    dataClass: defaulting(code(CLASSES_OF_DATA, 'How sensitive it is.'), 'C2'),
  },
);

const PARTS = {
  name: text('What the policy is called.'),
  enabled: flag('Whether the policy is in force.'),
  budgets: object(BUDGETS, 'Caps on spending.'),
  allowedModels: list(text('A model.'), 'Models that may be used; null allows all.'),
  limits: object(LIMITS, 'How many requests and tokens a minute, and how much at once, to allow.'),
  hybrid: code(HYBRIDS, 'Which data routes are open; default `hybrid`.'),
  dataClassMin: code(
    CLASSES_OF_DATA,
    'The least class that the data of the project has, whatever the firewall finds; null states ' +
      'none.',
  ),
  firewall: object(FIREWALL, 'The mode of each class of finding.'),
  firewallCustom: list(
    object(OWN_CLASS, 'A class.'),
    `Classes of finding of your own, at most ${OWN_CLASS_BOUNDS.classes}: words and patterns. ` +
      'They hold for requests and answers. Compiled, the patterns of all policies of an ' +
      `organization have at most ${OWN_CLASS_BOUNDS.patternSizeTogether} instructions. ` +
      'Where several policies define one, all its words and patterns count and the strictest ' +
      'mode wins.',
  ),
  firewallUnread: object(
    UNREAD,
    'What is done about content that the firewall cannot read, by its kind; of several policies ' +
      'that name a kind the strictest wins.',
  ),
} as const;

/** A new policy. */
export const CREATE_INPUT = fieldTable(
  'PolicyCreateInput',
  'A new policy. Parts that are left out do not limit.',
  {
    ...allOptional(PARTS),
    name: defaulting(PARTS.name, 'policy'),
    enabled: defaulting(PARTS.enabled, true),
    projectId: optional(uuid('Default: the project of the caller.')),
  },
);

/** A change of a policy. */
export const UPDATE_INPUT = fieldTable(
  'PolicyUpdateInput',
  'A change: a part that is left out stays, one that is given replaces the old one, and null ' +
    'lifts it.',
  {
    ...allOptional(PARTS),
    expectedVersion: optional(integer('Change only this version; another one is refused.')),
  },
);
