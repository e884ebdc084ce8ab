import {
  bigInteger,
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { DESCENDANTS } from '../keys/vocabulary.js';
import {
  EPHEMERAL_SCOPES,
  INCIDENT_BOUNDS,
  INCIDENT_TYPES,
  KEY_ACTIONS,
  NEXT_ACTIONS,
  RISK_SIGNALS,
  RISK_VERDICTS,
  TOKEN_MODELS_MAX,
  TOKEN_NAME_MAX,
  TOKEN_REFUSALS,
  TOKEN_STATES,
} from './vocabulary.js';

/** What is asked of a new token. */
export const TOKEN_INPUT = fieldTable('EphemeralTokenInput', 'What a new token may do.', {
  scope: defaulting(
    code(EPHEMERAL_SCOPES, 'What it is for; its bounds stand in the reference.'),
    'frontend',
  ),
  ttlSeconds: optional(
    integer('How long it works, in seconds; the default of its scope unless stated.'),
  ),
  allowedModels: optional(
    list(text('A model.'), 'Models that it may name; all of the policy unless stated.', {
      max: TOKEN_MODELS_MAX,
    }),
  ),
  maxRequests: optional(
    integer('Requests and validations that it is good for; the default of its scope.'),
  ),
  maxCostMicro: optional(
    money('What its requests may cost together, VAT included; the default of its scope.'),
  ),
  name: optional(text('What it is for; its scope unless stated.', { min: 1, max: TOKEN_NAME_MAX })),
});

/** A token as it is listed, besides its id. */
export const TOKEN_FIELDS = {
  name: text('What the token is for.'),
  scope: code(EPHEMERAL_SCOPES, 'What it is for; the scope decides what it may ask for.'),
  state: code(TOKEN_STATES, 'How it stands now.'),
  allowedModels: optional(
    list(text('A model.'), 'Models that it may name; null for all that the policy allows.'),
  ),
  maxRequests: integer('Requests and validations that it is good for.'),
  requestsUsed: integer('How many of them are used.'),
  maxCostMicro: money('What its requests may cost together, VAT included.'),
  spentMicro: money('What its requests have cost.'),
  heldMicro: money('What its open requests hold of it.'),
  prefix: text('How the token begins, to recognise it.'),
  lastFour: text('How the token ends, to recognise it.'),
  projectId: uuid('The project it acts in.'),
  issuedBy: uuid('The member or key that issued it; revoking that key revokes the token.'),
  expiresAt: instant('When it stops to work.'),
  revokedAt: optional(instant('When it was revoked; null while it was not.')),
  createdAt: instant('When it was issued.'),
} as const;

/** What a broker asks. */
export const VALIDATION_INPUT = fieldTable(
  'EphemeralTokenValidationInput',
  'A token that a broker was shown.',
  { token: text('The value of the token, as a client showed it.', { min: 1, max: 512 }) },
);

/** What a broker is told. */
export const VALIDATION = fieldTable(
  'EphemeralTokenValidation',
  'Whether a broker may let a token through; one that passes has used one of its requests.',
  {
    valid: flag('True where the token works and a request of it was counted.'),
    refusal: optional(code(TOKEN_REFUSALS, 'Why it does not work; null for one that does.')),
    tokenId: optional(uuid('The id of the token; null for an unknown one.')),
    scope: optional(code(EPHEMERAL_SCOPES, 'What it is for; null for an unknown one.')),
    operations: list(text('An operation, such as chat.'), 'What it may ask for.'),
    allowedModels: optional(
      list(text('A model.'), 'Models that it may name; null for all that the policy allows.'),
    ),
    remainingRequests: integer('Requests that are left after this one.'),
    remainingCostMicro: money('What it may still cost; what open requests hold is not free.'),
    expiresAt: optional(instant('When it stops to work; null for an unknown one.')),
    remainingSeconds: integer('Whole seconds until then.'),
  },
);

/** What a scan asks. */
export const SCAN_INPUT = fieldTable('KeyRiskScanInput', 'Which key to look at.', {
  keyRef: optional(
    uuid('The id of a key or token; the key that asks unless stated. Members name one.'),
  ),
});

const SIGNAL = fieldTable('KeyRiskSignal', 'What one signal adds to the risk of a key.', {
  signal: code(RISK_SIGNALS, 'Which signal it is.'),
  value: optional(number('What was measured, in its unit; null where there is no history.')),
  unit: text('What the value counts.'),
  weight: integer('The most points that it adds.'),
  points: optional(number('What it adds; null where there is no history.')),
});

/** The risk of a key. */
export const RISK = fieldTable('KeyRisk', 'How risky a key is, measured by its own history.', {
  keyRef: uuid('The key or token that was looked at.'),
  verdict: code(RISK_VERDICTS, 'How well the risk is known.'),
  score: optional(number('From 0 to 100, the sum of all points; null for a key without any use.')),
  scoreCeiling: number('The score if every signal that lacks history were at its worst.'),
  signals: list(object(SIGNAL, 'A signal.'), 'Every signal, as the reference lists them.'),
  missing: list(text('A signal, and what would let it be measured.'), 'What lacks history.'),
  recommendedAction: code(
    KEY_ACTIONS,
    'What is advised at this score; none without a score, and for a key that ended.',
  ),
  spendAtRiskMicro: money(
    'What could be spent with the key now: the least of the free funds of the organization and ' +
      'of what is left of the budgets that every request of the key counts against.',
  ),
  provenance: code(PROVENANCES, 'Where the figures come from: the rows of the organization.'),
  scannedAt: instant('When it was measured.'),
});

/** An incident that is recorded. */
export const INCIDENT_INPUT = fieldTable(
  'AbuseIncidentInput',
  'What happened, and what was done.',
  {
    type: code(INCIDENT_TYPES, 'What happened to the key.'),
    keyRef: optional(
      uuid('The id of the key or token that it is about; actions are then taken by the gateway.'),
    ),
    actionsTaken: defaulting(
      list(
        code(KEY_ACTIONS, 'What is done to the key.'),
        'With a key: what the gateway does to it now. Without one: what was done elsewhere.',
        { max: KEY_ACTIONS.rows.length },
      ),
      [],
    ),
    requestsBlocked: optional(
      bigInteger('How many requests were blocked, as the caller states it.', {
        min: 0n,
        max: BigInt(INCIDENT_BOUNDS.countMax),
      }),
    ),
    costSavedMicro: optional(
      money('What that saved, as the caller states it.', {
        min: 0n,
        max: INCIDENT_BOUNDS.costMicroMax,
      }),
    ),
    throttlePerMinute: optional(
      integer('Requests a minute that a throttle lets through; 10 unless stated.', {
        min: 1,
        max: INCIDENT_BOUNDS.throttlePerMinuteMax,
      }),
    ),
    graceSeconds: optional(
      integer('How long the old key works beside the new one; an hour unless stated.', {
        min: INCIDENT_BOUNDS.graceSecondsMin,
        max: INCIDENT_BOUNDS.graceSecondsMax,
      }),
    ),
    descendants: optional(
      code(
        DESCENDANTS,
        'What becomes of the keys that the key has made: revoked with it, or at the end of the ' +
          'grace of a rotation, unless they are kept.',
      ),
    ),
    note: optional(text('What else is to be known.', { max: INCIDENT_BOUNDS.noteMax })),
  },
);

/** An incident as it is listed, besides its id and actions. */
export const INCIDENT_FIELDS = {
  type: code(INCIDENT_TYPES, 'What happened to the key.'),
  keyRef: optional(uuid('The key or token that it is about; null where none was named.')),
  actionsTaken: list(code(KEY_ACTIONS, 'What was done to the key.'), 'What was done to the key.'),
  requestsBlocked: optional(bigInteger('Requests that were blocked; null where not stated.')),
  costSavedMicro: optional(money('What that saved; null where not stated.')),
  provenance: code(PROVENANCES, 'Where blocked requests and saved cost come from: the caller.'),
  nextAction: code(NEXT_ACTIONS, 'What is advised next.'),
  nextActionReason: text('Why that is advised.'),
  note: optional(text('What else the caller told.')),
  reportedBy: uuid('The member or key that recorded it.'),
  createdAt: instant('When it was recorded.'),
} as const;

/** What the gateway did to a key, besides its id. */
export const ACTION_FIELDS = {
  action: code(KEY_ACTIONS, 'What was done to the key.'),
  keyId: uuid('The key or token that it was done to.'),
  requestsPerMinute: optional(integer('What a throttle lets through; null for other actions.')),
  newKeyId: optional(uuid('The key that a rotation made; null for other actions.')),
  graceEndsAt: optional(instant('When the old key ends; null unless it was rotated.')),
  canUndo: flag('Whether it can be undone now.'),
  undoing: text('What undoing it does, or why it cannot be undone.'),
  createdAt: instant('When it was done.'),
  undoneAt: optional(instant('When it was undone; null while it holds.')),
} as const;

const SEALED_ACTION = fieldTable('AbuseReceiptAction', 'What the gateway did to the key.', {
  actionId: uuid('The id of the action.'),
  action: code(KEY_ACTIONS, 'What was done to the key.'),
  requestsPerMinute: optional(integer('What a throttle lets through; null for other actions.')),
  newKeyId: optional(uuid('The key that a rotation made; null for other actions.')),
  graceEndsAt: optional(instant('When the old key ends; null unless it was rotated.')),
});

/** What is sealed of an incident. */
export const RECEIPT_FIELDS = {
  incidentId: uuid('The incident that it is about.'),
  ...INCIDENT_FIELDS,
  actions: list(object(SEALED_ACTION, 'An action.'), 'What the gateway itself did, in this order.'),
} as const;
