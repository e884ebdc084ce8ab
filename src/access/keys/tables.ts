import { KEY_TYPES } from '../../graph/permissions.js';
import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { CLASSES_OF_DATA } from '../policies/tables.js';
import { LIMIT_BOUNDS } from '../policies/vocabulary.js';
import { DESCENDANTS, KEY_BOUNDS } from './vocabulary.js';

const { modelsMax, addressesMax, budgetMicroMax, expiryDaysMax } = KEY_BOUNDS;
const { graceSecondsDefault, graceSecondsMax, secretsMax } = KEY_BOUNDS;
const CAP = { min: 1n, max: budgetMicroMax };

/** Caps on what a key spends. */
export const KEY_BUDGETS = fieldTable(
  'ApiKeyBudgets',
  'Caps on what a key and all that it has made spend together, VAT included; null where it is ' +
    'not capped. Days and months are those of Moscow.',
  {
    dailyMicro: optional(money('The most that a day may cost.', CAP)),
    monthlyMicro: optional(money('The most that a month may cost.', CAP)),
    totalMicro: optional(money('The most that all of its time may cost.', CAP)),
  },
);

/** Rates of a key. */
export const KEY_RATES = fieldTable(
  'ApiKeyRates',
  'How much a key and all that it has made ask for in a minute; null where it is not limited.',
  {
    rpm: optional(integer('Requests to models a minute.', LIMIT_BOUNDS.rpm)),
    tpm: optional(integer('Tokens a minute, those of prompt and answer.', LIMIT_BOUNDS.tpm)),
  },
);

/** What a key is limited by, beside its end and its project. */
export const LIMITS = {
  allowedModels: optional(
    list(
      text('A model or an alias of the organization.', { max: 200 }),
      `Models that requests may end at, 1 to ${modelsMax}: those that are called by their name, ` +
        'the targets of aliases that are named here, and what gw:auto chooses among them. Null ' +
        'allows all that the policy allows.',
      { max: modelsMax },
    ),
  ),
  budgets: object(KEY_BUDGETS, 'Caps on what it spends.'),
  limits: object(KEY_RATES, 'How much it asks for in a minute.'),
  allowedAddresses: optional(
    list(
      text('An address or a CIDR range.', { max: 64 }),
      `Addresses and CIDR ranges of IPv4 and IPv6 that may use it, 1 to ${addressesMax}; null ` +
        'allows all. The address of a client is told as everywhere: behind trusted proxies ' +
        'by X-Forwarded-For.',
      { max: addressesMax },
    ),
  ),
  dataClassMin: optional(
    code(
      CLASSES_OF_DATA,
      'The least class that the data of its requests has, and of those of all keys and tokens ' +
        'that it has made; null states none.',
    ),
  ),
} as const;

const EXPIRES_AT = instant(
  `When it ends by itself, at most ${expiryDaysMax} days from now and no later than the key that ` +
    'has made it; null without an end.',
);

const LIMITS_INPUT = {
  allowedModels: LIMITS.allowedModels,
  budgets: optional(LIMITS.budgets),
  limits: optional(LIMITS.limits),
  allowedAddresses: LIMITS.allowedAddresses,
  dataClassMin: LIMITS.dataClassMin,
  expiresAt: optional(EXPIRES_AT),
} as const;

const WORKSPACE =
  'The workspace of the key. All requests of the key, and of everything it makes, run under it ' +
  'and cannot name another one.';

/** What is asked of a new key. */
export const KEY_INPUT = fieldTable('ApiKeyCreateInput', 'What is asked of a new key.', {
  keyType: code(KEY_TYPES, 'What it may do.'),
  name: optional(text('What it is for, 1 to 200 characters; default is the type of the key.')),
  projectId: optional(uuid('Default: the project of the caller.')),
  workspaceId: optional(
    uuid(`${WORKSPACE} A maker that belongs to a workspace always passes it on.`),
  ),
  ...LIMITS_INPUT,
});

/** A change of what a key may do. */
export const KEY_CHANGE = fieldTable(
  'ApiKeyUpdateInput',
  'A change of what a key may do: what is left out stays, in budgets and limits each value for ' +
    'itself, and null lifts a limit.',
  {
    projectId: optional(uuid('The project that it acts in from now on.')),
    workspaceId: optional(uuid(`${WORKSPACE} Null removes it.`)),
    ...LIMITS_INPUT,
    descendants: optional(
      code(
        DESCENDANTS,
        'What becomes of the keys that it has made, where an end is stated: they end with it at ' +
          'the latest, unless they are kept. Its tokens never work longer.',
      ),
    ),
  },
);

/** How a key is rotated. */
export const ROTATE_INPUT = fieldTable('ApiKeyRotateInput', 'How a key gets a new secret.', {
  graceSeconds: defaulting(
    integer(
      `How long the present secret works on, in seconds; ${graceSecondsDefault} unless stated, ` +
        'and 0 ends it at once.',
      { min: 0, max: graceSecondsMax },
    ),
    graceSecondsDefault,
  ),
});

/** A secret of a key, by which it is recognised. */
export const KEY_SECRET = fieldTable(
  'ApiKeySecret',
  `A secret of a key that works; of one key at most ${secretsMax} do at the same time.`,
  {
    prefix: text('How the secret begins, to recognise it.'),
    lastFour: text('How it ends, to recognise it.'),
    isCurrent: flag('True for the present one, false for one that works until its grace is over.'),
    madeBy: uuid('The member or key that it was given to.'),
    madeAt: instant('When it was made.'),
    endsAt: optional(
      instant('When it stops to work; null for the present one of a key without an end.'),
    ),
    lastUsedAt: optional(
      instant('When it was used last, within some seconds; null where it was never used.'),
    ),
  },
);
