import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Ctx, KeyedEffect } from '../graph/ctx.js';
import { isOfEveryTenant, isUrgent, keepingOf } from '../graph/keeping.js';
import { toGatewayError } from '../kernel/errors/fail.js';
import { derivedId } from '../kernel/ids.js';
import type { Answer, KeyedRequest } from '../records/idempotency.js';
import { type Evidence, evidenceOfAll } from '../records/idempotency.rules.js';
import { commitOnce } from '../records/keyed-transaction.js';
import { asShown, failureOf, presentResult } from './graphql-errors.js';
import type { RootField } from './root-fields.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Executes a root field in a context. */
export type Execute = (ctx: Ctx) => Promise<ExecutionResult>;

/** A document that runs under a key, with what is known of its effects so far. */
export class KeyedDocument {
  private readonly parts: Evidence[] = [];
  /** The fields that run, so that nobody calls the document over while it has effects. */
  private running: Promise<unknown> = Promise.resolve();
  /** True for a subscription whose events are still being written; then `onStreamed` is called. */
  streams = false;
  onStreamed: (() => void) | undefined;

  constructor(
    readonly request: KeyedRequest,
    /** The id of the first attempt, which the key stands for. */
    readonly rootId: string,
  ) {}

  get repeated(): boolean {
    return this.rootId !== this.request.requestId;
  }

  /** What is known when the answer is not one that settles the request. */
  get evidence(): Exclude<Evidence, 'answered'> {
    const all = evidenceOfAll(this.parts);
    return all === 'answered' ? 'unknown' : all;
  }

  /** Resolves when no field runs any more. */
  idle(): Promise<unknown> {
    return this.running;
  }

  /** What a root field of the document stands for. */
  effectOf(key: string): KeyedEffect {
    const { rootId, repeated } = this;
    return { effectId: derivedId('Request', rootId, `field ${key}`), repeated, rootId };
  }

  /** Runs a mutation field once under the key. @returns what it answered, the first time or now */
  runField(ctx: Ctx, field: RootField, execute: Execute): Promise<ExecutionResult> {
    const keyed = this.effectOf(field.key);
    // A client that leaves is expected to come back for the answer.
    const { signal } = new AbortController();
    const own: Ctx = Object.create(ctx, { keyed: { value: keyed }, signal: { value: signal } });
    const changes = field.name !== '__typename';
    const commits = changes && keepingOf([field.name]) === 'one_commit';
    const run = commits
      ? this.commitField(own, keyed, field, execute)
      : this.runOutside(own, execute);
    this.running = run.catch(() => {});
    return run;
  }

  /** For what has books of its own: whatever comes of it, it may have had its effect. */
  markUnknown(): void {
    this.parts.push('unknown');
  }

  private async runOutside(ctx: Ctx, execute: Execute): Promise<ExecutionResult> {
    this.markUnknown();
    return presentResult(await execute(ctx), ctx);
  }

  private async commitField(
    ctx: Ctx,
    { effectId }: KeyedEffect,
    { name }: RootField,
    execute: Execute,
  ): Promise<ExecutionResult> {
    const { request, rootId } = this;
    let made: ExecutionResult | undefined;
    const attempted = await commitOnce(
      ctx,
      {
        request,
        rootId,
        effectId,
        everyTenant: isOfEveryTenant([name]),
        isUrgent: isUrgent([name]),
      },
      async (own) => {
        const result = await execute(own);
        const status = statusOf(result);
        made = presentResult(result, own);
        if (status !== undefined) throw new FieldFailed(made, status);
        return answerOf(made);
      },
    );
    this.parts.push(attempted.evidence);
    if (attempted.evidence === 'answered') {
      return attempted.replayed || !made ? resultOf(attempted.answer) : made;
    }
    const { error } = attempted;
    if (error instanceof FieldFailed) return error.result;
    const originalError = toGatewayError(error);
    const shown = new GraphQLError(originalError.message, { originalError });
    return presentResult({ errors: [shown], data: null }, ctx);
  }
}

/** Carries the result of a field that failed out of its transaction. */
class FieldFailed extends Error {
  constructor(
    readonly result: ExecutionResult,
    readonly status: number,
  ) {
    super('a field failed');
  }
}

/** The status of the failure of a field; undefined where it has an answer. */
function statusOf({ data, errors = [] }: ExecutionResult): number | undefined {
  if (data !== null && data !== undefined) return undefined;
  return Math.max(...errors.map((error) => failureOf(error).status), 400);
}

function answerOf(result: ExecutionResult): Answer {
  return { status: 200, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(result)) };
}

/** The result as it was kept, with its errors as they were shown. */
function resultOf({ body }: Answer): ExecutionResult {
  const kept = JSON.parse(Buffer.from(body).toString('utf8')) as ExecutionResult;
  if (!kept.errors) return kept;
  const errors = kept.errors.map(({ message, path, extensions, locations }) =>
    asShown(Object.assign(new GraphQLError(message, { path, extensions }), { locations })),
  );
  return { ...kept, errors };
}
