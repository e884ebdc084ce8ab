import { request as httpRequest } from 'node:http';
import { PASSWORD } from '../../journeys/people.js';
import { type Answer, graphql, rest, startApp, type TestApp } from '../../support/app.js';

/** Two gateways on one database. */
export interface Nodes {
  readonly first: TestApp;
  readonly second: TestApp;
  stop(): Promise<void>;
}

/** Starts them with these settings on top of those of tests. */
export async function startNodes(environment: NodeJS.ProcessEnv = {}): Promise<Nodes> {
  const first = await startApp(environment);
  const second = await startApp({ ...first.environment, GW_NODE_ID: 'second' });
  return {
    first,
    second,
    async stop() {
      await second.stop();
      await first.stop();
    },
  };
}

/** The tokens of a login. */
export interface Login {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Logs in over REST; `more` adds to the body or replaces what is in it. */
export function logIn(
  app: Pick<TestApp, 'url'>,
  email: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Login>> {
  const body = { email, password: PASSWORD, ...more };
  return rest<Login>(app, 'POST', '/auth/login', { body, headers });
}

/** Exchanges a refresh token. */
export function refresh(app: Pick<TestApp, 'url'>, refreshToken: string): Promise<Answer<Login>> {
  return rest<Login>(app, 'POST', '/auth/refresh', { body: { refreshToken } });
}

/** Who asks: whether a credential is taken. */
export function me(app: Pick<TestApp, 'url'>, credential: string): Promise<Answer> {
  return rest(app, 'GET', '/me', { credential });
}

/** The codes of the failures of an operation of GraphQL; undefined where it worked. */
export async function codesOf(
  app: Pick<TestApp, 'url'>,
  credential: string | undefined,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<readonly string[] | undefined> {
  const { errors } = await graphql(app, query, variables, credential);
  return errors?.map(({ extensions }) => extensions.code);
}

/** Opens the feed of approvals over HTTP. @returns what resolves when the server has ended it */
export function openFeed(
  app: Pick<TestApp, 'url'>,
  credential: string,
): Promise<{ readonly ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${app.url}/graphql`, {
      method: 'POST',
      agent: false,
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${credential}`,
        'content-type': 'application/json',
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const ended = new Promise<void>((end) => response.once('close', end));
      response.resume();
      resolve({ ended });
    });
    request.end(JSON.stringify({ query: 'subscription { approvalEvents { cursor } }' }));
  });
}
