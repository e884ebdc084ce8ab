import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import type { Operation } from './openapi-view.js';

type Origin = NonNullable<Operation['x-example-from']>[number];
type Taken = Origin['take'][number];

/** The comments of an example. */
interface ScriptTexts {
  readonly setBy: (variable: string, operation: string) => string;
  readonly exampleNeeds: (what: string) => string;
}

/** The credential of every example, and the operations whose answers hold one. */
const CREDENTIAL = 'GW_API_KEY';
const LOGINS = ['registerTenant', 'logIn'];

/** No text of a JSON document has it, so that it marks the place of a variable. */
const MARK = '\u0000';

/**
 * The example of an operation as a script of bash: first what it uses up is made, then it is asked,
 * then what others need of its answer is kept in variables.
 */
export function exampleScript(
  operation: Operation,
  all: readonly Operation[],
  texts: ScriptTexts,
): string {
  const origins = operation['x-example-from'] ?? [];
  const kept = origins.filter(({ again }) => !again);
  const comments = kept.flatMap(({ operationId = '', take }) =>
    take.map(({ variable }) => texts.setBy(`$${variable}`, operationId)),
  );
  const needs = operation['x-example-needs'];
  return [
    ...new Set([...comments, ...(needs === undefined ? [] : [texts.exampleNeeds(needs)])]),
    ...scriptOf(operation, all, keptOf(operation, all)),
  ].join('\n');
}

function scriptOf(
  operation: Operation,
  all: readonly Operation[],
  kept: readonly Taken[],
): readonly string[] {
  const first = (operation['x-example-from'] ?? []).filter(({ again }) => again);
  const made = first.flatMap((origin) => {
    const other = all.find(({ operationId }) => operationId === origin.operationId);
    if (other) return scriptOf(other, all, origin.take);
    return asked(graphqlCall(origin.graphql ?? ''), origin.take);
  });
  return [...made, ...asked(callOf(operation), kept)];
}

/** A call, whose answer is shown and kept where something is taken of it. */
function asked(call: string, take: readonly Taken[]): readonly string[] {
  if (take.length === 0) return [call];
  const members = new Map(take.map(({ variable, member }) => [variable, member]));
  return [
    `answer=$(${call})`,
    'echo "$answer"',
    ...[...members].map(
      ([variable, member]) => `${variable}=$(node -p '${read(member)}' <<< "$answer")`,
    ),
  ];
}

/** What node prints of an answer; a text as a whole is escaped as JSON takes it. */
function read(member: string): string {
  if (member === '') return 'JSON.stringify(fs.readFileSync(0, "utf8")).slice(1, -1)';
  const steps = member.split('.').map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
  return `JSON.parse(fs.readFileSync(0))${steps.join('')}`;
}

/** What the examples of others take of the answer, and the credential of a login. */
function keptOf({ operationId: own }: Operation, all: readonly Operation[]): readonly Taken[] {
  const others = all.flatMap((each) => each['x-example-from'] ?? []);
  const taken = others.filter(({ operationId, again }) => operationId === own && !again);
  const login = { to: CREDENTIAL, member: 'accessToken', variable: CREDENTIAL };
  return [...(LOGINS.includes(own) ? [login] : []), ...taken.flatMap(({ take }) => take)];
}

function graphqlCall(query: string): string {
  return curl('POST', `${BASE_URL_PLACE}/graphql`, { isPublic: false, body: { query } });
}

/** The example of the description as a call in a shell. */
function callOf(operation: Operation): string {
  const { method, path, parameters = [], requestBody, isPublic } = operation;
  const take = (operation['x-example-from'] ?? []).flatMap((origin) => origin.take);
  const variables = new Map(take.map(({ to, variable }) => [to, variable]));
  const given = parameters.filter(({ example }) => example !== undefined);
  const filled = path.replace(/\{(\w+)\}/g, (place, name: string) => {
    const variable = variables.get(name);
    if (variable !== undefined) return `${MARK}${variable}${MARK}`;
    const found = given.find((one) => one.in === 'path' && one.name === name);
    return found ? encodeURI(String(found.example)) : place;
  });
  const query = new URLSearchParams(
    given.flatMap((one) => (one.in === 'query' ? [[one.name, String(one.example)]] : [])),
  );
  const address = `${BASE_URL_PLACE}${filled}${query.size > 0 ? `?${query}` : ''}`;
  const [content] = Object.values(requestBody?.content ?? {});
  const inPath = new Set(parameters.map(({ name }) => name));
  const own = [...variables].filter(([to]) => !inPath.has(to));
  const members = Object.fromEntries(own.map(([to, variable]) => [to, MARK + variable + MARK]));
  const example = content?.example as object | undefined;
  return curl(method, address, { isPublic, body: example && { ...example, ...members } });
}

function curl(
  method: string,
  address: string,
  { isPublic, body }: { readonly isPublic: boolean; readonly body: object | undefined },
): string {
  const text = body && JSON.stringify(body, null, 2).replaceAll('\\u0000', MARK);
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}`,
    ...(isPublic ? [] : [`-H "authorization: Bearer $${CREDENTIAL}"`]),
    ...(text === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(text)}`]),
  ].join(' \\\n  ');
}

/** A text between single quotes of a shell, which its variables stand outside of. */
function quoted(text: string): string {
  const parts = text.split(MARK).map((part, index) => {
    return index % 2 === 0 ? `'${part.replaceAll("'", `'\\''`)}'` : `"$${part}"`;
  });
  return parts.filter((part) => part !== "''").join('') || "''";
}
