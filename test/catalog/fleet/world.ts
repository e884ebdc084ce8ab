import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD } from '../../journeys/people.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';
import { freshDatabase } from '../../support/database.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../../support/upstream-double.js';

/** Two nodes of one installation in front of a provider process, and who operates them. */
export interface FleetWorld {
  readonly nodes: readonly [TestApp, TestApp];
  readonly double: SpawnedDouble;
  /** The access token of an administrator of the platform, and who that is. */
  readonly operator: string;
  readonly operatorId: string;
  stop(): Promise<void>;
}

/** A provider of one chat model, in the words of the providers file; its lane is its id. */
export function laneOf(id: string, origin: string, model: Record<string, unknown> = {}) {
  return {
    id,
    name: `Provider ${id}`,
    operator: `Operator ${id}`,
    base_url: `${origin}/${id}/v1`,
    jurisdiction: 'rf',
    models: [
      {
        id: 'pool/chat',
        upstream_name: `${id}-chat`,
        capabilities: ['text', 'streaming'],
        context_window: 4_000,
        max_output_tokens: 100,
        prices: [{ effective_from: '2026-01-01', input: 100, output: 1_000 }],
        ...model,
      },
    ],
  };
}

/** Starts two nodes; `providers` are given the address of the provider process. */
export async function startFleet(
  providers: (origin: string) => readonly object[],
  environment: NodeJS.ProcessEnv = {},
): Promise<FleetWorld> {
  const double = await spawnUpstreamDouble();
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'gw-fleet-'));
  const file = join(folder, 'providers.yaml');
  writeFileSync(file, JSON.stringify({ providers: providers(double.origin) }));
  const shared = { DATABASE_URL: database.databaseUrl, GW_PROVIDERS_FILE: file };
  const registered = await registerOperator(shared);
  const own = {
    ...shared,
    GW_PLATFORM_ADMINS: registered.user.id,
    GW_PROVIDER_ALLOW: '127.0.0.1',
    ...environment,
  };
  const nodes = [await startApp(own), await startApp(own)] as const;
  return {
    nodes,
    double,
    operator: registered.accessToken,
    operatorId: registered.user.id,
    async stop() {
      for (const node of nodes) await node.stop();
      await database.drop();
      await double.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The list of operators is read at start, so that the first one registers before. */
async function registerOperator(environment: NodeJS.ProcessEnv) {
  const first = await startApp(environment);
  const { body } = await rest<{ accessToken: string; user: { id: string } }>(
    first,
    'POST',
    '/auth/register',
    { body: { email: 'operator@example.test', password: PASSWORD, organization: 'Operators' } },
  );
  await first.stop();
  return body;
}

/** How a mutation of operators ended. */
export interface Changed {
  readonly version?: string;
  readonly code?: string;
  readonly faults: readonly string[];
}

/** Calls a mutation of operators that answers a change. `args` are its arguments as written. */
export async function changed(
  node: Pick<TestApp, 'url'>,
  credential: string | undefined,
  name: string,
  args: string,
  variables: Record<string, unknown> = {},
): Promise<Changed> {
  const types = 'input' in variables ? inputTypeOf(name) : '';
  const { data, errors } = await graphql<Record<string, { version: string }>>(
    node,
    `mutation${types} { ${name}(${args}) { version } }`,
    variables,
    credential,
  );
  const extensions = errors?.[0]?.extensions;
  const faults = (extensions?.faults ?? []) as readonly { readonly message: string }[];
  return {
    ...(data?.[name] && { version: data[name].version }),
    ...(extensions && { code: extensions.code }),
    faults: faults.map(({ message }) => message),
  };
}

function inputTypeOf(name: string): string {
  return name === 'providerDeclare' ? '($input: JSON!)' : '($input: JSON)';
}

/** Waits until all nodes have the same version of the registry. */
export function versionsOf({ nodes }: FleetWorld): number[] {
  return nodes.map(({ server }) => server.services.registry.version);
}

/** A small chat, asked over REST in one of the two forms. @returns status, error code, headers */
export async function ask(
  node: Pick<TestApp, 'url'>,
  credential: string,
  stream: boolean,
  body: Record<string, unknown> = {},
) {
  const answer = await rest<unknown>(node, 'POST', '/v1/chat/completions', {
    credential,
    body: {
      model: 'pool/chat',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Здравствуйте' }],
      stream,
      ...body,
    },
  });
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1];
  return { status: answer.status, code, headers: answer.headers, text };
}
