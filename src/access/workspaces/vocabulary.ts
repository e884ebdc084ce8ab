import { vocabulary } from '../../kernel/vocabulary.js';

/** The departments that a workspace can be enabled for. */
export const DEPARTMENTS = vocabulary('WorkspaceDepartment', 'A department of an organization.', [
  { code: 'sales', description: 'Sells, and talks to customers before they buy.' },
  { code: 'marketing', description: 'Texts, campaigns and research of the market.' },
  { code: 'support', description: 'Answers customers who have bought.' },
  { code: 'hr', description: 'Hires and looks after employees.' },
  { code: 'legal', description: 'Contracts and questions of law.' },
  { code: 'finance', description: 'Books, payments and planning.' },
  { code: 'procurement', description: 'Buys, and compares offers.' },
  { code: 'operations', description: 'Keeps the work of every day going.' },
  { code: 'engineering', description: 'Builds products and runs systems.' },
  { code: 'product', description: 'Decides what is built.' },
  { code: 'management', description: 'Leads the organization.' },
  { code: 'other', description: 'A department that is none of the others.' },
]);

/**
 * What an approved route lets a chat request use. A model must have one of the tiers of quality and
 * of latency, and the capability where one is named.
 */
export const ROUTE_MODES = vocabulary('WorkspaceRouteMode', 'A route that a workspace approves.', [
  {
    code: 'fast',
    description: 'Models that are declared fast and are not premium: short answers, drafts.',
    qualityTiers: ['basic', 'good'],
    latencyTiers: ['fast'],
    capability: null,
  },
  {
    code: 'balanced',
    description: 'Every model that is not premium: most work of every day.',
    qualityTiers: ['basic', 'good'],
    latencyTiers: ['fast', 'medium', 'slow'],
    capability: null,
  },
  {
    code: 'document',
    description: 'Models with a window of 128,000 tokens or more, premium ones among them.',
    qualityTiers: ['basic', 'good', 'high'],
    latencyTiers: ['fast', 'medium', 'slow'],
    capability: 'long_context',
  },
]);

/** What a request may do under a workspace. A request does an action where it has what is named. */
export const WORKSPACE_ACTIONS = vocabulary(
  'WorkspaceAction',
  'What requests may do under a workspace.',
  [
    { code: 'chat', description: 'Chat, whole or streamed.', operation: 'chat', need: null },
    {
      code: 'embeddings',
      description: 'Vectors of texts.',
      operation: 'embeddings',
      need: null,
    },
    {
      code: 'tools',
      description: 'Offers tools to the model, which can act on other systems.',
      operation: null,
      need: 'tools',
    },
    { code: 'images', description: 'Sends images to the model.', operation: null, need: 'vision' },
    { code: 'audio', description: 'Sends sound to the model.', operation: null, need: 'audio' },
  ],
);

/** Steps of taking a workspace up. `active` tells whether who does it has used the workspace. */
export const ADOPTION_EVENTS = vocabulary(
  'WorkspaceAdoptionEvent',
  'A step of taking a workspace up.',
  [
    { code: 'employee_invited', description: 'An employee was invited.', active: false },
    { code: 'first_request', description: 'An employee made a first request.', active: true },
    {
      code: 'prompt_pack_used',
      description: 'An employee used a pack of prompts; `prompt_pack` names it.',
      active: true,
    },
    {
      code: 'policy_block',
      description:
        'The policy stopped a request. The gateway records its own blocks; others are recorded.',
      active: true,
    },
    {
      code: 'task_completed',
      description: 'A task was done; `time_saved_minutes` says what that saved, as it is declared.',
      active: true,
    },
  ],
);

/** Who has recorded an event. */
export const EVENT_SOURCES = vocabulary('AdoptionEventSource', 'Who has recorded an event.', [
  { code: 'caller', description: 'The organization, by a call.' },
  { code: 'gateway', description: 'The gateway itself, when it stopped a request.' },
]);

/** Related layers, with the call that opens each. */
export const RELATED_LAYERS = vocabulary('WorkspaceLayer', 'What works beside workspaces.', [
  {
    code: 'policies',
    description: 'Policies of the project hold beside the workspace: the strictest wins.',
    call: 'GET /v1/gw/policies',
  },
  {
    code: 'budgets',
    description: 'Budgets of policies and scopes count beside those of users, in the same hold.',
    call: 'GET /v1/gw/finops/budgets',
  },
  {
    code: 'prompts',
    description: 'Prompt packages that employees use.',
    call: 'GET /v1/gw/prompts',
  },
  {
    code: 'tools',
    description: 'Tools that act on other systems, with approvals.',
    call: 'GET /v1/gw/tools',
  },
  {
    code: 'value',
    description: 'Business results, with what they have cost.',
    call: 'GET /v1/gw/value/roi',
  },
  {
    code: 'usage',
    description: 'The requests themselves; metadata.gw_workspace names workspace and user.',
    call: 'GET /usage',
  },
]);

/** What holds where a new workspace does not say otherwise. */
export const DEFAULT_POLICY = {
  approvedRoutes: ['fast', 'balanced'],
  dataClasses: ['C0', 'C1', 'C2'],
  actions: ['chat', 'embeddings'],
  perUserBudgetPeriod: 'month',
} as const;

/** Bounds of workspaces. */
export const WORKSPACE_BOUNDS = {
  nameMax: 120,
  userMax: 128,
  packMax: 128,
  reasonMax: 500,
  externalRefMax: 200,
  minutesMax: 1_440,
  workspacesMax: 1_000,
  usersMax: 20_000,
  budgetMicroMax: 1_000_000_000_000_000n,
  windowDaysDefault: 30,
  windowDaysMax: 366,
  occurredDaysMax: 400,
} as const;

/** Who makes requests. */
export const BOUNDARY_CALLERS = vocabulary('WorkspaceCallerKind', 'Who makes requests.', [
  { code: 'key', description: 'An API key or an ephemeral token.' },
  { code: 'member', description: 'A member with an access token.' },
]);

/** Why a boundary refuses a request: codes of errors. */
export const BOUNDARY_REASONS = vocabulary(
  'WorkspaceBoundaryReason',
  'Why the boundary of workspaces refuses a request: the code of the error.',
  [
    {
      code: 'workspace_required',
      description: 'A workspace is required, and the request names none.',
    },
    { code: 'workspace_boundary', description: 'Two of what names a workspace differ.' },
  ],
);

/** Bounds of a dry run of a boundary. */
export const BOUNDARY_BOUNDS = { requestsMax: 200_000, groupsMax: 5_000, shownMax: 1_000 } as const;
