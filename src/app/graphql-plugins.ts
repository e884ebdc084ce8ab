import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
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
import { requireShallow, requireWrittenOut } from './document-size.js';
import { asGraphqlError, presentError, presentResult } from './graphql-errors.js';
import type { GraphqlArrival } from './graphql-refusal.js';
import { wrongVariables } from './graphql-variables.js';
import type { LiveCredentials } from './live-credentials.js';
import { noteErrors } from './operation-facts.js';

/** What an operation's context holds beyond the request itself. */
export type OperationCtx = Ctx & {
  readonly expiresAtMs?: number;
  readonly authorization?: string;
  /** Ends the operation, for subscriptions whose credential is closed. */
  readonly end?: () => void;
  /** What `LiveCredentials.lookedAt` was before the credential was looked at. */
  readonly lookedAt?: number;
  /** What is known of the request since its arrival. */
  readonly arrival?: GraphqlArrival;
};

/**
 * Refuses documents that are too long before they are parsed to the end, and those that fragments
 * make too large before anybody walks through them.
 */
export function documentLimits(): Plugin<OperationCtx> {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string, options: object) => {
        requireShallow(source);
        return requireWrittenOut(parse(source, { ...options, maxTokens: TOKENS_MAX }));
      });
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
    // What has no price does not run.
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

function refused(failure: GatewayError): ExecutionResult {
  return { errors: [new GraphQLError(failure.message, { originalError: failure })] };
}

/** Why an operation is not executed, or its price. */
async function judged(args: Executed): Promise<number | ExecutionResult> {
  const wrong = wrongVariables(args);
  if (wrong) return { errors: wrong, extensions: { cost: 1 } };
  const cost = await charge(args);
  return cost instanceof GatewayError ? refused(cost) : cost;
}

/**
 * Prices operations, tells the price, and gives every error its code and request id. What a
 * document is refused for is kept for the next one who sends it, and so is presented where it is
 * answered.
 */
export function pricedAndPresented(): Plugin<OperationCtx> {
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      const ctx = args.contextValue as OperationCtx;
      const cost = await judged(args as Executed);
      if (typeof cost !== 'number') {
        setResultAndStopExecution(presentResult(cost, ctx));
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
      const cost = await judged(args as unknown as Executed);
      if (typeof cost !== 'number') {
        setResultAndStopExecution(presentResult(cost, ctx) as never);
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
          const shown = presentError(asGraphqlError(error), ctx);
          if (ctx.arrival) noteErrors(ctx.arrival, [shown]);
          setError(shown);
        },
      };
    },
  };
}

/** The subscriptions that are no feeds. */
const MODEL_ANSWERS = /\b(chatCompletionStream|chatStream)\b/;

/** Subscriptions end when their credential does. */
export function endsWithCredential(live: LiveCredentials): Plugin<OperationCtx> {
  return {
    onSubscribe({ args }) {
      const ctx = args.contextValue as OperationCtx;
      if (!ctx.who || !ctx.authorization || !ctx.end) return undefined;
      const lease = {
        authorization: ctx.authorization,
        tenantId: ctx.who.tenantId,
        address: ctx.transport.address,
        permissions: ctx.who.permissions,
        expiresAtMs: ctx.expiresAtMs,
        isFeed: !MODEL_ANSWERS.test(print(args.document as DocumentNode)),
        end: ctx.end,
      };
      const forget = live.add(lease, ctx.lookedAt ?? 0);
      return {
        onSubscribeResult: () => ({ onEnd: forget }),
        onSubscribeError: forget,
      };
    },
  };
}
