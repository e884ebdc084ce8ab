import { ERRORS } from '../../kernel/errors/catalogue.js';
import { describedIn } from '../../kernel/errors/told.js';
import type { Language } from '../../kernel/language/languages.js';
import { errorLink } from './error-texts.js';
import { exampleScript } from './example-script.js';
import { fenced, part, table } from './markdown.js';
import type { OpenApiView, Operation } from './openapi-view.js';
import { codesOfOperation } from './operation-errors.js';
import { OPERATIONS } from './operation-texts.js';
import { placedLink, type Reading } from './reading.js';

/** The index of all operations, each with its page. */
export function operationIndex(view: OpenApiView, reading: Reading): string {
  const texts = OPERATIONS[reading.language];
  const agents = placedLink(reading, '/agents.md');
  const errors = placedLink(reading, '/docs/errors.md');
  const lines = ({ operationId, method, path, summary }: Operation) => [
    `- [\`${method} ${path}\`](${linkOf(operationId, reading)}): ${summary}`,
  ];
  return [
    `# ${texts.title}`,
    '',
    ...texts.idea(agents, errors),
    ...texts.exampleIdea,
    ...texts.note,
    ...grouped(view.operations(), reading.language, lines),
  ].join('\n');
}

function linkOf(operationId: string, reading: Reading): string {
  return placedLink(reading, `/docs/operations/${operationId}.md`);
}

/** Operations by their groups, each with its lines below the heading of the group. */
export function grouped(
  operations: readonly Operation[],
  language: Language,
  lines: (operation: Operation) => readonly string[],
): string[] {
  const { ungrouped } = OPERATIONS[language];
  const groups = new Map<string, string[]>();
  for (const operation of operations) {
    const [group = ungrouped] = operation.tags;
    groups.set(group, [...(groups.get(group) ?? []), ...lines(operation)]);
  }
  return [...groups].flatMap(([group, members]) => part(`## ${group}`, members));
}

/**
 * The page of an operation: method, path, parameters, an example that works, the shape of the
 * answer, and its errors with cause and fix. Undefined for an id that no operation has.
 */
export function operationPage(
  view: OpenApiView,
  id: string,
  moduleOf: (operationId: string) => string | undefined,
  reading: Reading,
): string | undefined {
  const operations = view.operations();
  const operation = operations.find(({ operationId }) => operationId === id);
  if (!operation) return undefined;
  const texts = OPERATIONS[reading.language];
  const { method, path, summary, description, isPublic, parameters = [] } = operation;
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const script = exampleScript(operation, operations, texts);
  return [
    `# ${method} ${path}`,
    '',
    summary,
    '',
    ...(description && description !== summary ? [description, ''] : []),
    ...texts.note,
    `- ${texts.operation}: \`${id}\``,
    `- ${texts.access}: ${isPublic ? texts.isPublic : texts.needsCredential}`,
    `- ${texts.others}: [${texts.index}](${placedLink(reading, '/docs/operations.md')})`,
    '',
    ...part(
      `## ${texts.parameters}`,
      parameters.map((parameter) => view.parameterLine(parameter)),
    ),
    ...part(`## ${texts.body}`, view.fieldLines(body?.schema)),
    ...part(`## ${texts.exampleRequest}`, fenced('sh', script)),
    ...answersOf(view, operation, reading.language),
    ...part(`## ${texts.errors}`, errorLines(operation, moduleOf(id), reading)),
  ].join('\n');
}

function answersOf(view: OpenApiView, { responses }: Operation, language: Language): string[] {
  const { answer, shape } = OPERATIONS[language];
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { schema, example }]) => {
      const lines = view.fieldLines(schema);
      const fields = lines.length > 0 ? lines : [`- ${view.typeOf(schema)}`];
      const isJson = type === 'application/json';
      const shown = JSON.stringify(example ?? view.sampleOf(schema), null, 2);
      return [
        ...part(`## ${answer(status, type)}`, fields),
        ...(isJson ? part(`### ${shape}`, fenced('json', shown)) : []),
      ];
    }),
  );
}

function errorLines(operation: Operation, module: string | undefined, reading: Reading): string[] {
  const rows = codesOfOperation(operation, module).map((code) => {
    const row = ERRORS[code];
    const { cause, fix } = describedIn(row, reading.language);
    return [String(row.status), errorLink(code, reading), cause, fix.join(' ')];
  });
  return table(OPERATIONS[reading.language].errorHead, rows);
}
