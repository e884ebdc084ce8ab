import { expect } from 'vitest';
import type { ErrorBody } from '../../journeys/people.js';
import { type Answer, type Customer, rest, type TestApp } from '../../support/app.js';

/** A step of a run on the wire, as far as tests read it. */
export interface WireStep {
  readonly step: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string | null;
  readonly error_code: string | null;
  readonly fallback: boolean;
  readonly attempts: readonly {
    readonly model: string;
    readonly request_id: string | null;
    readonly cost_rub: number;
    readonly error_code: string | null;
  }[];
  readonly routing: { readonly model: string; readonly failed_calls: number } | null;
  readonly firewall: {
    readonly verdict: string;
    readonly data_class: string;
    readonly findings: readonly { readonly class: string; readonly count: number }[];
  } | null;
  readonly cost_rub: number;
  readonly output: unknown;
  readonly output_valid: boolean | null;
  readonly receipt_id: string;
  readonly receipt_hash: string;
}

/** A run on the wire. */
export interface WireRun {
  readonly id: string;
  readonly status: string;
  readonly simulated: boolean;
  readonly input_source: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly manifest_hash: string;
  readonly steps: readonly WireStep[];
  readonly cost_rub: number;
  readonly fallbacks: number;
  readonly business_result: Readonly<Record<string, unknown>>;
  readonly receipt_id: string;
}

/** Runs a blueprint over REST. */
export function run(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  id: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<WireRun & ErrorBody>> {
  return rest(app, 'POST', `/v1/gw/blueprints/${id}/run`, { credential: token, body });
}

/** Micro-rubles of a number on the wire. */
export function micro(rubles: number): number {
  return Math.round(rubles * 1_000_000);
}

/** What the ledger took for some requests, micro-rubles. */
export async function charged(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  requestIds: readonly (string | null)[],
) {
  let sum = 0;
  for (const id of requestIds) {
    const { body } = await rest<{ data: { type: string; amount_rub: number }[] }>(
      app,
      'GET',
      `/billing/ledger?type=finalize&request_id=${id}`,
      { credential: token },
    );
    expect(body.data).toHaveLength(1);
    for (const entry of body.data) sum += micro(Math.abs(entry.amount_rub));
  }
  return sum;
}

/** The requests of a run, in order; null for those that were refused. */
export function requestIds({ steps }: WireRun): (string | null)[] {
  return steps.flatMap((step) => step.attempts.map((attempt) => attempt.request_id));
}
