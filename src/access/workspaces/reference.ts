import { code, fieldTable, flag, list, object, optional, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { MACHINE_POLICY } from './tables.js';
import {
  ADOPTION_EVENTS,
  DEFAULT_POLICY,
  DEPARTMENTS,
  EVENT_SOURCES,
  RELATED_LAYERS,
  ROUTE_MODES,
  WORKSPACE_ACTIONS,
} from './vocabulary.js';

const MODE_ROW = fieldTable(
  'WorkspaceRouteModeRow',
  'The routes that a workspace can approve: rules on the models that chat may use.',
  {
    qualityTiers: list(text('A tier.'), 'Quality tiers of the models.'),
    latencyTiers: list(text('A tier.'), 'Latency tiers of the models.'),
    capability: optional(text('The capability that they need; null where none is needed.')),
  },
);
const EVENT_ROW = fieldTable('WorkspaceAdoptionEventRow', 'The steps of adoption.', {
  active: flag('Whether who does it has used the workspace.'),
});
const ACTION_ROW = fieldTable('WorkspaceActionRow', 'The actions that a policy can approve.', {
  operation: optional(text('The operation that is this action; null for a part of one.')),
  need: optional(text('The capability whose need is this action; null for an operation.')),
});
const LAYER_ROW = fieldTable('WorkspaceLayerRow', 'What works beside workspaces.', {
  call: text('The call that opens it.'),
});
const DEFAULTS = fieldTable('WorkspaceDefaultPolicy', 'What holds where nothing else is said.', {
  approvedRoutes: list(code(ROUTE_MODES, 'A route.'), 'Routes that are approved.'),
  policy: object(MACHINE_POLICY, 'What requests may do.'),
});

const { approvedRoutes, ...policy } = DEFAULT_POLICY;

publishReference({
  module: 'workspaces',
  type: 'WorkspacesReference',
  description: 'Everything that workspaces and requests under them are decided by.',
  lists: {
    departments: codes('department', DEPARTMENTS),
    adoptionEvents: rows('adoption_event', ADOPTION_EVENTS.rows, EVENT_ROW),
    eventSources: codes('event_source', EVENT_SOURCES),
    routeModes: rows('route_mode', ROUTE_MODES.rows, MODE_ROW),
    actions: rows('action', WORKSPACE_ACTIONS.rows, ACTION_ROW),
    relatedLayers: rows('layer', RELATED_LAYERS.rows, LAYER_ROW),
  },
  figures: {
    fields: { defaultPolicy: object(DEFAULTS, 'What holds where nothing else is said.') },
    values: { defaultPolicy: { approvedRoutes, policy: { ...policy, perUserBudgetMicro: null } } },
  },
});
