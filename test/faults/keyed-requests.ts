import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** A change under a key: the same bytes however often it is sent. */
export interface KeyedChange {
  readonly kind: string;
  readonly key: string;
  /** Names what it makes, so that it can be counted. */
  readonly mark: string;
  readonly path: string;
  readonly body: string;
}

/** What came of sending a change; undefined when no answer came. */
export interface KeyedAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

const DOCUMENTS: Readonly<Record<string, string>> = {
  'GraphQL top-up':
    'mutation($mark: String!) { billingTopUp(amount: "1", note: $mark) { requestId } }',
  'GraphQL key': `mutation($mark: String!) {
    apiKeyCreate(input: { keyType: agent, name: $mark }) { key apiKey { id } } }`,
  'GraphQL policy': 'mutation($mark: String!) { policyCreate(input: { name: $mark }) { id } }',
  'GraphQL document': `mutation($mark: String!) {
    funds: billingTopUp(amount: "1", note: $mark) { requestId }
    key: apiKeyCreate(input: { keyType: agent, name: $mark }) { key }
    rules: policyCreate(input: { name: $mark }) { id } }`,
};

const PATHS: Readonly<Record<string, readonly [path: string, bodyOf: (mark: string) => object]>> = {
  'REST top-up': ['/billing/top-up/manual', (note) => ({ amount_rub: 1, note })],
  'REST key': ['/api-keys', (name) => ({ keyType: 'agent', name })],
  'REST policy': ['/v1/gw/policies', (name) => ({ name })],
};

/** Every kind of change that is made here. */
export const KEYED_KINDS = [...Object.keys(DOCUMENTS), ...Object.keys(PATHS)];

/** A new change of a kind. */
export function newChange(kind: string): KeyedChange {
  const mark = randomUUID();
  const [path, bodyOf] = PATHS[kind] ?? [
    '/graphql',
    () => ({ query: DOCUMENTS[kind], variables: { mark } }),
  ];
  return { kind, key: `key-${mark}`, mark, path, body: JSON.stringify(bodyOf(mark)) };
}

/** Sends a change once. */
export async function sendChange(
  url: string,
  credential: string,
  { path, key, body }: KeyedChange,
): Promise<KeyedAnswer | undefined> {
  try {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${credential}`,
        'idempotency-key': key,
      },
      body,
    });
    const { status, headers } = answer;
    return { status, text: await answer.text(), retryAfter: headers.get('retry-after') };
  } catch {
    return undefined;
  }
}

/** True for an answer that settles its request. */
export function isAnswered(answer: KeyedAnswer | undefined): answer is KeyedAnswer {
  return answer !== undefined && answer.status < 300 && !answer.text.includes('"errors"');
}

const TRIES_MAX = 100;

/** Repeats a change under its key until it is answered. @throws Error when it never is */
export async function repeatChange(
  url: string,
  credential: string,
  change: KeyedChange,
): Promise<{ readonly answer: KeyedAnswer; readonly between: readonly KeyedAnswer[] }> {
  const between: KeyedAnswer[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await sendChange(url, credential, change);
    if (isAnswered(answer)) return { answer, between };
    if (answer) between.push(answer);
    await sleep(100);
  }
  throw new Error(`${change.kind} was never answered: ${JSON.stringify(between.at(-1))}`);
}

/** How often a change stands, by what it makes; each should stand once. */
export async function standingOf(
  pool: pg.Pool,
  marks: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await pool.query<{ mark: string; counts: number[] }>(STANDING, [marks]);
  return new Map(rows.map(({ mark, counts }) => [mark, counts]));
}

/** What one change of a kind leaves: top-ups, keys, policies. */
export function standingOnce(kind: string): readonly number[] {
  if (kind.endsWith('document')) return [1, 1, 1];
  return ['top-up', 'key', 'policy'].map((made) => (kind.endsWith(made) ? 1 : 0));
}

const STANDING = `
  SELECT mark, ARRAY[
    (SELECT count(*)::int FROM ledger_entry WHERE type = 'top_up' AND description = mark),
    (SELECT count(*)::int FROM api_key WHERE name = mark),
    (SELECT count(*)::int FROM policy WHERE name = mark)] AS counts
  FROM unnest($1::text[]) AS mark`;
