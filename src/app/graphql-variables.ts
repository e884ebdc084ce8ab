import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
} from 'graphql';

/** Faults of variables that an answer names. Each of them shows the value that it stands in. */
const FAULTS_MAX = 20;
/** What of a message is shown at most: how it begins, and its end, which says what is wrong. */
const SHOWN = { head: 200, tail: 800 } as const;

const BAD_REQUEST = { http: { status: 400 } } as const;

interface Asked {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null;
  readonly variableValues?: Record<string, unknown> | null;
}

/**
 * What is wrong with the variables of an operation; undefined where nothing is. It is asked before
 * anything else reads them: each fault repeats the value that holds it, so to name all faults of a
 * value that is wrong throughout would take the square of its size.
 */
export function wrongVariables({
  schema,
  document,
  operationName,
  variableValues,
}: Asked): readonly GraphQLError[] | undefined {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const options = { maxErrors: FAULTS_MAX };
  const { errors } = getVariableValues(schema, definitions, variableValues ?? {}, options);
  return errors?.map(({ message, nodes }) => {
    return new GraphQLError(shortened(message), { nodes, extensions: BAD_REQUEST });
  });
}

function shortened(message: string): string {
  if (message.length <= SHOWN.head + SHOWN.tail) return message;
  const short = `${message.slice(0, SHOWN.head)} … ${message.slice(-SHOWN.tail)}`;
  return short.replace(/\p{Surrogate}/gu, '\ufffd');
}
