import { PERMISSIONS } from '../../graph/permissions.js';
import { snippetTemplate } from '../../growth/devex/quickstart/snippets.js';
import { STACK_DEFAULT } from '../../growth/devex/vocabulary.js';
import type { Language } from '../../kernel/language/languages.js';
import { AGENTS } from './agent-words.js';
import { documentLines } from './document-lines.js';
import { fenced } from './markdown.js';
import type { OpenApiView, Operation } from './openapi-view.js';
import { grouped } from './operation-pages.js';
import { OPERATIONS } from './operation-texts.js';
import { placedLink, type Reading } from './reading.js';
import { descriptionOfPermission } from './right-texts.js';

/** The short index of llms.txt: where everything is, and one line for each operation. */
export function shortText(view: OpenApiView, reading: Reading): string {
  const { idea, basics, documents, access } = AGENTS[reading.language];
  const { isPublicShort, note } = OPERATIONS[reading.language];
  return [
    '# gw',
    '',
    `> ${idea}`,
    '',
    ...basics,
    '',
    `## ${documents}`,
    '',
    ...documentLines('/llms.txt', reading),
    `- [${access.name}](${placedLink(reading, '/docs/access')}): ${access.about}`,
    '',
    ...note,
    ...grouped(view.operations(), reading.language, ({ method, path, summary, isPublic }) => [
      `- \`${method} ${path}\`${isPublic ? ` (${isPublicShort})` : ''}: ${summary}`,
    ]),
  ].join('\n');
}

/** The whole of llms-full.txt: every operation with its fields, then the GraphQL schema. */
export function fullText(view: OpenApiView, schemaSdl: string, reading: Reading): string {
  const { language } = reading;
  const { idea, basics, documents, restOperations, schema } = AGENTS[language];
  return [
    '# gw',
    '',
    `> ${idea}`,
    '',
    ...basics,
    '',
    `# ${documents}`,
    '',
    ...documentLines('/llms-full.txt', reading),
    '',
    `# ${restOperations}`,
    '',
    ...OPERATIONS[language].note,
    ...(view.description ? [view.description, ''] : []),
    ...grouped(view.operations(), language, (operation) => [
      ...operationText(view, operation, language),
      '',
    ]),
    `# ${schema}`,
    '',
    '```graphql',
    schemaSdl.trim(),
    '```',
    '',
  ].join('\n');
}

/**
 * The instructions for agents: how to call, what an agent's key may do, what to do when a call
 * fails, and what to read next.
 */
export function agentInstructions(reading: Reading): string {
  const texts = AGENTS[reading.language];
  const ofAgents = Object.entries(PERMISSIONS).filter(([, { keys }]) =>
    keys.some((type) => type === 'agent'),
  );
  return [
    `# ${texts.instructions}`,
    '',
    `> ${texts.idea}`,
    '',
    ...texts.basics,
    '',
    `## ${texts.firstRequest}`,
    '',
    ...fenced('sh', snippetTemplate(STACK_DEFAULT)),
    '',
    `## ${texts.rulesHeading}`,
    '',
    ...texts.rules,
    '',
    `## ${texts.rights}`,
    '',
    ...ofAgents.map(
      ([permission]) =>
        `- \`${permission}\`: ${descriptionOfPermission(permission, reading.language)}`,
    ),
    '',
    `## ${texts.failing}`,
    '',
    ...texts.whenFailing(placedLink(reading, '/docs/errors/<code>.md')),
    '',
    `## ${texts.next}`,
    '',
    ...documentLines('/agents.md', reading),
    '',
  ].join('\n');
}

function operationText(view: OpenApiView, operation: Operation, language: Language): string[] {
  const texts = OPERATIONS[language];
  const { method, path, summary, description, isPublic, parameters = [] } = operation;
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const example = ['```json', JSON.stringify(body?.example, null, 2), '```'];
  return [
    `### ${method} ${path}`,
    '',
    summary,
    ...(description && description !== summary ? ['', description] : []),
    '',
    `${texts.access}: ${isPublic ? texts.isPublic : texts.needsCredential}.`,
    ...section(
      texts.parameters,
      parameters.map((parameter) => view.parameterLine(parameter)),
    ),
    ...section(texts.body, view.fieldLines(body?.schema)),
    ...section(texts.exampleBody, body?.example === undefined ? [] : example),
    ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([contentType, { schema }]) => {
        const fields = view.fieldLines(schema);
        const lines = fields.length > 0 ? fields : [`- ${view.typeOf(schema)}`];
        return section(texts.answer(status, contentType), lines);
      }),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, '', ...lines];
}
