import { expect, vi } from 'vitest';
import { rest, type TestApp } from './app.js';

/** An evaluation as REST tells it. */
export interface Evaluation {
  readonly id: string;
  readonly status: string;
  readonly failure: string | null;
  readonly receipt_id: string | null;
  readonly cost_rub: number;
  readonly results_planned: number;
  readonly results_ended: number;
  readonly results_passed: number;
  readonly results_failed: number;
  readonly results_unproved: number;
}

/** A case that any answer passes, with the variables of the version that tests use. */
export const EASY_CASES = [
  {
    name: 'easy',
    variables: { letter: 'Where is my order?' },
    graders: [{ rule: { kind: 'not_contains', value: 'the word that no answer has' } }],
  },
];

/** The evidence of a version with one sandbox model that passes those cases. */
export const PROVED = {
  has_schema: true,
  case_set_id: expect.any(String),
  case_set_version: 1,
  case_set_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  case_count: 1,
  pass_share_min: 1,
  significance: 0.05,
  targets: [
    {
      name: 'sandbox/gw-mini',
      model: 'sandbox/gw-mini',
      simulated_only: true,
      evaluation_id: expect.any(String),
      receipt_id: expect.any(String),
      runs: 1,
      outcomes: 'p',
      simulated: true,
      schema_checked: 1,
      schema_valid: 1,
      cost_rub: expect.any(Number),
      latency_ms_median: expect.any(Number),
    },
  ],
  production: null,
};

type Reached = Pick<TestApp, 'url'>;

/** Posts below `/v1/gw`. @throws what was answered, unless it is 200 */
export async function posted<T = { readonly id: string; readonly version: number }>(
  app: Reached,
  credential: string,
  path: string,
  body: object,
): Promise<T> {
  const answer = await rest<T>(app, 'POST', `/v1/gw/${path}`, { credential, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Waits until an evaluation has ended. */
export async function evaluated(app: Reached, credential: string, id: string) {
  const read = () =>
    rest<Evaluation>(app, 'GET', `/v1/gw/prompt-evaluations/${id}`, { credential });
  return vi.waitFor(
    async () => {
      const { body } = await read();
      expect(body.status).not.toBe('running');
      return body;
    },
    { timeout: 30_000, interval: 20 },
  );
}

/** Evaluates a version over the latest case set of its package. */
export async function evaluate(
  app: Reached,
  credential: string,
  promptId: string,
  order: object = {},
): Promise<Evaluation> {
  const path = `prompts/${promptId}/evaluations`;
  const { id } = await posted(app, credential, path, { budget_rub: '100', ...order });
  return evaluated(app, credential, id);
}

/** Stores cases where the package has none, evaluates a version and runs its gate. */
export async function prove(
  app: Reached,
  credential: string,
  promptId: string,
  { version, cases = EASY_CASES }: { readonly version?: number; readonly cases?: object[] } = {},
): Promise<Evaluation> {
  const sets = await rest<{ data: object[] }>(
    app,
    'GET',
    `/v1/gw/prompts/${promptId}/case-sets?limit=1`,
    { credential },
  );
  if (sets.body.data.length === 0) {
    await posted(app, credential, `prompts/${promptId}/case-sets`, { cases });
  }
  const run = await evaluate(app, credential, promptId, version === undefined ? {} : { version });
  await posted(app, credential, `prompts/${promptId}/test`, { version });
  return run;
}
