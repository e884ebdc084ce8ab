import { hash } from 'node:crypto';
import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { isRestricted } from '../../kernel/firewall/data-class.rules.js';
import { FINDING_CLASSES } from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { type CacheIdentity, cacheIdentity } from '../../routing/workloads/cache-identity.js';
import { closesExact } from '../../routing/workloads/cache-plan.rules.js';
import type { WorkloadInForce, WorkloadTerms } from '../../routing/workloads/contract-cache.js';
import type { WorkloadCacheScope } from '../../routing/workloads/contract-vocabulary.js';
import type { CacheRule } from '../../routing/workloads/vocabulary.js';
import type { InferenceRequest } from '../request.js';
import type { Admission } from '../stages/admit.js';
import type { Inspected } from '../stages/firewall-in.js';
import type { ChosenRoute } from '../stages/route.js';
import { effortInForce } from '../workload/effort.rules.js';
import { type CacheWish, cacheWish } from './control.rules.js';

/** What a workload contract says of the cache for one request. */
export interface CacheWay {
  readonly contractKey: string;
  readonly contractVersion: number;
  /** Every rule that closes the cache to the request; none where it is open. */
  readonly closedBy: readonly CacheRule[];
  /** What the answer is kept under; undefined where the cache is closed. */
  readonly identity: CacheIdentity | undefined;
  /** How old a kept answer may be that the request gets, and for how long its own is kept. */
  readonly keepMs: number;
  /** What the client said that gets a request past the cache; undefined where it said nothing. */
  readonly directive: 'no-cache' | 'no-store' | undefined;
  /** The client wants a provider to be asked; its answer is kept. */
  readonly isFresh: boolean;
  /** What the answer is given as, in either form that it was kept in. */
  readonly form: 'whole' | 'stream';
}

/**
 * What the contract of a request's workload says of the cache. Undefined where no contract switches
 * the cache on.
 */
export function cacheWay(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
  inspected: Inspected,
  route: ChosenRoute,
): CacheWay | undefined {
  const { workload } = request;
  if (!workload?.terms.exactCacheEnabled) return undefined;
  return wayOf(ctx, request, admission, inspected, route, workload);
}

function wayOf(
  { who, transport }: AuthorizedCtx,
  request: InferenceRequest,
  { policy }: Admission,
  { inspection, classHeld, unread }: Inspected,
  { chosen, outputTokensCap }: ChosenRoute,
  { version, terms }: WorkloadInForce,
): CacheWay {
  const { body } = inspection;
  const isKnown = seesPersonal(policy) && unread.length === 0;
  const closedBy = closesExact({
    tenantId: who.tenantId,
    // What is not looked for or not read may be there, unless a class that closes the cache is
    // stated anyway.
    dataClass: isKnown || isRestricted(classHeld) ? classHeld : null,
    writes: request.writes === true || body.tools !== undefined || body.functions !== undefined,
    personalized: isPersonal(body, request),
    contractEnabled: true,
  });
  const { metadata } = request;
  const wish = cacheWish(transport.cacheControl, metadata.rest.cache_control);
  const way = {
    contractKey: terms.contractKey,
    contractVersion: version,
    keepMs: terms.exactCacheSeconds * 1_000,
    directive: directiveOf(wish),
    isFresh: wish.isFresh && terms.exactCacheBypass !== 'no_store_only',
    form: request.stream ? ('stream' as const) : ('whole' as const),
  };
  const closed = wish.isApart ? [...closedBy, 'no_store' as const] : closedBy;
  if (closed.length > 0) return { ...way, closedBy: closed, identity: undefined };
  const { reasoningEffortMax: effortMax } = terms;
  const requestSha256 = requestHash(body, [
    outputTokensCap ?? null,
    // What a model is told beyond the body changes its answer too.
    ...(effortMax === null ? [] : [effortInForce(body, effortMax, true).effort ?? null]),
  ]);
  if (requestSha256 === undefined) {
    return { ...way, closedBy: ['not_exact'], identity: undefined };
  }
  const scope = scopeOf(terms);
  const identity = cacheIdentity({
    tenantId: who.tenantId,
    model: chosen.id,
    policy: policy.versions.map(({ id, version: of }) => `${id}.${of}`).join(' '),
    requestSha256,
    ...(scope === 'client' && { client: metadata.clientId ?? '' }),
    ...(scope === 'project' && { project: who.projectId }),
  });
  return { ...way, closedBy, identity };
}

/** Who shares the answer. A contract from before there were scopes says it by a flag. */
function scopeOf({ exactCacheScope, exactCacheByClient }: WorkloadTerms): WorkloadCacheScope {
  return exactCacheScope ?? (exactCacheByClient === true ? 'client' : 'organization');
}

function directiveOf({ isApart, isFresh }: CacheWish): CacheWay['directive'] {
  if (isApart) return 'no-store';
  return isFresh ? 'no-cache' : undefined;
}

/** Whether every class that would close the cache is looked for. */
function seesPersonal({ firewall }: EffectivePolicy): boolean {
  return PERSONAL.every((name) => firewall[name] !== 'off');
}

const PERSONAL = FINDING_CLASSES.filter(({ dataClass }) => isRestricted(dataClass)).map(
  ({ code }) => code,
);

/** A request that names its end user is for that person alone. */
function isPersonal(body: JsonObject, { metadata }: InferenceRequest): boolean {
  const { rest } = metadata;
  return [body.user, body.safety_identifier, rest.user_id, rest.personalized].some(
    (each) => each !== undefined && each !== null && each !== 'false' && each !== false,
  );
}

/** What does not change what a model answers. */
const WITHOUT = new Set(['metadata', 'stream', 'stream_options', 'store', 'service_tier']);

/** The same for equal requests alone; undefined for one that cannot be told apart exactly. */
function requestHash(
  body: JsonObject,
  bounds: readonly (number | string | null)[],
): string | undefined {
  const members = Object.entries(body).filter(([name]) => !WITHOUT.has(name));
  const whole = Object.fromEntries(members);
  try {
    return hash('sha256', canonicalJson([whole, ...bounds] as Sealable));
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
