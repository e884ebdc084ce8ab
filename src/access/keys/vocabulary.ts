import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Whether an API key works. */
export const KEY_STATUSES = vocabulary('ApiKeyStatus', 'Whether an API key works.', [
  { code: 'active', description: 'Requests with the key are served.' },
  { code: 'revoked', description: 'The key was revoked; requests with it are refused for ever.' },
]);

/** What becomes of the keys that a key or a member has made, where these end. */
export const DESCENDANTS = vocabulary(
  'KeyDescendants',
  'What becomes of the keys that a key or a member has made, where these end.',
  [
    {
      code: 'revoke',
      description:
        'All that was made, at any distance, ends in the same commit: the rule, since whoever ' +
        'has a leaked key makes further ones with it.',
    },
    {
      code: 'keep',
      description:
        'What was made for others goes on: of a key all but its tokens, of a member the keys of ' +
        'the type service and what these have made.',
    },
  ],
);

/** What becomes of the keys that somebody has made. */
export type Descendants = CodeOf<typeof DESCENDANTS>;

/** What the feed of anomalies tells of keys. */
export const KEY_ANOMALY_EVENTS = vocabulary(
  'KeyAnomalyEventType',
  'What the feed of anomalies tells of keys.',
  [
    {
      code: 'key_outlives_maker',
      description: 'A key works though a key that led to it, at any distance, has ended.',
    },
    {
      code: 'key_outliving_ended',
      description: 'A key that outlived one that led to it has ended.',
    },
  ],
);

/** Why a key that works outlives one that led to it. */
export const KEY_OUTLIVING_CAUSES = vocabulary(
  'ApiKeyOutlivingCause',
  'How a key ended that another one, which works, outlives.',
  [
    { code: 'revoked', description: 'It was revoked, and what it had made was kept.' },
    {
      code: 'rotated',
      description:
        'An incident put another key in its place and kept what it had made; it ends with its ' +
        'grace.',
    },
    { code: 'expired', description: 'Its end has come, and what it had made was kept.' },
  ],
);

/** What made a key. */
export const KEY_MAKERS = vocabulary('ApiKeyMaker', 'What made a key.', [
  { code: 'member', description: 'A member of the organization, who may have been removed.' },
  { code: 'key', description: 'Another key of the organization.' },
]);

/** Bounds of what a key can be limited by. Amounts in micro-rubles. */
export const KEY_BOUNDS = {
  modelsMax: 200,
  addressesMax: 100,
  budgetMicroMax: 1_000_000_000n * MICRO_PER_RUB,
  expiryDaysMax: 3_650,
  graceSecondsDefault: 86_400,
  graceSecondsMax: 2_592_000,
  /** Secrets of one key that work at once, the present one among them. */
  secretsMax: 5,
  /** Keys from one that a member has made to one that keys have made, both ends counted. */
  lineMax: 8,
  /** How far what a key or a member has made is followed; more than a line can be long. */
  distanceMax: 100,
  /** Keys that are named of all that a key or a member has made. */
  descendantsShownMax: 1_000,
  /** Keys of a tree that are shown. */
  treeShownMax: 1_000,
  /** Keys that one look for outliving ones tells of; the next look goes on. */
  outlivingToldMax: 200,
} as const;
