import {
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Ctx } from '../graph/ctx.js';
import { newId } from '../kernel/ids.js';
import { presentResult } from './graphql-errors.js';
import type { OperationCtx } from './graphql-plugins.js';
import type { KeyedDocument } from './keyed-document.js';
import { type RootField, rootFieldsOf } from './root-fields.js';

type ExecuteDocument = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
type Subscribed = AsyncIterable<ExecutionResult> | ExecutionResult;

/**
 * Each root field of a mutation is a request of its own, with an id of its own: two chats in one
 * document are two requests to the ledger. Under a key each is an effect of its own, too.
 */
export function fieldsByThemselves(
  keyedOf: (ctx: OperationCtx) => KeyedDocument | undefined,
): Plugin<OperationCtx> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== 'mutation') return;
      const fields = fieldsOf(args, operation);
      if (!fields) return;
      const keyed = keyedOf(args.contextValue as OperationCtx);
      if (!keyed && fields.length < 2) return;
      const execute = executeFn as ExecuteDocument;
      setExecuteFn((given: ExecutionArgs) => runInOrder(given, fields, execute, keyed));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const keyed = keyedOf(args.contextValue as OperationCtx);
      const operation = getOperationAST(args.document, args.operationName);
      if (!operation) return;
      const { signal } = args.contextValue as OperationCtx;
      const subscribe = subscribeFn as (given: ExecutionArgs) => Promise<Subscribed>;
      setSubscribeFn(async (given: ExecutionArgs) => {
        const events = await subscribe(keyed ? underKey(given, operation, keyed) : given);
        if (!(Symbol.asyncIterator in events)) return events;
        if (keyed) keyed.streams = true;
        return watched(events, signal, () => {
          if (!keyed) return;
          keyed.streams = false;
          keyed.onStreamed?.();
        });
      });
    },
  };
}

/** The root fields; undefined where the variables do not fit, so that nothing is executed. */
function fieldsOf(
  args: ExecutionArgs,
  operation: OperationDefinitionNode,
): RootField[] | undefined {
  const { schema, document, variableValues } = args;
  const definitions = operation.variableDefinitions ?? [];
  const { coerced } = getVariableValues(schema, definitions, variableValues ?? {});
  return coerced && rootFieldsOf(schema, document, operation, coerced);
}

async function runInOrder(
  args: ExecutionArgs,
  fields: readonly RootField[],
  execute: ExecuteDocument,
  keyed: KeyedDocument | undefined,
): Promise<ExecutionResult> {
  const ctx = args.contextValue as Ctx;
  const data: Record<string, unknown> = {};
  const errors: NonNullable<ExecutionResult['errors']>[number][] = [];
  for (const [index, field] of fields.entries()) {
    // The first one goes by the id of the document, as it does when it stands alone.
    const requestId = index === 0 ? ctx.requestId : newId('Request');
    const own: Ctx = Object.create(ctx, { requestId: { value: requestId } });
    const run = async (contextValue: Ctx) =>
      execute({ ...args, document: field.document, contextValue });
    const result = keyed
      ? await keyed.runField(own, field, run)
      : presentResult(await run(own), own);
    errors.push(...(result.errors ?? []));
    // Every mutation answers something: a field without an answer ends the whole, as ever.
    if (!result.data) return { ...result, errors };
    Object.assign(data, result.data);
  }
  return errors.length > 0 ? { errors, data } : { data };
}

/** A subscription is an effect with books of its own, which is over when its events are. */
function underKey(
  args: ExecutionArgs,
  operation: OperationDefinitionNode,
  keyed: KeyedDocument,
): ExecutionArgs {
  const [field] = fieldsOf(args, operation) ?? [];
  const value = keyed.effectOf(field?.key ?? '');
  keyed.markUnknown();
  const contextValue = Object.create(args.contextValue as object, { keyed: { value } });
  return { ...args, contextValue };
}

/**
 * The same events; `over` is called when they have ended, failed or are not wanted. They end too
 * when the client leaves before anybody has begun to read them: the server forgets what it was
 * subscribing to at that moment, with all that is held for it.
 */
function watched(
  events: AsyncIterable<ExecutionResult>,
  signal: AbortSignal,
  over: () => void,
): AsyncIterableIterator<ExecutionResult> {
  const source = events[Symbol.asyncIterator]();
  let isRead = false;
  const end = async () => {
    try {
      await source.return?.();
    } finally {
      over();
    }
  };
  const left = () => {
    if (!isRead) end().catch(() => {});
  };
  if (signal.aborted) left();
  else signal.addEventListener('abort', left, { once: true });
  return {
    async next() {
      isRead = true;
      try {
        const step = await source.next();
        if (step.done) over();
        return step;
      } catch (error) {
        over();
        throw error;
      }
    },
    async return() {
      isRead = true;
      await end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
