import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { higherDataClass, highestDataClass } from '../../kernel/firewall/data-class.rules.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import { ROUTE_MODES, WORKSPACE_ACTIONS, WORKSPACE_BOUNDS } from './vocabulary.js';

/** A workspace as requests are judged by it. */
export interface WorkspacePolicy {
  readonly departments: readonly string[];
  readonly approvedRoutes: readonly string[];
  readonly dataClasses: readonly string[];
  readonly actions: readonly string[];
}

/** What a request does, as far as a workspace judges it. */
export interface WorkspaceRequest {
  readonly operation: string;
  /** Capabilities that it needs of a model. */
  readonly needs: readonly string[];
  readonly department: string | undefined;
  /** The class of its data; undefined before it was inspected. */
  readonly dataClass: string | undefined;
}

/** The actions that a request does, as the vocabulary of actions says. */
function actionsOf({ operation, needs }: WorkspaceRequest): string[] {
  return WORKSPACE_ACTIONS.rows
    .filter((row) => row.operation === operation || (row.need !== null && needs.includes(row.need)))
    .map(({ code }) => code);
}

/** Why a workspace does not allow a request, in a sentence; undefined where it does. */
export function blockedBecause(
  policy: WorkspacePolicy,
  request: WorkspaceRequest,
): string | undefined {
  const { department, dataClass } = request;
  const action = actionsOf(request).find((each) => !policy.actions.includes(each));
  if (action !== undefined) return `the action ${action} is not approved.`;
  if (department !== undefined && !policy.departments.includes(department)) {
    return `the department ${department} is not enabled.`;
  }
  if (dataClass !== undefined && !policy.dataClasses.includes(dataClass)) {
    return `its data is of the class ${dataClass}.`;
  }
  return undefined;
}

/** A least class above every class that a workspace takes would let no request through. */
export function leastClassFaults(
  { dataClasses, dataClassMin }: ClassesOfWorkspace,
  path: string,
): Fault[] {
  const highest = highestDataClass(dataClasses);
  const isAbove =
    dataClassMin != null &&
    highest !== undefined &&
    higherDataClass(dataClassMin, highest) !== highest;
  const what = `must be at most ${highest}, the highest class that the workspace takes`;
  return fits(`${path}.dataClassMin`, !isAbove, what);
}

interface ClassesOfWorkspace {
  readonly dataClasses: readonly DataClass[];
  readonly dataClassMin: DataClass | null;
}

/** What a route looks at in a model. */
export interface RoutableModel {
  readonly operation: string;
  readonly quality: string;
  readonly latency: string;
  readonly capabilities: readonly string[];
}

/** Whether one of the approved routes takes a model. Routes are of chat: other models pass. */
export function isApproved(approvedRoutes: readonly string[], model: RoutableModel): boolean {
  if (model.operation !== 'chat') return true;
  return ROUTE_MODES.rows.some(
    ({ code, qualityTiers, latencyTiers, capability }) =>
      approvedRoutes.includes(code) &&
      includes(qualityTiers, model.quality) &&
      includes(latencyTiers, model.latency) &&
      (capability === null || model.capabilities.includes(capability)),
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes(value);
}

/** Who asks under a workspace. */
export interface StatedUser {
  /** Set for a member, who is its own user. */
  readonly memberId: string | undefined;
  /** `metadata.user_id` and `metadata.department`, as they came. */
  readonly userId: unknown;
  readonly department: unknown;
}

/** The user and department of a request, and what is wrong with what it states. */
export function statedUser({ memberId, userId, department }: StatedUser): {
  readonly user: string | undefined;
  readonly department: string | undefined;
  readonly faults: readonly Fault[];
} {
  const faults = [
    ...textFaults('metadata.user_id', userId),
    ...textFaults('metadata.department', department),
    ...fits(
      'metadata.user_id',
      memberId === undefined || userId == null || userId === memberId,
      'must be left out by a member, who is its own user',
    ),
  ];
  const named = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value.normalize('NFC') : undefined;
  return { user: memberId ?? named(userId), department: named(department), faults };
}

function textFaults(path: string, value: unknown): Fault[] {
  if (value == null) return [];
  if (typeof value !== 'string') return [fault(path, 'wrong_type', 'must be a text')];
  const { userMax } = WORKSPACE_BOUNDS;
  const isInside = value.length > 0 && value.length <= userMax && value.trim() === value;
  const what = `must have 1 to ${userMax} characters and no spaces around them`;
  return [
    ...fits(path, isInside, what),
    ...fits(path, !UNWRITABLE.test(value), 'must not hold control characters or half a character'),
  ];
}

/** What no name holds, and no database keeps: two names would become one. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;

/** What an adoption event states, as far as fields depend on one another. */
interface StatedEvent {
  readonly event: string;
  readonly promptPack: string | null;
  readonly timeSavedMinutes: number | null;
  readonly userId: string | null;
  readonly occurredAt: Date | null;
}

const DAY_MS = 86_400_000;
/** Clocks of callers may be ahead by this much. */
const CLOCK_AHEAD_MS = 300_000;

/** What no single field of an adoption event shows. */
export function eventFaults(stated: StatedEvent, isMember: boolean, nowMs: number): Fault[] {
  const { event, promptPack, timeSavedMinutes, userId, occurredAt } = stated;
  const ageMs = occurredAt === null ? 0 : nowMs - occurredAt.getTime();
  const { occurredDaysMax } = WORKSPACE_BOUNDS;
  return [
    ...fits(
      'input.promptPack',
      (event === 'prompt_pack_used') === (promptPack !== null),
      'goes with prompt_pack_used, and is needed there',
    ),
    ...fits(
      'input.timeSavedMinutes',
      timeSavedMinutes === null || event === 'task_completed',
      'goes with task_completed alone',
    ),
    ...fits(
      'input.userId',
      userId !== null || isMember,
      'is needed: users are counted by it, and a key does not say whose event it is',
    ),
    ...fits(
      'input.occurredAt',
      ageMs >= -CLOCK_AHEAD_MS && ageMs <= occurredDaysMax * DAY_MS,
      `must be within the last ${occurredDaysMax} days and not in the future`,
    ),
  ];
}
