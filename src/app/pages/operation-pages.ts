import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import { ERRORS } from '../../kernel/errors/catalogue.js';
import { parameterLine } from './agent-texts.js';
import { fenced, part, table } from './markdown.js';
import type { OpenApiView, Operation } from './openapi-view.js';
import { codesOfOperation } from './operation-errors.js';

const FOLDER = '/docs/operations';

/** The index of all operations, each with its page. */
export function operationIndex(view: OpenApiView): string {
  const groups = new Map<string, Operation[]>();
  for (const operation of view.operations()) {
    const [group = 'Operations'] = operation.tags;
    groups.set(group, [...(groups.get(group) ?? []), operation]);
  }
  return [
    '# Operations',
    '',
    'Every REST operation of this gateway, each with a page of its own: what goes in, what comes',
    'out, and which errors it may answer with. See also',
    `[the instructions](${BASE_URL_PLACE}/agents.md) and`,
    `[the errors](${BASE_URL_PLACE}/docs/errors.md).`,
    '',
    ...[...groups].flatMap(([group, operations]) =>
      part(
        `## ${group}`,
        operations.map(
          ({ operationId, method, path, summary }) =>
            `- [\`${method} ${path}\`](${BASE_URL_PLACE}${FOLDER}/${operationId}.md): ${summary}`,
        ),
      ),
    ),
  ].join('\n');
}

/**
 * The page of an operation: method, path, parameters, an example that works, the shape of the
 * answer, and its errors with cause and fix. Undefined for an id that no operation has.
 */
export function operationPage(
  view: OpenApiView,
  id: string,
  moduleOf: (operationId: string) => string | undefined,
): string | undefined {
  const operation = view.operations().find(({ operationId }) => operationId === id);
  if (!operation) return undefined;
  const { method, path, summary, description, isPublic, parameters = [] } = operation;
  const [body] = Object.values(operation.requestBody?.content ?? {});
  return [
    `# ${method} ${path}`,
    '',
    summary,
    '',
    ...(description && description !== summary ? [description, ''] : []),
    `- Operation: \`${id}\``,
    `- Access: ${isPublic ? 'public, without a credential' : 'a bearer credential'}`,
    `- Other operations: [index](${BASE_URL_PLACE}${FOLDER}.md)`,
    '',
    ...part(
      '## Parameters',
      parameters.map((parameter) => parameterLine(view, parameter)),
    ),
    ...part('## Body', view.fieldLines(body?.schema)),
    ...part('## Example request', fenced('sh', exampleCall(operation))),
    ...answersOf(view, operation),
    ...part('## Errors', errorLines(operation, moduleOf(id))),
  ].join('\n');
}

/** The example of the description as a call in a shell. */
function exampleCall({ method, path, parameters = [], requestBody, isPublic }: Operation): string {
  const given = parameters.filter(({ example }) => example !== undefined);
  const filled = path.replace(/\{(\w+)\}/g, (place, name: string) => {
    const found = given.find((one) => one.in === 'path' && one.name === name);
    return found ? encodeURI(String(found.example)) : place;
  });
  const query = new URLSearchParams(
    given.flatMap((one) => (one.in === 'query' ? [[one.name, String(one.example)]] : [])),
  );
  const [body] = Object.values(requestBody?.content ?? {});
  const text = body?.example === undefined ? undefined : JSON.stringify(body.example, null, 2);
  const address = `${BASE_URL_PLACE}${filled}${query.size > 0 ? `?${query}` : ''}`;
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}'${quoted(address)}'`,
    ...(isPublic ? [] : [`-H "authorization: Bearer $GW_API_KEY"`]),
    ...(text === undefined ? [] : ["-H 'content-type: application/json'", `-d '${quoted(text)}'`]),
  ].join(' \\\n  ');
}

/** A text between single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

function answersOf(view: OpenApiView, { responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { schema, example }]) => {
      const lines = view.fieldLines(schema);
      const fields = lines.length > 0 ? lines : [`- ${view.typeOf(schema)}`];
      const isJson = type === 'application/json';
      const shown = JSON.stringify(example ?? view.sampleOf(schema), null, 2);
      return [
        ...part(`## Answer ${status} (${type})`, fields),
        ...(isJson ? part('### Its shape', fenced('json', shown)) : []),
      ];
    }),
  );
}

function errorLines(operation: Operation, module: string | undefined): string[] {
  const rows = codesOfOperation(operation, module).map((code) => {
    const { status, cause, fix } = ERRORS[code];
    const link = `[\`${code}\`](${BASE_URL_PLACE}/docs/errors/${code}.md)`;
    return [String(status), link, cause, fix.join(' ')];
  });
  return table(['Status', 'Code', 'Cause', 'Fix'], rows);
}
