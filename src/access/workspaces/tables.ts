import {
  code,
  defaulting,
  fieldTable,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  periodBegin,
  periodEnd,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { BUDGET_PERIODS } from '../budgets/vocabulary.js';
import { CLASSES_OF_DATA } from '../policies/tables.js';
import {
  ADOPTION_EVENTS,
  DEFAULT_POLICY,
  DEPARTMENTS,
  EVENT_SOURCES,
  ROUTE_MODES,
  WORKSPACE_ACTIONS,
  WORKSPACE_BOUNDS,
} from './vocabulary.js';

const { nameMax, userMax, packMax, externalRefMax, minutesMax, budgetMicroMax } = WORKSPACE_BOUNDS;

const PARTS = {
  departments: list(code(DEPARTMENTS, 'A department.'), 'Departments that it is enabled for.', {
    max: DEPARTMENTS.rows.length,
  }),
  approvedRoutes: list(
    code(ROUTE_MODES, 'A route.'),
    'Routes that chat may take: each is a rule on models, as the reference says.',
    { min: 1, max: ROUTE_MODES.rows.length },
  ),
} as const;

const POLICY = {
  dataClasses: list(
    code(CLASSES_OF_DATA, 'A class of data.'),
    'Classes of data that requests may carry, judged after masking by the firewall.',
    { min: 1, max: CLASSES_OF_DATA.rows.length },
  ),
  dataClassMin: optional(
    code(
      CLASSES_OF_DATA,
      'The least class that the data of requests has, whatever the firewall finds; null states ' +
        'none. It must be at most the highest of `dataClasses`.',
    ),
  ),
  actions: list(code(WORKSPACE_ACTIONS, 'An action.'), 'What requests may do.', {
    min: 1,
    max: WORKSPACE_ACTIONS.rows.length,
  }),
  perUserBudgetMicro: optional(
    money('What each user may spend in a period, VAT included; null for no limit.', {
      min: 1n,
      max: budgetMicroMax,
    }),
  ),
  perUserBudgetPeriod: code(BUDGET_PERIODS, 'The period of it. Days and months are of Moscow.'),
} as const;

/** What requests may do under a workspace. */
export const MACHINE_POLICY = fieldTable(
  'WorkspacePolicy',
  'What requests may do that are made under the workspace.',
  POLICY,
);

const POLICY_INPUT = fieldTable(
  'WorkspacePolicyInput',
  'What requests may do; the default policy of the reference where nothing is said.',
  {
    dataClasses: defaulting(POLICY.dataClasses, DEFAULT_POLICY.dataClasses),
    dataClassMin: POLICY.dataClassMin,
    actions: defaulting(POLICY.actions, DEFAULT_POLICY.actions),
    perUserBudgetMicro: POLICY.perUserBudgetMicro,
    perUserBudgetPeriod: defaulting(POLICY.perUserBudgetPeriod, DEFAULT_POLICY.perUserBudgetPeriod),
  },
);

const NAME = text('What it is called.', { min: 1, max: nameMax });

/** A policy of which nothing is said: each part then takes its default. */
const UNSAID = {} as ValuesOf<typeof POLICY_INPUT.fields>;

/** A new workspace. */
export const WORKSPACE_INPUT = fieldTable('WorkspaceInput', 'A workspace of employees.', {
  name: defaulting(NAME, 'Workspace'),
  departments: defaulting(PARTS.departments, []),
  approvedRoutes: defaulting(PARTS.approvedRoutes, DEFAULT_POLICY.approvedRoutes),
  policy: defaulting(object(POLICY_INPUT, 'What requests may do under it.'), UNSAID),
});

const POLICY_CHANGE = fieldTable('WorkspacePolicyChangeInput', 'What changes of the policy.', {
  dataClasses: optional(POLICY.dataClasses),
  dataClassMin: POLICY.dataClassMin,
  actions: optional(POLICY.actions),
  perUserBudgetMicro: POLICY.perUserBudgetMicro,
  perUserBudgetPeriod: optional(POLICY.perUserBudgetPeriod),
});

/** A change of a workspace. */
export const WORKSPACE_CHANGE = fieldTable(
  'WorkspaceChangeInput',
  'What changes of a workspace: what is left out stays as it is.',
  {
    name: optional(NAME),
    approvedRoutes: optional(PARTS.approvedRoutes),
    policy: optional(object(POLICY_CHANGE, 'What changes of the policy.')),
  },
);

/** Departments that are enabled. */
export const DEPARTMENTS_INPUT = fieldTable(
  'WorkspaceDepartmentsInput',
  'Departments that a workspace is enabled for.',
  {
    departments: list(code(DEPARTMENTS, 'A department.'), 'They join those that are enabled.', {
      min: 1,
      max: DEPARTMENTS.rows.length,
    }),
  },
);

/** A workspace as it is shown, besides its id. */
export const WORKSPACE_FIELDS = {
  name: text('What it is called.'),
  ...PARTS,
  policy: object(MACHINE_POLICY, 'What requests may do under it.'),
  version: integer('Raised with each change; requests that are under way are decided again.'),
  createdBy: uuid('The member or key that created it.'),
  createdAt: instant('When it was created.'),
  updatedAt: instant('When it was last changed.'),
} as const;

/** An adoption event that is recorded. */
export const EVENT_INPUT = fieldTable('AdoptionEventInput', 'A step of taking a workspace up.', {
  workspaceId: uuid('The id of the workspace.'),
  event: code(ADOPTION_EVENTS, 'What happened in the workspace.'),
  userId: optional(
    text('The employee, by the name that requests state in metadata.user_id; a member itself.', {
      min: 1,
      max: userMax,
    }),
  ),
  department: optional(code(DEPARTMENTS, 'The department of the employee.')),
  promptPack: optional(text('The pack of prompts that was used.', { min: 1, max: packMax })),
  timeSavedMinutes: optional(
    number('What a completed task has saved, as the caller declares it.', {
      min: 0,
      max: minutesMax,
    }),
  ),
  occurredAt: optional(instant('When it happened; now unless stated.')),
  externalRef: optional(
    text('The caller’s own name of the event: it is recorded once.', {
      min: 1,
      max: externalRefMax,
    }),
  ),
});

/** An adoption event as it is shown, besides its id. */
export const EVENT_FIELDS = {
  workspaceId: uuid('The id of the workspace.'),
  event: code(ADOPTION_EVENTS, 'What happened in the workspace.'),
  source: code(EVENT_SOURCES, 'Who has recorded it.'),
  userId: optional(text('The employee; null where the request named none.')),
  department: optional(text('The department; null where none was named.')),
  promptPack: optional(text('The pack of prompts; null unless one was used.')),
  timeSavedMinutes: optional(number('What was saved, as declared; null where not stated.')),
  reason: optional(text('The code with which the gateway refused; null for other events.')),
  externalRef: optional(text('The caller’s own name of the event.')),
  occurredAt: instant('When it happened.'),
} as const;

/** The window of a dashboard. */
export const DASHBOARD_QUESTION = {
  from: optional(periodBegin('When the window begins; 30 days before its end unless stated.')),
  to: optional(periodEnd('When the window ends, exclusive; now unless stated.')),
} as const;

const DEPARTMENT_ROW = fieldTable('WorkspaceDepartmentUse', 'How a department uses a workspace.', {
  department: text('The department, as requests and events name it.'),
  activeUsers: integer('Distinct users of it; one of two departments is in both.'),
  requests: integer('Requests that named the department.'),
});

/** The dashboard of a workspace. */
export const DASHBOARD = fieldTable(
  'WorkspaceDashboard',
  'How a workspace is taken up, from recorded events and the rows of its requests.',
  {
    workspaceId: uuid('The id of the workspace.'),
    from: instant('When the window begins.'),
    to: instant('When the window ends, exclusive.'),
    activeUsers: integer(
      'Distinct users with a request or an event of use; invited ones are none.',
    ),
    invitedUsers: integer('Distinct users who were invited.'),
    departmentsEnabled: list(code(DEPARTMENTS, 'A department.'), 'Departments that are enabled.'),
    departments: list(
      object(DEPARTMENT_ROW, 'A department.'),
      'Departments that were active, most users first.',
    ),
    requests: integer('Requests that were made under the workspace, failed ones among them.'),
    costMicro: money('What they were charged, VAT included.'),
    policyBlocks: integer('Requests that the policy stopped, recorded by gateway and callers.'),
    policyBlocksByGateway: integer('Those of them that the gateway itself has recorded.'),
    tasksCompleted: integer('Completed tasks that were recorded.'),
    timeSavedMinutes: optional(
      number('What tasks have saved, as callers declare it; null where none says.'),
    ),
    timeSavedProvenance: optional(
      code(PROVENANCES, 'Where the saved time comes from; null where none is stated.'),
    ),
    topPack: optional(text('The pack of prompts that was used most; null where none was.')),
    topPackUses: integer('How often it was used.'),
    provenance: code(PROVENANCES, 'Where all other figures come from.'),
  },
);
