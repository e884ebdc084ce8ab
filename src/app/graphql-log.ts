import {
  type DocumentNode,
  type ExecutionResult,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Services } from '../graph/ctx.js';
import type { OperationCtx } from './graphql-plugins.js';
import type { GraphqlArrival } from './graphql-refusal.js';
import { noteErrors } from './operation-facts.js';

/** The root field that a document asks for; `several` where there are more. */
function operationName(document: DocumentNode, name: string | null | undefined): string {
  const operation = getOperationAST(document, name);
  const names = new Set(operation ? fieldsIn(document, operation.selectionSet) : []);
  const [only = 'none'] = names;
  return names.size > 1 ? 'several' : only;
}

/** Documents are validated, so that no fragment is in itself. */
function fieldsIn(document: DocumentNode, { selections }: SelectionSetNode): string[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(document, selection.selectionSet);
    const fragment = document.definitions.find(
      (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION
      ? fieldsIn(document, fragment.selectionSet)
      : [];
  });
}

/** Executes, and notes what went wrong. */
export function noting<Args, Result extends ExecutionResult | AsyncIterable<unknown>>(
  arrival: GraphqlArrival,
  run: (args: Args) => Promise<Result>,
): (args: Args) => Promise<Result> {
  return async (args) => {
    const result = await run(args);
    if ('errors' in result) noteErrors(arrival, result.errors);
    return result;
  };
}

interface Begun {
  readonly document: unknown;
  readonly operationName?: string | null | undefined;
  readonly contextValue: unknown;
}

/** Notes which operation is executed, and for whom. */
export function namesOperations(): Plugin<OperationCtx> {
  const note = ({ document, operationName: name, contextValue }: Begun) => {
    const { arrival, who } = contextValue as OperationCtx & { readonly arrival?: GraphqlArrival };
    if (!arrival) return;
    arrival.facts.operation = operationName(document as DocumentNode, name);
    arrival.facts.tenantId = who?.tenantId;
  };
  return {
    onExecute: ({ args }) => note(args as Begun),
    onSubscribe({ args }) {
      note(args as Begun);
      const { transport } = args.contextValue as OperationCtx;
      return { onSubscribeResult: () => transport.idles?.() };
    },
  };
}

/** Operations over sockets are told under it, too. */
const GRAPHQL_ROUTE = '/graphql';

/** Tells of an operation that is over, as is told of a request over REST. */
export function tellOperation(
  { access, metrics, telemetry }: Pick<Services, 'access' | 'metrics' | 'telemetry'>,
  { requestId, trace, spans, startedMs, facts }: GraphqlArrival,
  status: number,
): void {
  const elapsedMs = performance.now() - startedMs;
  const operation = `graphql ${facts.operation}`;
  const told = status < 400 ? (facts.status ?? status) : status;
  const { tenantId, code } = facts;
  metrics.observe(operation, told, elapsedMs, code);
  const traceId = trace?.traceId;
  access.write({ operation, requestId, tenantId, traceId, status: told, code, elapsedMs });
  if (!spans) return;
  const ended = { operation, requestId, tenantId, status: told, code, startedMs };
  telemetry?.ended(spans, { ...ended, method: 'POST', route: GRAPHQL_ROUTE });
}
