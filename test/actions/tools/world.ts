import { type Answer, type Customer, rest, type TestApp } from '../../support/app.js';

/** A call as REST answers it, as far as tests read it. */
export interface CallBody {
  readonly id: string;
  readonly decision: string;
  readonly guard: string;
  readonly reasons: readonly { readonly guard: string }[];
  readonly blast_radius: Readonly<Record<string, unknown>>;
  readonly bound_hash: string;
  readonly status: string;
  readonly approval_status: string;
  readonly approval_id: string | null;
  readonly contract_version: number;
  readonly result: { readonly text: string; readonly status_code: number | null } | null;
  readonly failure: string | null;
  readonly attempts: number;
  readonly receipt_id: string | null;
  readonly rollback_of: string | null;
  readonly [more: string]: unknown;
}

type App = Pick<TestApp, 'url'>;

/** Calls a path of the tools. */
export function tools<T = Record<string, unknown>>(
  app: App,
  credential: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  return rest<T>(app, method, `/v1/gw/tools${path}`, { credential, body });
}

/** Registers a tool by a contract. */
export function register(app: App, { token }: Pick<Customer, 'token'>, contract: object) {
  return tools<{ id: string; version: number; signing_secret: string | null }>(
    app,
    token,
    'POST',
    '/register',
    contract,
  );
}

/** Executes an action. */
export function execute(app: App, credential: string, action: object) {
  return tools<CallBody>(app, credential, 'POST', '/execute', action);
}

/** Decides about a call. */
export function decide(app: App, credential: string, id: string, verb: string, body: object = {}) {
  return tools<CallBody>(app, credential, 'POST', `/calls/${id}/${verb}`, body);
}

/** The receipt of a call. */
export function receiptOf(app: App, credential: string, id: string) {
  return tools<Record<string, unknown>>(app, credential, 'GET', `/calls/${id}/receipt`);
}

/** A simulated tool whose `refund` waits for an approval and whose `read` and `close` do not. */
export const DESK = {
  tool_key: 'desk',
  verbs: [
    'read',
    { verb: 'close', compensating_verb: 'open' },
    'open',
    { verb: 'refund', amount_field: '/amount_rub', compensating_verb: 'charge_back' },
    { verb: 'charge_back', amount_field: '/amount_rub', risk: 'medium' },
  ],
};

/** An action of it that waits. */
export const REFUND = { tool_key: 'desk', verb: 'refund', arguments: { amount_rub: '150.00' } };
