import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, shownFields, storedFields, typed } from '../../graph/table-types.js';
import { code, object, optional, text, uuid } from '../../kernel/fields/field.js';
import {
  INCIDENT_INCLUDE,
  incidentReceipt,
  type RecordedIncident,
  recordIncident,
  shownIncident,
} from './incidents.js';
import { shownKeyAction, undoAction } from './key-actions.js';
import { INCIDENT_RECEIPTS } from './receipts.js';
import './reference.js';
import { latestRisk, scanKey } from './risk.js';
import {
  ACTION_FIELDS,
  INCIDENT_FIELDS,
  INCIDENT_INPUT,
  RISK,
  SCAN_INPUT,
  TOKEN_FIELDS,
  TOKEN_INPUT,
  VALIDATION,
  VALIDATION_INPUT,
} from './tables.js';
import {
  type IssuedToken,
  issueToken,
  revokeToken,
  shownToken,
  TOKEN_INCLUDE,
  validateToken,
} from './tokens.js';
import { EPHEMERAL_SCOPES, INCIDENT_TYPES } from './vocabulary.js';

const EphemeralToken = builder.prismaNode('EphemeralToken', {
  id: { field: 'id', description: 'The id of the token; usage names it as the key.' },
  description:
    'A credential for browsers, apps and demonstrations that ends by itself. Its value is shown ' +
    'once, at its issue; only a keyed hash is stored.',
  include: TOKEN_INCLUDE,
  fields: (t) => shownFields(t, TOKEN_FIELDS, shownToken),
});

const KeyAction = builder.prismaNode('KeyAction', {
  id: { field: 'id', description: 'The id of the action.' },
  description: 'What the gateway did to a key in an incident, and whether it was undone.',
  fields: (t) => shownFields(t, ACTION_FIELDS, shownKeyAction),
});

const AbuseIncident = builder.prismaNode('AbuseIncident', {
  id: { field: 'id', description: 'The id of the incident.' },
  description: 'What happened to a key, what was done, and what is advised next.',
  include: INCIDENT_INCLUDE,
  fields: (t) => ({
    ...shownFields(t, INCIDENT_FIELDS, shownIncident),
    actions: t.field({
      type: [KeyAction],
      description: 'What the gateway itself did to the key, in this order.',
      resolve: ({ actions }) => actions,
    }),
  }),
});

ownList({
  field: 'ephemeralTokens',
  type: EphemeralToken,
  description: 'Ephemeral tokens of the organization, newest first, those that ended included.',
  permission: 'abuse.read',
  by: { scope: optional(code(EPHEMERAL_SCOPES, 'Only tokens of this scope.')) },
});

ownList({
  field: 'abuseIncidents',
  type: AbuseIncident,
  description: 'Incidents that were recorded, newest first.',
  permission: 'abuse.read',
  by: {
    incidentType: optional(code(INCIDENT_TYPES, 'Only incidents of this type.')),
    keyId: optional(uuid('Only incidents of this key or token.')),
  },
});

const IssuedTokenType = builder.objectRef<IssuedToken>('EphemeralTokenIssued').implement({
  description: 'A new token with its value.',
  fields: (t) => ({
    ...storedFields(t, {
      token: text('The value, shown this once; clients send it as a bearer.'),
      ephemeralToken: typed(EphemeralToken, 'The token as the list of tokens shows it.'),
    }),
    tokenId: t.field({
      type: 'ID',
      description: 'The id of the token; use it to revoke the token.',
      resolve: ({ ephemeralToken }) => ephemeralToken.id,
    }),
  }),
});

const RecordedIncidentType = builder
  .objectRef<RecordedIncident>('AbuseIncidentRecorded')
  .implement({
    description: 'A recorded incident, with the key that a rotation has made.',
    fields: (t) => ({
      incidentId: t.field({
        type: 'ID',
        description: 'The id of the incident.',
        resolve: ({ incident }) => incident.id,
      }),
      ...shownFields(
        t,
        {
          nextAction: INCIDENT_FIELDS.nextAction,
          nextActionReason: INCIDENT_FIELDS.nextActionReason,
          newKey: optional(
            text('The value of the new key, shown this once; null unless the key was rotated.'),
          ),
        },
        ({ incident, newKey }) => ({ ...shownIncident(incident), newKey }),
      ),
      ...storedFields(t, {
        incident: typed(AbuseIncident, 'The incident as the log of incidents shows it.'),
      }),
    }),
  });

const READ = { can: 'abuse.read' } as const;
const WRITE = { can: 'abuse.write' } as const;

builder.queryFields((t) => ({
  keyRisk: t.field({
    type: outputOf(RISK),
    nullable: true,
    description: 'The latest scan of a key or token; null where none was made.',
    authScopes: READ,
    args: argsOf(t, { ref: uuid('The id of the key or token.') }),
    resolve: (_root, { ref }, ctx) => latestRisk(authorized(ctx), ref),
  }),
  abuseIncidentReceipt: t.field({
    type: INCIDENT_RECEIPTS.type,
    description: 'The sealed receipt of an incident.',
    authScopes: READ,
    args: argsOf(t, { id: uuid('The id of the incident.') }),
    resolve: (_root, { id }, ctx) => incidentReceipt(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => ({
  ephemeralTokenIssue: t.field({
    type: IssuedTokenType,
    description:
      'Issues an ephemeral token. It may do what its scope says, as far as whoever issues it ' +
      'may, and its requests are decided, held and settled as those of any key.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(TOKEN_INPUT, 'What it may do, and for how long.') }),
    resolve: (_root, { input }, ctx) => issueToken(authorized(ctx), input),
  }),
  ephemeralTokenRevoke: t.field({
    type: EphemeralToken,
    description: 'Revokes a token: the next request with it is refused on every node.',
    authScopes: WRITE,
    args: argsOf(t, { id: uuid('The id of the token.') }),
    resolve: (_root, { id }, ctx) => revokeToken(authorized(ctx), id),
  }),
  ephemeralTokenValidate: t.field({
    type: outputOf(VALIDATION),
    description:
      'Tells a broker whether it may let a token through. One that works has one request ' +
      'counted; one that does not is an answer, not an error.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(VALIDATION_INPUT, 'The token that the broker was shown.') }),
    resolve: (_root, { input }, ctx) => validateToken(authorized(ctx), input),
  }),
  keyRiskScan: t.field({
    type: outputOf(RISK),
    description: 'Measures the risk of a key by its own history, and records it.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(SCAN_INPUT, 'Which key to look at.') }),
    resolve: (_root, { input }, ctx) => scanKey(authorized(ctx), input),
  }),
  abuseIncidentRecord: t.field({
    type: RecordedIncidentType,
    description:
      'Records an incident. Where it names a key, its actions are taken on the key in the same ' +
      'transaction and hold for the next request on every node.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(INCIDENT_INPUT, 'What happened, and what to do.') }),
    resolve: (_root, { input }, ctx) => recordIncident(authorized(ctx), input),
  }),
  keyActionUndo: t.field({
    type: KeyAction,
    description: 'Undoes what an incident did to a key, where that is possible.',
    authScopes: WRITE,
    args: argsOf(t, { id: uuid('The id of the action.') }),
    resolve: (_root, { id }, ctx) => undoAction(authorized(ctx), id),
  }),
}));
