import type { Idempotency, KeyedOperation, StoredAnswer } from '../../rest-compat/idempotency.js';
import type { Ctx, Services } from '../graph/ctx.js';
import { caller } from '../graph/database.js';
import { isOfEveryTenant, isUrgent, keepingOf } from '../graph/keeping.js';
import { fail } from '../kernel/errors/fail.js';
import type { Answer, KeyedRequest } from '../records/idempotency.js';
import { endAttempt } from '../records/keyed-attempt.js';
import type { KeyedPart } from '../records/keyed-outcomes.js';
import { commitOnce } from '../records/keyed-transaction.js';

/** A request of a row that runs under its key. */
interface Running extends KeyedPart {
  readonly operation: KeyedOperation;
  over: boolean;
}

/** Keyed requests of REST on the records that keep their answers. */
export function restIdempotency({ idempotency }: Services): Idempotency {
  return {
    async begin(ctx, operation, key, bodyHash) {
      const who = caller(ctx);
      const { requestId } = ctx;
      const hash = Buffer.from(bodyHash, 'hex');
      const place = { tenantId: who.tenantId, actorId: who.id, key };
      const request: KeyedRequest = { ...place, bodyHash: hash, requestId };
      const begun = await idempotency.begin(request);
      if (begun.kind === 'answer_not_kept') return fail('idempotency_answer_not_kept');
      if (begun.kind === 'replay') return { kind: 'replay', answer: storedAnswer(begun.answer) };
      const effectId = begun.firstRequestId;
      const keyed = { effectId, rootId: effectId, repeated: effectId !== requestId };
      const token: Running = { request, rootId: effectId, effectId, operation, over: false };
      return { kind: 'run', token, ctx: Object.create(ctx, { keyed: { value: keyed } }) };
    },
    once: (ctx, token, make) => once(ctx, token as Running, make),
    async finish(_ctx, token, answer) {
      const running = token as Running;
      running.over = true;
      await idempotency.finish(running.request, keptAnswer(answer));
    },
    async abandon(ctx, token) {
      const running = token as Running;
      if (running.over) return;
      running.over = true;
      await endAttempt(ctx.services, running.request, 'unknown');
    },
  };
}

async function once(
  ctx: Ctx,
  running: Running,
  make: (ctx: Ctx) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { operation, request } = running;
  const { services } = ctx;
  const changes = operation.kind === 'mutation';
  if (!changes || keepingOf(operation.fields) === 'own_books') {
    try {
      const answer = await make(ctx);
      running.over = true;
      await services.idempotency.finish(request, keptAnswer(answer));
      return answer;
    } catch (error) {
      running.over = true;
      await endAttempt(services, request, changes ? 'unknown' : 'nothing_stands');
      throw error;
    }
  }
  let made: StoredAnswer | undefined;
  const { fields } = operation;
  const part = { ...running, everyTenant: isOfEveryTenant(fields), isUrgent: isUrgent(fields) };
  const attempted = await commitOnce(ctx, part, async (own) => {
    made = await make(own);
    return keptAnswer(made);
  });
  running.over = true;
  if (attempted.evidence !== 'answered') {
    await endAttempt(services, request, attempted.evidence);
    throw attempted.error;
  }
  await services.idempotency.finish(request, attempted.answer);
  if (!attempted.replayed && made) return made;
  const { headers, ...answer } = storedAnswer(attempted.answer);
  return { ...answer, headers: { ...headers, 'idempotent-replayed': 'true' } };
}

function keptAnswer({ status, headers, body }: StoredAnswer): Answer {
  return { status, contentType: String(headers['content-type'] ?? ''), body };
}

function storedAnswer({ status, contentType, body }: Answer): StoredAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}
