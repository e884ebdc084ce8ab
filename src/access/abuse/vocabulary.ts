import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What a token is for, what it may ask for, and how far its limits go. In micro-rubles. */
export const EPHEMERAL_SCOPES = vocabulary(
  'EphemeralScope',
  'What an ephemeral token is for: its scope decides what it may ask for, and its bounds.',
  [
    {
      code: 'frontend',
      description: 'A page in a browser: chat alone, for minutes.',
      operations: ['chat'],
      ttlSecondsDefault: 900,
      ttlSecondsMax: 3_600,
      requestsDefault: 50,
      requestsMax: 1_000,
      costMicroDefault: 50_000_000n,
      costMicroMax: 5_000_000_000n,
    },
    {
      code: 'mobile',
      description: 'An app on a phone: chat and embeddings, for hours.',
      operations: ['chat', 'embeddings'],
      ttlSecondsDefault: 3_600,
      ttlSecondsMax: 86_400,
      requestsDefault: 200,
      requestsMax: 10_000,
      costMicroDefault: 200_000_000n,
      costMicroMax: 20_000_000_000n,
    },
    {
      code: 'demo',
      description: 'A demonstration or a trial: chat alone, for days.',
      operations: ['chat'],
      ttlSecondsDefault: 86_400,
      ttlSecondsMax: 604_800,
      requestsDefault: 100,
      requestsMax: 5_000,
      costMicroDefault: 100_000_000n,
      costMicroMax: 10_000_000_000n,
    },
  ],
);

/** The scope of a token. */
export type EphemeralScope = CodeOf<typeof EPHEMERAL_SCOPES>;

/** How a token stands, the first that applies. */
export const TOKEN_STATES = vocabulary('EphemeralTokenState', 'How an ephemeral token stands.', [
  { code: 'active', description: 'It works for the next request.' },
  { code: 'revoked', description: 'It was revoked, or the key that issued it was.' },
  { code: 'expired', description: 'Its time is over.' },
  { code: 'requests_exhausted', description: 'It has made all of its requests.' },
  { code: 'cost_exhausted', description: 'All that it may cost is spent or held.' },
]);

/** The state of a token. */
export type TokenState = CodeOf<typeof TOKEN_STATES>;

/** What a broker is told of a token that does not work. */
export const TOKEN_REFUSALS = vocabulary(
  'EphemeralTokenRefusal',
  'Why a broker must not let a token through.',
  [
    { code: 'unknown', description: 'No token of the organization has this value.' },
    { code: 'revoked', description: 'It was revoked, or the key that issued it was.' },
    { code: 'expired', description: 'Its time is over.' },
    { code: 'requests_exhausted', description: 'It has made all of its requests.' },
    { code: 'cost_exhausted', description: 'All that it may cost is spent or held.' },
  ],
);

/** The most models that a token may name. */
export const TOKEN_MODELS_MAX = 100;
/** The longest name of a token. */
export const TOKEN_NAME_MAX = 200;

/** What can be done to a key. A scan recommends the last action whose score is reached. */
export const KEY_ACTIONS = vocabulary('KeyActionKind', 'What is done to a key in an incident.', [
  {
    code: 'none',
    description: 'Nothing: the key stays as it is.',
    scoreFrom: 0,
    undoing: 'There is nothing to undo.',
  },
  {
    code: 'throttle',
    description: 'Lets a few requests a minute through, on every node, from the next one on.',
    scoreFrom: 40,
    undoing: 'Lifts the throttle; the next request passes as before.',
  },
  {
    code: 'rotate',
    description: 'Makes a new key of the same rights; the old one works until its grace ends.',
    scoreFrom: 60,
    undoing: 'Within the grace the old key stays and the new one is revoked; after it, nothing.',
  },
  {
    code: 'revoke',
    description: 'Revokes the key, and the tokens that it has issued: the next request is refused.',
    scoreFrom: 80,
    undoing:
      'Cannot be undone: a key that was in strange hands does not come back. Make a new one.',
  },
]);

/** An action on a key. */
export type KeyActionCode = CodeOf<typeof KEY_ACTIONS>;

/** Bounds of an incident. Times in seconds. */
export const INCIDENT_BOUNDS = {
  noteMax: 2_000,
  countMax: 1_000_000_000,
  costMicroMax: 1_000_000_000_000_000n,
  throttlePerMinuteDefault: 10,
  throttlePerMinuteMax: 100_000,
  graceSecondsDefault: 3_600,
  graceSecondsMin: 60,
  graceSecondsMax: 2_592_000,
} as const;

