import { OpenApiView, type Operation, type Parameter } from './openapi-view.js';

/** Stands in the texts for the address that the caller used. */
export const BASE_URL_PLACE = '{base_url}';

const IDEA =
  'An LLM gateway whose only API is GraphQL; every REST path is one named GraphQL operation. ' +
  'Chat, embeddings and models follow the chat-completions wire, so an SDK client changes its ' +
  'base address and its key. Usage is billed in rubles against a prepaid double-entry ledger.';

const BASICS = [
  `- Base address: ${BASE_URL_PLACE}; of SDK clients: ${BASE_URL_PLACE}/v1`,
  '- Credential: `Authorization: Bearer <API key or access token>`, except on public paths',
  `- GraphQL: POST ${BASE_URL_PLACE}/graphql; subscriptions by graphql-ws or SSE on that path`,
  '- Failures: `{"error":{"message","type","param","code","request_id","doc_url"}}`',
  '- Messages of failures: English, or Russian where `Accept-Language` prefers it; codes stay',
  '- Lists: `limit` (1 to 200) and `cursor`; `next_cursor` of the answer is the next cursor',
  '- `Idempotency-Key` on a POST, PATCH or DELETE: a repeated one runs once, with the first answer',
] as const;

/** The short index of llms.txt: where everything is, and one line for each operation. */
export function shortText(openapiJson: string): string {
  const operations = new OpenApiView(openapiJson).operations();
  return [
    '# gw',
    '',
    `> ${IDEA}`,
    '',
    ...BASICS,
    '',
    '## Documents',
    '',
    `- [All operations and the schema](${BASE_URL_PLACE}/llms-full.txt): the long form of this`,
    `- [OpenAPI 3.1](${BASE_URL_PLACE}/openapi.json): every REST path with an example that works`,
    `- [GraphQL schema](${BASE_URL_PLACE}/schema.graphql): every type with its description`,
    `- [Errors](${BASE_URL_PLACE}/docs/errors): every code with cause and fix`,
    `- [Access](${BASE_URL_PLACE}/docs/access): what each role and key type may do`,
    '',
    ...grouped(operations, ({ method, path, summary, isPublic }) => [
      `- \`${method} ${path}\`${isPublic ? ' (public)' : ''}: ${summary}`,
    ]),
  ].join('\n');
}

/** The whole of llms-full.txt: every operation with its fields, then the GraphQL schema. */
export function fullText(openapiJson: string, schemaSdl: string): string {
  const view = new OpenApiView(openapiJson);
  return [
    '# gw',
    '',
    `> ${IDEA}`,
    '',
    ...(view.description ? [view.description, ''] : []),
    ...BASICS,
    '',
    '# REST operations',
    '',
    ...grouped(view.operations(), (operation) => [...operationText(view, operation), '']),
    '# GraphQL schema',
    '',
    '```graphql',
    schemaSdl.trim(),
    '```',
    '',
  ].join('\n');
}

function grouped(
  operations: readonly Operation[],
  lines: (operation: Operation) => readonly string[],
): string[] {
  const groups = new Map<string, string[]>();
  for (const operation of operations) {
    const [group = 'Operations'] = operation.tags;
    groups.set(group, [...(groups.get(group) ?? []), ...lines(operation)]);
  }
  return [...groups].flatMap(([group, members]) => [`## ${group}`, '', ...members, '']);
}

function operationText(view: OpenApiView, operation: Operation): string[] {
  const { method, path, summary, description, isPublic, parameters = [] } = operation;
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const example = ['```json', JSON.stringify(body?.example, null, 2), '```'];
  return [
    `### ${method} ${path}`,
    '',
    summary,
    ...(description && description !== summary ? ['', description] : []),
    '',
    `Access: ${isPublic ? 'public' : 'bearer credential'}.`,
    ...section(
      'Parameters:',
      parameters.map((parameter) => parameterLine(view, parameter)),
    ),
    ...section('Body:', view.fieldLines(body?.schema)),
    ...section('Example body:', body?.example === undefined ? [] : example),
    ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([contentType, { schema }]) => {
        const fields = view.fieldLines(schema);
        const lines = fields.length > 0 ? fields : [`- ${view.typeOf(schema)}`];
        return section(`Answer ${status} (${contentType}):`, lines);
      }),
    ),
  ];
}

function parameterLine(view: OpenApiView, parameter: Parameter): string {
  const must = parameter.required ? ', required' : '';
  const about = parameter.description ? `: ${parameter.description}` : '';
  const type = view.typeOf(parameter.schema) + must;
  return `- \`${parameter.name}\` (${parameter.in}, ${type})${about}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, '', ...lines];
}
