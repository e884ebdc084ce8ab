import { type Customer, newCustomer, rest } from '../../support/app.js';
import { type Evaluation, evaluate, posted } from '../../support/proof.js';
import { type ProvidedApp, startProvided } from '../../support/provided-app.js';
import { freshKey } from '../packages/samples.js';

/** Two providers inside Russia that answer by schemas. */
function providers(origin: string) {
  return ['inside', 'outside'].map((id) => ({
    ...{ id, name: `The provider ${id}`, operator: 'a test', jurisdiction: 'rf' },
    base_url: `${origin}/${id}/v1`,
    models: [
      {
        upstream_name: 'model',
        capabilities: ['text', 'json', 'json_schema', 'streaming'],
        context_window: 100_000,
        max_output_tokens: 4_000,
        prices: [{ effective_from: '2026-01-01', input: 100, output: 100 }],
      },
    ],
  }));
}

/** An output schema of one member. */
export const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
/** An answer by it. */
export const ANSWER = '{"a": "yes, ten days"}';

/** Cases of one question each. */
export function cases(count: number, graders: object[] = [], more: object = {}) {
  return Array.from({ length: count }, (_none, index) => {
    return { name: `case ${index}`, variables: { q: `question ${index}` }, graders, ...more };
  });
}

/** A template with one variable. */
export const TEMPLATE = { template: '[user]\n<q>{{ q }}</q>', variables: ['q'] };

/** What a gate run found. */
export interface Gate {
  readonly id: string;
  readonly gate_status: string;
  readonly failing: readonly string[];
  readonly reproduced: boolean | null;
  readonly checks: readonly {
    readonly code: string;
    readonly status: string;
    readonly basis: string;
    readonly message: string;
    readonly details: readonly object[];
  }[];
}

/** How a case ended. */
export interface Result {
  readonly outcome: string;
  readonly error_code: string | null;
  readonly request_id: string | null;
  readonly cost_rub: number;
  readonly simulated: boolean;
  readonly grades: readonly { readonly grader: string; readonly passed: boolean | null }[];
  readonly judge_request_ids: readonly string[];
  readonly output_chars: number | null;
}

/** A gateway with a double of two providers, and a customer who evaluates prompts. */
export class World {
  private constructor(
    readonly app: ProvidedApp,
    readonly customer: Customer,
  ) {}

  static async start(): Promise<World> {
    const app = await startProvided(providers, { GW_SANDBOX: 'on' });
    return new World(app, await newCustomer(app, 1_000));
  }

  /** A package with a version and a case set. @returns its id */
  async packageOf(version: object, set: object): Promise<string> {
    const body = { prompt_key: freshKey(), ...TEMPLATE, ...version };
    const { id } = await this.posted('prompts', body);
    await this.posted(`prompts/${id}/case-sets`, set);
    return id;
  }

  posted<T = { readonly id: string }>(path: string, body: object = {}): Promise<T> {
    return posted<T>(this.app, this.customer.token, path, body);
  }

  /** Evaluates a version to its end. */
  run(id: string, order: object = {}): Promise<Evaluation> {
    return evaluate(this.app, this.customer.token, id, order);
  }

  /** Runs the gate; its checks are told by their codes too. */
  async gate(id: string, more: object = {}): Promise<Gate & Record<string, unknown>> {
    const found = await this.posted<Gate>(`prompts/${id}/test`, more);
    const by = Object.fromEntries(found.checks.map(({ code, status }) => [code, status]));
    return { ...found, ...by };
  }

  promote(id: string, version = 1) {
    return rest(this.app, 'POST', `/v1/gw/prompts/${id}/promote`, {
      credential: this.customer.token,
      body: { version },
    });
  }

  async resultsOf({ id }: { readonly id: string }): Promise<Result[]> {
    const path = `/v1/gw/prompt-evaluations/${id}/results`;
    const credential = this.customer.token;
    return (await rest<{ data: Result[] }>(this.app, 'GET', path, { credential })).body.data;
  }
}