/** What happened. `exposes` tells that somebody else may hold the key. */
export const INCIDENT_TYPES = vocabulary('AbuseIncidentType', 'What happened to a key.', [
  { code: 'key_leak', description: 'The key was published or sent to others.', exposes: true },
  { code: 'stolen_key', description: 'A stranger has used the key.', exposes: true },
  { code: 'token_sharing', description: 'A key or token is passed around.', exposes: true },
  {
    code: 'unusual_address',
    description: 'The key is used from where it should not be.',
    exposes: true,
  },
  { code: 'spend_spike', description: 'The key spends far more than it did.', exposes: false },
  { code: 'bot_traffic', description: 'Programs take the place of users.', exposes: false },
  { code: 'scraping', description: 'Answers are harvested in bulk.', exposes: false },
  {
    code: 'quota_evasion',
    description: 'Limits are evaded, for example with many tokens.',
    exposes: false,
  },
  {
    code: 'prompt_injection',
    description: 'Prompts try to turn the system against its owner.',
    exposes: false,
  },
  { code: 'other', description: 'Something else; the note says what.', exposes: false },
]);

/** The type of an incident. */
export type IncidentType = CodeOf<typeof INCIDENT_TYPES>;

/** What is advised after an incident was recorded. */
export const NEXT_ACTIONS = vocabulary('AbuseNextAction', 'What to do after an incident.', [
  {
    code: 'name_key',
    description: 'Record the incident with the key, so that it can be acted on.',
  },
  { code: 'revoke_key', description: 'Revoke or rotate the key: others may hold it.' },
  { code: 'scan_key', description: 'Have the risk of the key scanned, and act on what it says.' },
  { code: 'switch_clients', description: 'Move clients to the new key before the grace ends.' },
  { code: 'review_usage', description: 'Look at what the key spent before it was revoked.' },
  { code: 'lift_throttle', description: 'Undo the throttle when the cause is gone.' },
  { code: 'close', description: 'Nothing more is needed.' },
]);

/** What is advised next. */
export type NextAction = CodeOf<typeof NEXT_ACTIONS>;

/**
 * Signals of risk. Points are `weight` times a strength from 0 at `from` to 1 at `to`; all weights
 * together are 100.
 */
export const RISK_SIGNALS = vocabulary('KeyRiskSignalCode', 'What the risk of a key is made of.', [
  {
    code: 'age',
    description: 'Days since the first key of its line: rotations make one of the next.',
    weight: 15,
    from: 30,
    to: 365,
    unit: 'days',
  },
  {
    code: 'rotation',
    description: 'Days since the key was rotated; since it was created where it never was.',
    weight: 10,
    from: 90,
    to: 365,
    unit: 'days',
  },
  {
    code: 'scope',
    description: 'The part of all rights that the key carries.',
    weight: 15,
    from: 0.1,
    to: 1,
    unit: 'share',
  },
  {
    code: 'spend',
    description: 'Spending of the last 24 hours against an average day of the 14 days before.',
    weight: 25,
    from: 1.5,
    to: 10,
    unit: 'times',
  },
  {
    code: 'networks',
    description: 'Networks from which the key was used in the last 24 hours.',
    weight: 15,
    from: 3,
    to: 30,
    unit: 'networks',
  },
  {
    code: 'new_networks',
    description: 'The part of those networks that the 30 days before had not seen.',
    weight: 20,
    from: 0,
    to: 1,
    unit: 'share',
  },
]);

/** A signal of risk. */
export type RiskSignalCode = CodeOf<typeof RISK_SIGNALS>;

/** Whether a score could be given. */
export const RISK_VERDICTS = vocabulary('KeyRiskVerdict', 'How well the risk of a key is known.', [
  { code: 'scored', description: 'Every signal was measured.' },
  {
    code: 'partly_scored',
    description: 'Some signals lack history: the score may be as high as its ceiling.',
  },
  {
    code: 'cannot_score',
    description: 'The key has no history of use: there is no score, and what lifts this is named.',
  },
]);

/** How far back a scan looks. */
export const RISK_WINDOWS = { recentHours: 24, spendDays: 14, addressDays: 30 } as const;
