import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Services } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { ANSWER_TYPES, isRefusedEvents } from './graphql-accept.js';
import { presentError } from './graphql-errors.js';
import type { OperationCtx } from './graphql-plugins.js';
import { type LetIn, refusalOf, retryHeaders } from './graphql-refusal.js';
import { noteErrors } from './operation-facts.js';

/**
 * Joins the engine to the door before it: takes what was read there, and gives what the engine
 * refuses by itself the form of every other refusal.
 */
export function behindTheDoor(services: Services): Plugin<OperationCtx> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      const { params } = serverContext as unknown as LetIn;
      setRequestParser(() => params as object);
    },
    onResultProcess({ result, setResult, resultProcessor, setResultProcessor, serverContext }) {
      const { arrival, res } = serverContext as unknown as LetIn;
      if (!resultProcessor || isRefusedEvents(arrival)) {
        if (Symbol.asyncIterator in result) void result[Symbol.asyncIterator]().return?.();
        setResultProcessor(notAcceptable(arrival), 'application/json');
        return;
      }
      if (Symbol.asyncIterator in result || Array.isArray(result)) return;
      const { errors } = result as ExecutionResult;
      if (!errors) return;
      const shown = errors.map((error) => presentError(error, { arrival, services }));
      noteErrors(arrival, shown);
      setResult({ ...result, errors: shown } as typeof result);
      const waits = shown.map(({ extensions }) => extensions.retryAfterMs).find(Number.isFinite);
      for (const [name, value] of Object.entries(retryHeaders(waits as number | undefined))) {
        res.setHeader(name, value);
      }
    },
  };
}

function notAcceptable(arrival: LetIn['arrival']) {
  const failure = new GatewayError('not_acceptable', { values: { types: ANSWER_TYPES } });
  const { status, headers, body } = refusalOf(failure, arrival);
  return () => new Response(body, { status, headers });
}
