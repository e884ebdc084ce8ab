import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  parse,
  print,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Cost, costOf, takePoints, tooComplex } from '../graph/cost.js';
import type { Ctx } from '../graph/ctx.js';
import { ALIASES_MAX, POINTS_PER_MINUTE, TOKENS_MAX } from '../graph/limits.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import { presentError, presentResult } from './graphql-errors.js';
import type { LiveCredentials } from './live-credentials.js';

/** What an operation's context holds beyond the request itself. */
export type OperationCtx = Ctx & {
  readonly expiresAtMs?: number;
  readonly authorization?: string;
  /** Ends the operation, for subscriptions whose credential is closed. */
  readonly end?: () => void;
};

/** Refuses documents that are too long before they are parsed to the end. */
export function tokenLimit(): Plugin<OperationCtx> {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string, options: object) =>
        parse(source, { ...options, maxTokens: TOKENS_MAX }),
      );
    },
  };
}

/**
 * Counts the names under which a field is asked for more than once. A single other name costs
 * nothing: clients may spell the whole schema in their own way.
 */
function aliasLimit(context: ValidationContext): ASTVisitor {
  const names = new Map<string, Set<string>>();
  let counted = 0;
  return {
    [Kind.FIELD](node) {
      const field = `${context.getParentType()?.name}.${node.name.value}`;
      const known = names.get(field) ?? new Set();
      names.set(field, known);
      const sizeBefore = known.size;
      known.add(node.alias?.value ?? node.name.value);
      if (known.size === sizeBefore || known.size === 1) return;
      const before = counted;
      // The second name brings the first one to account.
      counted += known.size === 2 ? 2 : 1;
      if (before > ALIASES_MAX || counted <= ALIASES_MAX) return;
      const reason = `The document asks for fields under more than ${ALIASES_MAX} aliases.`;
      const failure = new GatewayError('query_too_complex', { values: { reason } });
      context.reportError(new GraphQLError(reason, { nodes: node, originalError: failure }));
    },
  };
}

/** Refuses documents with too many aliases. */
export function aliasRule(): Plugin<OperationCtx> {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(aliasLimit);
    },
  };
}

interface Executed {
  readonly document: DocumentNode;
  readonly operationName?: string | null;
  readonly variableValues?: Record<string, unknown> | null;
  readonly contextValue: unknown;
  readonly schema: Parameters<typeof costOf>[0];
}

/**
 * Holds an operation to the limits and takes its price from the caller's minute.
 * @returns the price, or the refusal
 */
async function charge(args: Executed): Promise<number | GatewayError> {
  const ctx = args.contextValue as OperationCtx;
  const { schema, document, operationName, variableValues } = args;
  let cost: Cost;
  try {
    cost = costOf(schema, document, operationName, variableValues ?? {}, ctx);
  } catch (error) {
    // Execution names the fault of variables better; what else has no price does not run.
    if (!variablesFit(args)) return 1;
    return toGatewayError(error);
  }
  const refusal = tooComplex(cost);
  if (refusal) return refusal;
  const taken = await takePoints(ctx, cost.points);
  if (taken.refused === undefined) return cost.points;
  return new GatewayError('rate_limit_points', {
    values: { limit: POINTS_PER_MINUTE },
    retryAfterMs: taken.retryAfterMs,
  });
}

function variablesFit({ schema, document, operationName, variableValues }: Executed): boolean {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  return getVariableValues(schema, definitions, variableValues ?? {}).errors === undefined;
}

function refused(failure: GatewayError): ExecutionResult {
  return { errors: [new GraphQLError(failure.message, { originalError: failure })] };
}

/** Prices operations, tells the price, and gives every error its code and request id. */
export function pricedAndPresented(): Plugin<OperationCtx> {
  return {
    onParse:
      () =>
      ({ result, context, replaceParseResult }) => {
        if (result instanceof GraphQLError) replaceParseResult(presentError(result, context));
      },
    onValidate:
      ({ context }) =>
      ({ valid, result, setResult }) => {
        if (valid) return;
        setResult(result.map((error) => presentError(error as GraphQLError, context)));
      },
    async onExecute({ args, setResultAndStopExecution }) {
      const ctx = args.contextValue as OperationCtx;
      const cost = await charge(args as Executed);
      if (cost instanceof GatewayError) {
        setResultAndStopExecution(presentResult(refused(cost), ctx));
        return undefined;
      }
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return;
          const shown = presentResult(result, ctx);
          setResult({ ...shown, extensions: { ...shown.extensions, cost } });
        },
      };
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const ctx = args.contextValue as OperationCtx;
      const cost = await charge(args as unknown as Executed);
      if (cost instanceof GatewayError) {
        setResultAndStopExecution(presentResult(refused(cost), ctx) as never);
        return undefined;
      }
      return {
        onSubscribeResult({ result, setResult }) {
          if (!(Symbol.asyncIterator in result)) setResult(presentResult(result, ctx) as never);
          return {
            onNext({ result: event, setResult: setEvent }) {
              setEvent(presentResult(event as ExecutionResult, ctx) as never);
            },
          };
        },
        onSubscribeError({ error, setError }) {
          const known = error instanceof GraphQLError ? error : wrapped(error);
          setError(presentError(known, ctx));
        },
      };
    },
  };
}

function wrapped(error: unknown): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}

/** The subscriptions that are no feeds. */
const MODEL_ANSWERS = /\b(chatCompletionStream|chatStream)\b/;

/** Subscriptions end when their credential does. */
export function endsWithCredential(live: LiveCredentials): Plugin<OperationCtx> {
  return {
    onSubscribe({ args }) {
      const ctx = args.contextValue as OperationCtx;
      if (!ctx.who || !ctx.authorization || !ctx.end) return undefined;
      const forget = live.add({
        authorization: ctx.authorization,
        tenantId: ctx.who.tenantId,
        expiresAtMs: ctx.expiresAtMs,
        isFeed: !MODEL_ANSWERS.test(print(args.document as DocumentNode)),
        end: ctx.end,
      });
      return {
        onSubscribeResult: () => ({ onEnd: forget }),
        onSubscribeError: forget,
      };
    },
  };
}
