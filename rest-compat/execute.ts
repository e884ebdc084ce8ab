import {
  type DocumentNode,
  defaultFieldResolver,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isLeafType,
  Kind,
  type OperationDefinitionNode,
  subscribe,
} from 'graphql';
import type { Ctx } from '../src/graph/ctx.js';
import { isWireStream, WireBody, WireText } from '../src/kernel/wire.js';
import { compileArguments } from './arguments.js';
import { firstFailure, toFailure } from './failure.js';
import type { Fragments } from './projection.js';
import { COERCED_NAME } from './rest-directive.js';
import type { RowStream } from './row.js';

/** Coerced variables by name. */
export type Variables = Record<string, unknown>;

/** What a row executes. */
export interface ExecutionPlan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly root: GraphQLObjectType;
  /** Shapes the data of the operation for the wire; the object is the row's to change. */
  shape(data: Record<string, unknown>, variables: Variables): unknown;
}

/** A row's way through the schema. */
export interface Execution {
  run(ctx: Ctx, variables: Variables): Promise<unknown>;
  subscribe(ctx: Ctx, variables: Variables): Promise<RowStream>;
}

/**
 * Compiles the execution of an operation. One leaf at the root is called directly, through the
 * final `resolve` or `subscribe` of the schema's field, so that everything plugins wrapped around
 * it runs; all else goes through graphql-js with the document that was parsed at start.
 */
export function compileExecution(plan: ExecutionPlan): Execution {
  const leaf = leafAtRoot(plan);
  if (leaf) return directExecution(plan, leaf);
  const document = executableDocument(plan.operation, plan.fragments);
  const { schema } = plan;
  return {
    async run(contextValue, variableValues) {
      const result = await execute({ schema, document, contextValue, variableValues });
      return shaped(plan, result, variableValues);
    },
    async subscribe(contextValue, variableValues) {
      const started = await subscribe({ schema, document, contextValue, variableValues });
      if (!(Symbol.asyncIterator in started)) throw firstFailure(started.errors ?? []);
      return mapEvents(started, (event) => shaped(plan, event, variableValues));
    },
  };
}

function shaped(
  plan: ExecutionPlan,
  result: Awaited<ReturnType<typeof execute>>,
  variables: Variables,
): unknown {
  if (result.errors && result.errors.length > 0) throw firstFailure(result.errors);
  return plan.shape(result.data as Record<string, unknown>, variables);
}

interface Leaf {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly type: GraphQLLeafType;
}

function leafAtRoot(plan: ExecutionPlan): Leaf | undefined {
  const [node, second] = plan.operation.selectionSet.selections;
  if (node?.kind !== Kind.FIELD || second || (node.directives ?? []).length > 0) return undefined;
  const field = plan.root.getFields()[node.name.value];
  const type = field && getNullableType(field.type);
  return field && isLeafType(type) ? { node, field, type } : undefined;
}

function directExecution(plan: ExecutionPlan, leaf: Leaf): Execution {
  const { node, field, type } = leaf;
  const key = node.alias?.value ?? node.name.value;
  const infoFor = compileInfo(plan, leaf, key);
  const makeArguments =
    compileArguments(field, node) ??
    ((variables: Variables) => getArgumentValues(field, node, variables));
  const resolve = field.resolve ?? defaultFieldResolver;
  const serialize = (value: unknown) =>
    value == null || value instanceof WireBody || value instanceof WireText
      ? value
      : type.serialize(value);
  const finish = (value: unknown, variables: Variables) =>
    plan.shape({ [key]: serialize(value) }, variables);
  return {
    async run(ctx, variables) {
      try {
        const values = makeArguments(variables);
        return finish(await resolve(undefined, values, ctx, infoFor(variables)), variables);
      } catch (error) {
        throw toFailure(error);
      }
    },
    async subscribe(ctx, variables) {
      try {
        const values = makeArguments(variables);
        const info = infoFor(variables);
        const events: unknown = await field.subscribe?.(undefined, values, ctx, info);
        if (isWireStream(events)) return events;
        if (!isAsyncIterable(events)) throw new TypeError(`${key} yields no events`);
        return mapEvents(events, async (event) =>
          finish(await resolve(event, values, ctx, info), variables),
        );
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

function compileInfo(
  plan: ExecutionPlan,
  leaf: Leaf,
  key: string,
): (variables: Variables) => GraphQLResolveInfo {
  const fragments: Record<string, FragmentDefinitionNode> = Object.fromEntries(plan.fragments);
  const fieldNodes = [leaf.node];
  const path = { prev: undefined, key, typename: plan.root.name };
  return (variableValues) => ({
    fieldName: leaf.field.name,
    fieldNodes,
    returnType: leaf.field.type,
    parentType: plan.root,
    path,
    schema: plan.schema,
    fragments,
    rootValue: undefined,
    operation: plan.operation,
    variableValues,
  });
}

/** The operation with coerced variables, beside the fragments that it uses. */
function executableDocument(
  operation: OperationDefinitionNode,
  fragments: Fragments,
): DocumentNode {
  const variableDefinitions = operation.variableDefinitions?.map((definition) => ({
    kind: Kind.VARIABLE_DEFINITION,
    variable: definition.variable,
    type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: COERCED_NAME } },
  })) satisfies OperationDefinitionNode['variableDefinitions'];
  return {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, variableDefinitions, directives: [] }, ...fragments.values()],
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/**
 * Maps events one by one. Not an async generator: `return` of one waits for the event that is
 * awaited, so a client that left would hold the subscription open until something happens.
 */
function mapEvents<Event>(
  events: AsyncIterable<Event>,
  map: (event: Event) => unknown,
): AsyncIterableIterator<unknown> {
  const source = events[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const step = await source.next();
        return step.done
          ? { done: true, value: undefined }
          : { done: false, value: await map(step.value) };
      } catch (error) {
        throw toFailure(error);
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
