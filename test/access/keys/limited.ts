import { expect } from 'vitest';
import type { ErrorBody } from '../../journeys/people.js';
import { type Answer, rest, type TestApp } from '../../support/app.js';

/** What a request says in JSON. */
export type Body = Readonly<Record<string, unknown>>;

/** A key with its value. */
export interface Made {
  readonly id: string;
  readonly key: string;
}

type At = Pick<TestApp, 'url'>;

/** A key called `limited` with limits, made over REST; of the type `service` unless stated. */
export async function limited(
  app: At,
  by: string,
  limits: Body = {},
  keyType = 'service',
): Promise<Made> {
  const body = { keyType, name: 'limited', ...limits };
  const made = await rest(app, 'POST', '/api-keys', { credential: by, body });
  expect([made.status, made.body]).toEqual([200, made.body]);
  return { id: String(made.body.id), key: String(made.body.key) };
}

/** Changes what a key may do. */
export function update(
  app: At,
  by: string,
  id: string,
  body: Body,
  headers: Record<string, string> = {},
): Promise<Answer<ErrorBody>> {
  return rest(app, 'PATCH', `/api-keys/${id}`, { credential: by, body, headers });
}
