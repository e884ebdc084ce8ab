import type { Capability, Operation } from '../catalog/providers/vocabulary.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { CLASS_MEMBERS, highestDataClass } from '../kernel/firewall/data-class.rules.js';
import { DATA_CLASSES, type DataClass } from '../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import type { PromptInUse } from '../prompts/prompt-cache.js';
import type { UsedAlias } from '../routing/aliases/alias.rules.js';
import type { WorkloadInForce } from '../routing/workloads/contract-cache.js';
import type { ApprovalWait } from './approval-request.js';
import type { CompiledContext, ContextWish } from './context/wish.js';
import type { RequestSize } from './request-size.js';
import type { StatedOutside } from './stated-outside.js';
import type { UsedWorkspace } from './used-workspace.js';
import type { PrunedHistory } from './workload/prune.rules.js';

/** The version of a prompt that a request was filled by. */
export interface UsedPrompt {
  readonly version: PromptInUse;
  /** The name of the model variant; null where the client named a model of no variant. */
  readonly variant: string | null;
  /** How many messages of the request are the prompt's: the first ones. */
  readonly messages: number;
  /** The version of the tenant's controls before the prompt was looked up. */
  readonly controls: string;
}

/** A request that a budget has sent on a cheaper route. */
export interface Degraded {
  readonly budgetId: string;
  readonly budget: string;
  /** The model as the client named it. */
  readonly from: string;
  /** The route that the budget names. */
  readonly to: string;
}

/** A request for a model as all stages read it; the body itself is kept whole beside it. */
export interface InferenceRequest {
  readonly operation: Operation;
  /** As providers may see it. */
  readonly body: JsonObject;
  /** The prompt that filled the body; undefined where the client asked for none. */
  readonly prompt?: UsedPrompt | undefined;
  /**
   * The same request, filled by what its prompt is now: asked where the controls of the tenant
   * have changed since it was filled. Undefined where no prompt fills it.
   */
  readonly filledAnew?: ((ctx: AuthorizedCtx) => Promise<InferenceRequest>) | undefined;
  /** True when members were taken out of the body: the bytes that came must not be forwarded. */
  readonly stripped?: boolean;
  /** Set when the client would rather wait for an approval than be refused by a budget. */
  readonly approvalWait?: ApprovalWait | undefined;
  /** Blocks of which those are to be sent that fit. */
  readonly context?: ContextWish | undefined;
  /** What became of the blocks; undefined before they are chosen, and without blocks. */
  readonly compiled?: CompiledContext;
  /** As the client named it, or what its alias stands for. */
  readonly model: string;
  /** The alias that the client named; undefined where it named a model itself. */
  readonly alias?: UsedAlias;
  /** The cheaper route that a spent budget has sent it on; `model` names that route then. */
  readonly degraded?: Degraded;
  /** The workspace that it is made under; undefined where it names none. */
  readonly workspace?: UsedWorkspace | undefined;
  /** The contract of its workload; undefined where none is in force. */
  readonly workload?: WorkloadInForce;
  /** What became of the history; undefined before it is pruned, and where nothing bounds it. */
  readonly pruned?: PrunedHistory;
  /** Aliases whose names are close to that of an unknown model. */
  readonly near?: readonly string[];
  readonly stream: boolean;
  /** True when the client asked for usage in the stream. */
  readonly includeUsage: boolean;
  readonly needs: readonly Capability[];
  /** What decides about its tokens. */
  readonly size: RequestSize;
  /** Answer tokens that the client allows for one choice; undefined where it does not say. */
  readonly outputTokensMax: number | undefined;
  readonly choices: number;
  readonly metadata: RequestMetadata;
  /** The class that the client states for its data; undefined where it states none. */
  readonly statedClass?: DataClass | undefined;
  /** True where the client says that answering the request changes something. */
  readonly writes?: boolean;
}

/** The parts of `metadata` that reports group by, and the rest. */
export interface RequestMetadata {
  readonly feature: string | undefined;
  readonly environment: string | undefined;
  readonly clientId: string | undefined;
  readonly rest: Readonly<Record<string, unknown>>;
}

/** What begins so speaks to the gateway itself: no provider gets to see it. */
const OWN_PREFIX = 'gw_';

/**
 * The body for providers, without what speaks to the gateway: its own members, and the class of
 * the data. The same object where the client sent none of these.
 */
export function withoutOwnMembers(body: JsonObject): JsonObject {
  return without(body, (name) => name.startsWith(OWN_PREFIX) || CLASS_MEMBERS.has(name));
}

function without(members: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  const names = Object.keys(members);
  if (!names.some(isLeftOut)) return members;
  const kept = names.filter((name) => !isLeftOut(name));
  return Object.fromEntries(kept.map((name) => [name, members[name]]));
}

/**
 * Reads `metadata` without faults. Names that begin with `gw_` are those of the gateway itself:
 * what a client writes under them is dropped.
 */
export function readMetadata(body: JsonObject): RequestMetadata {
  const given = asObject(body.metadata);
  if (!given) return NO_METADATA;
  const { feature, environment, client_id: clientId, ...more } = given;
  return {
    feature: label(feature),
    environment: label(environment),
    clientId: label(clientId),
    rest: without(more, (name) => name.startsWith(OWN_PREFIX)),
  };
}

/**
 * What the client says of its request and decides about it, of a body that passed the wire. Of all
 * classes that it states, in whichever place, the highest holds.
 */
export function readStated(
  body: JsonObject,
  { dataClass }: StatedOutside,
): Pick<InferenceRequest, 'statedClass' | 'writes'> {
  const metadata = asObject(body.metadata) ?? {};
  const { writes } = metadata;
  const inside = [...CLASS_MEMBERS].flatMap((name) => [body[name], metadata[name]]);
  const classes = inside.map((stated) => DATA_CLASSES.find(({ code }) => code === stated)?.code);
  return {
    statedClass: highestDataClass([...classes, dataClass]),
    writes: writes === true || writes === 'true',
  };
}

const NO_METADATA: RequestMetadata = {
  feature: undefined,
  environment: undefined,
  clientId: undefined,
  rest: {},
};

function label(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
