import type { Capability, Operation } from '../catalog/providers/vocabulary.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import type { PromptInUse } from '../prompts/prompt-cache.js';
import type { UsedAlias } from '../routing/aliases/alias.rules.js';
import type { ApprovalWait } from './approval-request.js';
import type { CompiledContext, ContextWish } from './context/wish.js';
import type { RequestSize } from './request-size.js';
import type { UsedWorkspace } from './used-workspace.js';

/** The version of a prompt that a request was filled by. */
export interface UsedPrompt {
  readonly version: PromptInUse;
  /** The name of the model variant; null where the client named a model of no variant. */
  readonly variant: string | null;
  /** How many messages of the request are the prompt's: the first ones. */
  readonly messages: number;
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

/** The body for providers: the same object where the client sent no member of the gateway's. */
export function withoutOwnMembers(body: JsonObject): JsonObject {
  const names = Object.keys(body);
  if (!names.some((name) => name.startsWith(OWN_PREFIX))) return body;
  return Object.fromEntries(
    names.filter((name) => !name.startsWith(OWN_PREFIX)).map((name) => [name, body[name]]),
  );
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
    rest: withoutOwnMembers(more),
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
