import {
  type DocumentNode,
  type ExecutionResult,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Services } from '../graph/ctx.js';
import { fragmentsOf } from './document-size.js';
import type { OperationCtx } from './graphql-plugins.js';
import type { GraphqlArrival } from './graphql-refusal.js';
import { noteErrors } from './operation-facts.js';

/** The root field that a document asks for; `several` where there are more. */
function operationName(document: DocumentNode, name: string | null | undefined): string {
  const operation = getOperationAST(document, name);
  const names = operation ? rootNames(document, operation.selectionSet) : new Set<string>();
  const [only = 'none'] = names;
  return names.size > 1 ? 'several' : only;
}

/** The names of the fields at the root. Each fragment is looked into once. */
function rootNames(document: DocumentNode, root: SelectionSetNode): Set<string> {
  const fragments = fragmentsOf(document);
  const names = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        fragments.delete(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(root);
  return names;
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
