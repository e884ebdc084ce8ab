import { publishedGuards } from '../../kernel/decision.js';
import { fieldTable, flag, integer, list, money, number, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { NEXT_ACTION_TABLE } from './incident.rules.js';
import {
  EPHEMERAL_SCOPES,
  INCIDENT_TYPES,
  KEY_ACTIONS,
  NEXT_ACTIONS,
  RISK_SIGNALS,
  RISK_VERDICTS,
  TOKEN_REFUSALS,
  TOKEN_STATES,
} from './vocabulary.js';

const SCOPE_ROW = fieldTable('EphemeralScopeRow', 'The scopes of ephemeral tokens.', {
  operations: list(text('An operation, such as chat.'), 'What a token of it may ask for.'),
  ttlSecondsDefault: integer('How long a token works that does not say, in seconds.'),
  ttlSecondsMax: integer('How long a token may work, in seconds.'),
  requestsDefault: integer('How many requests a token is good for that does not say.'),
  requestsMax: integer('How many requests a token may be good for.'),
  costMicroDefault: money('What a token may cost that does not say.'),
  costMicroMax: money('What a token may be allowed to cost.'),
});
const ACTION_ROW = fieldTable('KeyActionRow', 'What can be done to a key.', {
  scoreFrom: integer('The score from which a scan recommends it.'),
  undoing: text('What undoing it does, or why it cannot be undone.'),
});
const TYPE_ROW = fieldTable('AbuseIncidentTypeRow', 'The types of incidents.', {
  exposes: flag('Whether somebody else may hold the key.'),
});
const SIGNAL_ROW = fieldTable(
  'KeyRiskSignalRow',
  'The signals of risk. Points are the weight times a strength from 0 at `from` to 1 at `to`.',
  {
    weight: integer('The most points that it adds; all weights together are 100.'),
    from: number('Where the signal begins to add points.'),
    to: number('Where it adds all of its weight.'),
    unit: text('What its value counts.'),
  },
);
const GUARD_ROW = fieldTable(
  'AbuseNextActionRow',
  'What is advised next, the first that applies.',
  {
    outcome: text('What is advised where the row applies.'),
  },
);

publishReference({
  module: 'abuse',
  type: 'AbuseReference',
  description: 'Everything that tokens, scans and incidents are decided by.',
  lists: {
    ephemeralScopes: rows('ephemeral_scope', EPHEMERAL_SCOPES.rows, SCOPE_ROW),
    tokenStates: codes('token_state', TOKEN_STATES),
    tokenRefusals: codes('token_refusal', TOKEN_REFUSALS),
    incidentTypes: rows('incident_type', INCIDENT_TYPES.rows, TYPE_ROW),
    keyActions: rows('key_action', KEY_ACTIONS.rows, ACTION_ROW),
    riskSignals: rows('risk_signal', RISK_SIGNALS.rows, SIGNAL_ROW),
    riskVerdicts: codes('risk_verdict', RISK_VERDICTS),
    nextActions: codes('next_action', NEXT_ACTIONS),
    nextActionRules: rows('next_action_rule', publishedGuards(NEXT_ACTION_TABLE), GUARD_ROW),
  },
});
