import type { Registry } from '../../../catalog/providers/model.js';
import { AUTO_MODEL } from '../../../catalog/providers/vocabulary.js';
import type { Fault, GatewayError } from '../../../kernel/errors/fail.js';
import type { JsonObject } from '../../../kernel/json.js';
import { isRefusal, type Judge, type Judged } from './judge.js';
import { patched, sizeOf } from './patch.rules.js';
import { lessDemanding, lessOutput, otherModel, shorter, wireRepairs } from './repair.rules.js';
import type { Operation } from './tables.js';
import { DEBUG_BOUNDS } from './vocabulary.js';

/** A body with the operations that made it of the one that was given. */
interface Attempt {
  readonly body: JsonObject;
  readonly patch: readonly Operation[];
  /** Single values that the patch changes. */
  readonly size: number;
}

/** What a search has found. */
export interface Found extends Attempt {
  readonly judged: Judged;
  /** Every refusal on the way, the first one first. */
  readonly refusals: readonly GatewayError[];
}

/** What a search asks of the catalogue and the caller's organization. */
export interface Surroundings {
  readonly judge: Judge;
  readonly registry: Registry;
  /** The published schema of the operation's wire. */
  readonly schema: JsonObject;
  readonly operation: 'chat' | 'embeddings';
  /** Names of the organization's aliases that are near to the named model. */
  readonly nearAliases: readonly string[];
}

/** Bounds the work of one question: anybody may ask. */
class Effort {
  private charsLeft: number = DEBUG_BOUNDS.judgedCharsMax;
  private judgementsLeft: number = DEBUG_BOUNDS.judgementsMax;

  constructor(private readonly chars: number) {}

  /** Takes the work of reading a body once. @returns false where none is left */
  readOnce(): boolean {
    this.charsLeft -= this.chars;
    return this.charsLeft >= 0;
  }

  /** The same for all stages, of which the firewall reads every text. */
  judgeOnce(): boolean {
    this.judgementsLeft -= 1;
    this.charsLeft -= 4 * this.chars;
    return this.charsLeft >= 0 && this.judgementsLeft >= 0;
  }
}

/**
 * Finds the smallest change by which a request passes. Faults of the wire are mended one by one,
 * each by the smallest operation after which it is gone and no other came; then what the stages
 * after the wire refuse is searched, smaller changes first. Last, every operation that the request
 * passes without is taken back. Every step is judged by the stages themselves.
 */
export async function smallestPatch(body: JsonObject, around: Surroundings): Promise<Found> {
  const effort = new Effort(JSON.stringify(body).length);
  const first = await around.judge.judge(body);
  const given: Attempt = { body, patch: [], size: 0 };
  if (!first.refusal) return { ...given, judged: first, refusals: [] };
  const read = await mendWire(given, around, effort);
  const found = await searchRoute(read, around, effort);
  const refusals = [first.refusal, ...found.refusals];
  if (found.judged.refusal) return { ...found, refusals };
  return { ...(await pruned(body, found, around, effort)), refusals };
}

async function faultsOf(body: JsonObject, { judge }: Surroundings): Promise<readonly Fault[]> {
  try {
    await judge.read(body);
    return [];
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return thrown.details.faults ?? [];
  }
}

async function mendWire(given: Attempt, around: Surroundings, effort: Effort): Promise<Attempt> {
  let attempt = given;
  let faults = await faultsOf(attempt.body, around);
  while (faults.length > 0 && attempt.patch.length < DEBUG_BOUNDS.operationsMax) {
    const next = await mendFirst(attempt, faults, around, effort);
    if (!next) return attempt;
    attempt = next.attempt;
    faults = next.faults;
  }
  return attempt;
}

async function mendFirst(
  { body, patch, size }: Attempt,
  faults: readonly Fault[],
  around: Surroundings,
  effort: Effort,
): Promise<{ readonly attempt: Attempt; readonly faults: readonly Fault[] } | undefined> {
  const known = new Set(faults.map(keyOf));
  for (const fault of faults) {
    for (const operation of wireRepairs(body, around.schema, fault)) {
      if (!effort.readOnce()) return undefined;
      const after = patched(body, [operation]);
      if (!after) continue;
      const left = await faultsOf(after, around);
      const isGone = !left.some((each) => keyOf(each) === keyOf(fault));
      // A list that is named only in part may show others when some of it are gone.
      const isNoWorse = left.length < faults.length || left.every((each) => known.has(keyOf(each)));
      if (!isGone || !isNoWorse) continue;
      const attempt = {
        body: after,
        patch: [...patch, operation],
        size: size + sizeOf(body, operation),
      };
      return { attempt, faults: left };
    }
  }
  return undefined;
}

