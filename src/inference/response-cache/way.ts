import { hash } from 'node:crypto';
import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { FINDING_CLASSES } from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { type CacheIdentity, cacheIdentity } from '../../routing/workloads/cache-identity.js';
import { closesExact } from '../../routing/workloads/cache-plan.rules.js';
import type { WorkloadInForce } from '../../routing/workloads/contract-cache.js';
import type { CacheRule } from '../../routing/workloads/vocabulary.js';
import type { InferenceRequest } from '../request.js';
import type { Admission } from '../stages/admit.js';
import type { Inspected } from '../stages/firewall-in.js';
import type { ChosenRoute } from '../stages/route.js';

/** What a workload contract says of the cache for one request. */
export interface CacheWay {
  readonly contractKey: string;
  readonly contractVersion: number;
  /** Every rule that closes the cache to the request; none where it is open. */
  readonly closedBy: readonly CacheRule[];
  /** What the answer is kept under; undefined where the cache is closed. */
  readonly identity: CacheIdentity | undefined;
  readonly keepMs: number;
}

/** The contract of requests that name no workload. */
const DEFAULT_WORKLOAD = 'default';

/**
 * What the contract of a request's workload says of the cache: `metadata.workload` names it.
 * Undefined where no contract switches the cache on, which most requests find out by one look-up.
 */
export function cacheWay(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
  inspected: Inspected,
  route: ChosenRoute,
): CacheWay | undefined | Promise<CacheWay | undefined> {
  if (request.operation !== 'chat') return undefined;
  const inForce = ctx.services.workloads.forTenant(ctx.who.tenantId);
  const decide = (workloads: ReadonlyMap<string, WorkloadInForce>) => {
    const contract = contractOf(workloads, request);
    return contract && wayOf(ctx, request, admission, inspected, route, contract);
  };
  return inForce instanceof Promise ? inForce.then(decide) : decide(inForce);
}

function contractOf(
  workloads: ReadonlyMap<string, WorkloadInForce>,
  { metadata }: InferenceRequest,
) {
  if (workloads.size === 0) return undefined;
  const named = metadata.rest.workload;
  const contract = workloads.get(typeof named === 'string' ? named : DEFAULT_WORKLOAD);
  return contract?.terms.exactCacheEnabled ? contract : undefined;
}

function wayOf(
  { who }: AuthorizedCtx,
  request: InferenceRequest,
  { policy }: Admission,
  { inspection }: Inspected,
  { chosen, outputTokensCap }: ChosenRoute,
  { version, terms }: WorkloadInForce,
): CacheWay {
  const { body } = inspection;
  const closedBy = closesExact({
    tenantId: who.tenantId,
    dataClass: seesPersonal(policy) ? inspection.dataClass : null,
    writes: body.tools !== undefined || body.functions !== undefined,
    personalized: isPersonal(body, request),
    contractEnabled: true,
  });
  const way = { contractKey: terms.contractKey, contractVersion: version, closedBy };
  const keepMs = terms.exactCacheSeconds * 1_000;
  if (closedBy.length > 0) return { ...way, identity: undefined, keepMs };
  const requestSha256 = requestHash(body, request, outputTokensCap);
  if (requestSha256 === undefined) {
    return { ...way, closedBy: ['not_exact'], identity: undefined, keepMs };
  }
  const identity = cacheIdentity({
    tenantId: who.tenantId,
    model: chosen.id,
    policy: policy.versions.map(({ id, version: of }) => `${id}.${of}`).join(' '),
    requestSha256,
  });
  return { ...way, identity, keepMs };
}

/** Whether every class that would close the cache is looked for. */
function seesPersonal({ firewall }: EffectivePolicy): boolean {
  return PERSONAL.every((name) => firewall[name] !== 'off');
}

const PERSONAL = FINDING_CLASSES.filter(
  ({ dataClass }) => dataClass === 'C3' || dataClass === 'C4',
).map(({ code }) => code);

/** A request that names its end user is for that person alone. */
function isPersonal(body: JsonObject, { metadata }: InferenceRequest): boolean {
  const { rest } = metadata;
  return [body.user, body.safety_identifier, rest.user_id, rest.personalized].some(
    (each) => each !== undefined && each !== null && each !== 'false' && each !== false,
  );
}

/** What does not change what a model answers. */
const WITHOUT = new Set(['metadata', 'stream_options', 'store', 'service_tier']);

/** The same for equal requests alone; undefined for one that cannot be told apart exactly. */
function requestHash(
  body: JsonObject,
  request: InferenceRequest,
  cap: number | undefined,
): string | undefined {
  const members = Object.entries(body).filter(([name]) => !WITHOUT.has(name));
  const whole = { ...Object.fromEntries(members), stream: request.stream };
  try {
    return hash('sha256', canonicalJson([whole, cap ?? null] as Sealable));
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
