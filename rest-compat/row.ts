import type { GraphQLSchema } from 'graphql';
import type { Ctx } from '../src/graph/ctx.js';
import type { WireStream } from '../src/kernel/wire.js';
import type { Bind, VariableRow } from './bind.js';
import type { InputNames } from './input-names.js';
import type { Paging } from './paging.js';
import type { SelectedField } from './projection.js';
import type { RestDirective } from './rest-directive.js';
import type { VariableUse } from './variable-uses.js';
import type { WirePaths } from './wire-paths.js';

/** What decides whether a row takes a request of its path. */
export type Condition =
  | { readonly kind: 'body'; readonly field: string }
  | { readonly kind: 'query'; readonly parameter: string; readonly values: readonly string[] };

/** Values that a stream row yields, or a stream that writes itself. */
export type RowStream = AsyncIterable<unknown> | WireStream;

/** How the answer of a row is shaped. */
export type Shape =
  | { readonly kind: 'value'; readonly field: SelectedField }
  | { readonly kind: 'fields'; readonly fields: readonly SelectedField[] }
  | {
      readonly kind: 'list';
      readonly field: SelectedField;
      /** The list of the rows: the nodes of a connection, or the root field itself. */
      readonly data: SelectedField;
      /** What else of the connection is selected. */
      readonly beside: readonly SelectedField[];
      /** Set for connections. */
      readonly paging: Paging | undefined;
    };

/** One REST path: an operation with everything that can be computed before a request comes. */
export interface CompiledRow {
  readonly contract: RestDirective;
  /** The operation's name, in PascalCase. */
  readonly name: string;
  readonly operationKind: 'query' | 'mutation' | 'subscription';
  /** The names of the root fields that it asks for. */
  readonly rootFields: readonly string[];
  /** The file's name without its ending. */
  readonly module: string;
  /** File and line, as messages show it. */
  readonly location: string;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters: readonly string[];
  readonly variables: readonly VariableRow[];
  /** Where its operation uses them. */
  readonly uses: readonly VariableUse[];
  readonly condition: Condition | undefined;
  readonly shape: Shape;
  /** How the fields of its input objects are called. */
  readonly names: InputNames;
  readonly wirePaths: WirePaths;
  readonly bind: Bind;
  /**
   * Runs a query or mutation and shapes the answer for the wire.
   * @throws GatewayError whatever went wrong
   */
  run(ctx: Ctx, variables: Record<string, unknown>): Promise<unknown>;
  /**
   * Starts a subscription.
   * @throws GatewayError when it is refused
   */
  subscribe(ctx: Ctx, variables: Record<string, unknown>): Promise<RowStream>;
}

/** Every row, checked against the schema. */
export interface RestTable {
  readonly rows: readonly CompiledRow[];
  /** What the rows of a file are about, by the name of the file, where it says so. */
  readonly moduleTexts: ReadonlyMap<string, string>;
  /** The schema that the rows were compiled against. */
  readonly schema: GraphQLSchema;
  /** How the fields of input objects are called where no row has names of its own. */
  readonly names: InputNames;
}
