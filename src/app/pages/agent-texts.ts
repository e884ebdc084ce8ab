import { PERMISSIONS } from '../../graph/permissions.js';
import { MACHINE_DOCUMENTS } from '../../growth/devex/documents.js';
import { BASE_URL_PLACE, snippetTemplate } from '../../growth/devex/quickstart/snippets.js';
import { STACK_DEFAULT } from '../../growth/devex/vocabulary.js';
import { fenced } from './markdown.js';
import { OpenApiView, type Operation, type Parameter } from './openapi-view.js';

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
    ...documentLines('/llms.txt'),
    `- [Access](${BASE_URL_PLACE}/docs/access): What each role and key type may do.`,
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
    '# Documents',
    '',
    ...documentLines('/llms-full.txt'),
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

/**
 * The instructions for agents: how to call, what an agent's key may do, what to do when a call
 * fails, and what to read next.
 */
export function agentInstructions(): string {
  const ofAgents = Object.entries(PERMISSIONS).filter(([, { keys }]) =>
    keys.some((type) => type === 'agent'),
  );
  return [
    '# Instructions for agents',
    '',
    `> ${IDEA}`,
    '',
    ...BASICS,
    '',
    '## The first request',
    '',
    ...fenced('sh', snippetTemplate(STACK_DEFAULT)),
    '',
    '## Rules',
    '',
    '- Read the key from the environment (`GW_API_KEY`), and never write it anywhere.',
    '- Send `metadata` with `feature`, `environment` and `client_id`: reports group cost by them.',
    '- Send an `Idempotency-Key` with whatever must not happen twice, and repeat it on a retry.',
    '- Name `gw:auto` to let the gateway choose a model; `gw_routing` of the answer says why.',
    '- Retry what is answered with 429 or 503 after `retry-after`; nothing else of 4xx.',
    '- Take every list to its end by `next_cursor` before you say that something is not there.',
    '- An action that answers `needs_approval` waits for a person: do not ask for it again.',
    '',
    '## What a key of the type `agent` may do',
    '',
    ...ofAgents.map(([permission, { description }]) => `- \`${permission}\`: ${description}`),
    '',
    '## When a request fails',
    '',
    `1. Read \`error.code\` and its page: \`${BASE_URL_PLACE}/docs/errors/<code>.md\`.`,
    `2. Ask \`POST ${BASE_URL_PLACE}/v1/gw/devex/debug\` with \`request\`, \`status\` and`,
    '   `error_code`: it answers cause, fix and the smallest JSON Patch that helps.',
    '3. Apply the patch, and send the request again. Nothing of a debugging is executed or billed.',
    '',
    '## Read next',
    '',
    ...documentLines('/agents.md'),
    '',
  ].join('\n');
}

/** Every document for programs but the one that lists them. */
function documentLines(own: string): string[] {
  return MACHINE_DOCUMENTS.filter(({ path }) => path !== own).map(
    ({ path, name, about }) => `- [${name}](${BASE_URL_PLACE}${path}): ${about}`,
  );
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

/** A parameter in a line: name, place, type and meaning. */
export function parameterLine(view: OpenApiView, parameter: Parameter): string {
  const must = parameter.required ? ', required' : '';
  const about = parameter.description ? `: ${parameter.description}` : '';
  const type = view.typeOf(parameter.schema) + must;
  return `- \`${parameter.name}\` (${parameter.in}, ${type})${about}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, '', ...lines];
}