function keyOf({ path, code, message }: Fault): string {
  return `${path}\n${code}\n${message}`;
}

/** Best first, by how much of the request is changed. */
async function searchRoute(from: Attempt, around: Surroundings, effort: Effort): Promise<Found> {
  const open: Attempt[] = [from];
  const refusals: GatewayError[] = [];
  let first: Found | undefined;
  for (let next = open.shift(); next; next = open.shift()) {
    if (!effort.judgeOnce()) break;
    const judged = await around.judge.judge(next.body);
    if (!judged.refusal) return { ...next, judged, refusals };
    if (!first) refusals.push(judged.refusal);
    first ??= { ...next, judged, refusals };
    open.push(...waysOn(next, judged.refusal, around));
    open.sort((one, other) => one.size - other.size);
  }
  return first ?? { ...from, judged: await around.judge.judge(from.body), refusals };
}

function waysOn(attempt: Attempt, refusal: GatewayError, around: Surroundings): Attempt[] {
  const { body, patch } = attempt;
  return repairsOf(body, refusal, around).flatMap((operations) => {
    const after = patched(body, operations);
    const whole = [...patch, ...operations];
    if (!after || whole.length > DEBUG_BOUNDS.operationsMax || renamedTwice(whole)) return [];
    const size = operations.reduce((sum, each) => sum + sizeOf(body, each), attempt.size);
    return [{ body: after, patch: whole, size }];
  });
}

/** A model that was changed once is not changed again: the other way there is shorter. */
function renamedTwice(patch: readonly Operation[]): boolean {
  return patch.filter(({ path }) => path === '/model').length > 1;
}

/** What may be done about a refusal by a stage after the wire. */
function repairsOf(
  body: JsonObject,
  { code }: GatewayError,
  around: Surroundings,
): (readonly Operation[])[] {
  const models = modelsInstead(String(body.model), around).map((id) => [otherModel(body, id)]);
  const isChat = around.operation === 'chat';
  // What the router would choose may be dearer: it is no way out of short funds.
  const named = models.filter(([way]) => way?.value !== AUTO_MODEL);
  const cheaper = [...(isChat ? lessOutput(body) : []), ...named];
  const by: Readonly<Partial<Record<typeof code, (readonly Operation[])[]>>> = {
    model_not_found: models,
    model_not_allowed: models,
    model_without_price: models,
    data_route_forbidden: models,
    capability_unsupported: [...models, ...lessDemanding(body)],
    rate_limit_tokens: [...cheaper, shorter(body)].filter((way) => way.length > 0),
    insufficient_balance: cheaper,
    budget_too_small: cheaper,
    budget_reserved: cheaper,
    budget_exhausted: named,
    budget_premium_restricted: named,
    context_length_exceeded: [...models, shorter(body)].filter((way) => way.length > 0),
  };
  return by[code] ?? [];
}

/** Models that may be meant or may stand in: near names first, then the gateway's choice. */
function modelsInstead(model: string, { registry, operation, nearAliases }: Surroundings) {
  const near = [...nearAliases, ...registry.near(model)].filter((id) => {
    const found = registry.models.get(id);
    return !found || found.operation === operation;
  });
  const others = [...registry.models.values()]
    .filter((one) => one.operation === operation && one.id !== model)
    .map(({ id }) => id);
  const choice = operation === 'chat' ? [AUTO_MODEL] : [];
  const names = [...near, ...choice, ...others].filter((id) => id !== model);
  return [...new Set(names)].slice(0, MODELS_TRIED_MAX);
}

const MODELS_TRIED_MAX = 16;

/** Takes back, the last one first, each operation that the request passes without. */
async function pruned(
  body: JsonObject,
  found: Found,
  { judge }: Surroundings,
  effort: Effort,
): Promise<Found> {
  let best = found;
  for (let index = found.patch.length - 1; index >= 0 && best.patch.length > 1; index -= 1) {
    const patch = best.patch.filter((each) => each !== found.patch[index]);
    const after = patched(body, patch);
    if (!after || !effort.judgeOnce()) continue;
    const judged = await judge.judge(after);
    if (!judged.refusal)
      best = { ...best, body: after, patch, judged, size: sizeAlong(body, patch) };
  }
  return best;
}

function sizeAlong(body: JsonObject, patch: readonly Operation[]): number {
  return patch.reduce(
    ({ size, at }, operation) => ({
      size: size + sizeOf(at, operation),
      at: patched(at, [operation]) ?? at,
    }),
    { size: 0, at: body },
  ).size;
}
