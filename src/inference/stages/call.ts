import type { EffectivePolicy } from '../../access/policies/rules.js';
import {
  OUTPUT_LIMIT_MEMBERS,
  type OutputLimitMember,
} from '../../catalog/providers/catalogue-entry.js';
import type { Deployment } from '../../catalog/providers/model.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { saysNoMore } from '../faithful-bytes.js';
import { inspectResponse } from '../firewall/inspect.js';
import type { InferenceRequest } from '../request.js';
import { appendMember, removeMember, replaceMember } from '../splice.js';
import type { UpstreamAnswer } from '../upstream/call.js';
import { UpstreamFailure } from '../upstream/failure.js';
import { tokensAsked } from '../upstream/tokens.js';
import { type EffortInForce, effortInForce } from '../workload/effort.rules.js';
import type { Inspected } from './firewall-in.js';
import { rewritesAnswer } from './firewall-out.js';
import type { ChosenRoute } from './route.js';

/**
 * Calls the chain. `signal` ends when the client goes away.
 * @throws upstream_rejected, upstream_rate_limited, upstream_failed, upstream_unavailable,
 * upstream_timeout, or UpstreamAborted when nobody waits any more
 */
export function call(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  inspected: Inspected,
  chosen: ChosenRoute,
  policy: EffectivePolicy,
): Promise<UpstreamAnswer> {
  const { body } = inspected.inspection;
  ctx.transport.idles?.();
  const answer = ctx.services.upstream.call(chosen.chain, {
    operation: request.operation,
    bodyFor: bodySource(ctx, request, body, chosen),
    requestId: ctx.keyed?.effectId ?? ctx.requestId,
    tokensOf: (deployment) => tokensAsked(request, deployment, chosen.outputTokensCap),
    stream: request.stream,
    signal: ctx.signal,
    jurisdictionsAllowed: inspected.jurisdictionsAllowed,
    trace: ctx.transport.trace,
    spans: ctx.transport.spans,
  });
  if (!rewritesAnswer(policy, inspected)) return answer;
  return answer.catch((thrown) => refused(thrown, inspected, policy));
}

/**
 * A refusal is read as an answer is: it may repeat what was sent, so that the client reads its own
 * values there too, and what else it says is masked where the policy masks it.
 */
function refused(
  thrown: unknown,
  { inspection: { vault } }: Inspected,
  { answerFirewall }: EffectivePolicy,
): never {
  if (!(thrown instanceof UpstreamFailure)) throw thrown;
  throw thrown.withWords((words) => inspectResponse({ words }, answerFirewall, vault).body.words);
}

/**
 * The bytes for each deployment. Where only the model's name, the request for usage and the
 * gateway's own members differ from what the client sent, its own bytes are spliced and not
 * written anew, as long as they say nothing that was not judged.
 */
function bodySource(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  body: JsonObject,
  { outputTokensCap }: ChosenRoute,
): (deployment: Deployment) => Buffer {
  const always = memberChanges(request, body, outputTokensCap);
  const effort = request.workload?.terms.reasoningEffortMax;
  const reasoning = effort ? withEffort(always, body, effortInForce(body, effort, true)) : always;
  const plain = effort ? withEffort(always, body, effortInForce(body, effort, false)) : always;
  const raw = ctx.transport.rawBody;
  const untouched = !request.stripped && body === request.body && reasoning.replaced === undefined;
  const bytes = untouched && raw && saysNoMore(raw, body) ? raw : undefined;
  return (deployment) => {
    const changes = deployment.capabilities.includes('reasoning') ? reasoning : plain;
    const told = deployment.forwardMetadata || !('metadata' in body);
    const { outputLimitMember: member } = deployment;
    const added = changes.added && limitUnder(member, changes.added);
    const isKept = limitUnder(member, body) === body;
    const spliced = bytes && isKept ? splice(bytes, deployment, told, added) : undefined;
    if (spliced !== undefined) return spliced;
    const { metadata, ...rest } = body;
    const whole = {
      ...(told ? body : rest),
      ...changes.replaced,
      ...changes.added,
      model: deployment.upstreamName,
    };
    return Buffer.from(JSON.stringify(limitUnder(member, whole)));
  };
}

/** The client's own bytes with what must differ; undefined where they cannot be spliced. */
function splice(
  raw: Buffer,
  deployment: Deployment,
  told: boolean,
  added: JsonObject | undefined,
): Buffer | undefined {
  const kept = told ? raw : removeMember(raw, 'metadata');
  const named = kept && replaceMember(kept, 'model', JSON.stringify(deployment.upstreamName));
  return named && added ? appendMember(named, added) : named;
}

interface MemberChanges {
  /** Members that the body lacks. */
  readonly added: JsonObject | undefined;
  /** Members that the body has and that change. */
  readonly replaced: JsonObject | undefined;
}

/**
 * The field that a client calls decides that the answer is a stream, so a stream is always asked
 * for as one, and its usage too; a cap of policy or contract is told under the client's own names.
 */
function memberChanges(
  request: InferenceRequest,
  body: JsonObject,
  cap: number | undefined,
): MemberChanges {
  let added: JsonObject | undefined;
  let replaced: JsonObject | undefined;
  const put = (name: string, value: unknown) => {
    if (name in body) replaced = { ...replaced, [name]: value };
    else added = { ...added, [name]: value };
  };
  if (request.stream && body.stream !== true) put('stream', true);
  if (request.stream && !request.includeUsage) {
    put('stream_options', { ...asObject(body.stream_options), include_usage: true });
  }
  if (cap !== undefined) for (const name of loweredNames(body, cap)) put(name, cap);
  return { added, replaced };
}

/** With the effort that a model is told under the contract of the workload. */
function withEffort(
  { added, replaced }: MemberChanges,
  body: JsonObject,
  { effort }: EffortInForce,
): MemberChanges {
  const told = { reasoning_effort: effort };
  if (effort === undefined || body.reasoning_effort === effort) return { added, replaced };
  if ('reasoning_effort' in body) return { added, replaced: { ...replaced, ...told } };
  return { added: { ...added, ...told }, replaced };
}

/**
 * The members with the limit of the answer under the one name that a model takes; the same object
 * where it takes both, or nothing is stated under the other one.
 */
function limitUnder(member: OutputLimitMember | undefined, members: JsonObject): JsonObject {
  const other = OUTPUT_LIMIT_MEMBERS.find((name) => name !== member);
  if (member === undefined || other === undefined || !(other in members)) return members;
  const { [other]: limit, ...rest } = members;
  return limit == null || rest[member] != null ? rest : { ...rest, [member]: limit };
}

/** A provider may obey either name, so that each one that the client uses is kept to the cap. */
function loweredNames(body: JsonObject, cap: number): readonly string[] {
  const given = OUTPUT_LIMIT_MEMBERS.filter((name) => body[name] != null);
  return given.length === 0 ? ['max_tokens'] : given.filter((name) => Number(body[name]) > cap);
}
