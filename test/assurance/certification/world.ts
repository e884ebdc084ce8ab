import { type Answer, type Customer, rest, type TestApp } from '../../support/app.js';

type App = Pick<TestApp, 'url'>;

/** An answer of the module, as far as tests read it. */
export interface Body {
  readonly id: string;
  readonly status: string;
  readonly score: number | null;
  readonly data: readonly Body[];
  readonly badges: readonly Body[];
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly faults?: readonly { readonly path: string }[];
  };
  readonly [more: string]: unknown;
}

/** Calls a path of the module. */
export function ask(
  app: App,
  method: string,
  path: string,
  body?: object,
  credential?: string,
): Promise<Answer<Body>> {
  return rest<Body>(app, method, `/v1/gw${path}`, { credential, body });
}

/** A new draft of a customer. */
export async function newListing(app: App, { token }: Pick<Customer, 'token'>, more: object = {}) {
  const stated = { type: 'app', name: 'Scanner', publisher: 'Romashka', ...more };
  const { body } = await ask(app, 'POST', '/marketplace/listings', stated, token);
  return body.id;
}

/** A started review. */
export async function newReview(app: App, { token }: Pick<Customer, 'token'>, asked: object) {
  const { body } = await ask(app, 'POST', '/certification/reviews', asked, token);
  return body.id;
}

/** Decides a review. */
export function decide(app: App, token: string, id: string, gates: readonly string[]) {
  return ask(app, 'POST', `/certification/reviews/${id}/gates`, { gates_passed: gates }, token);
}

/** The gates of the badge `cost_controlled`, which takes no proof of who publishes. */
const COST_GATES = ['documentation', 'cost_controls'] as const;

/** A certified badge of a listing. @returns the id of the badge */
export async function certify(app: App, customer: Pick<Customer, 'token'>, listingId: string) {
  const asked = { badge: 'cost_controlled', listing_id: listingId };
  const id = await newReview(app, customer, asked);
  await decide(app, customer.token, id, COST_GATES);
  return id;
}

/** Publishes a listing. */
export function publish(app: App, { token }: Pick<Customer, 'token'>, id: string) {
  return ask(app, 'POST', `/marketplace/listings/${id}/publish`, undefined, token);
}

/** A published listing with one badge. */
export async function newPublished(app: App, customer: Customer, more: object = {}) {
  const listingId = await newListing(app, customer, more);
  const badgeId = await certify(app, customer, listingId);
  await publish(app, customer, listingId);
  return { listingId, badgeId };
}

/** The gates of the badge `mcp_safe`. */
export const AGENT_GATES = [
  'security_review',
  'human_oversight',
  'argument_contract',
  'blast_radius',
];

/** An id of the shape that badges have, which nothing has. */
export const UNKNOWN = '01977c2a-5b1e-7051-8000-3f2b9c4d5e6f';

/** An answer without what differs between any two requests. */
export function comparable({ status, body }: Answer<unknown>, id: string): string {
  const text = JSON.stringify([status, body]).replaceAll(id, '<id>');
  return text.replace(/"request_id":"[^"]+"/, '');
}

/** Whether everybody sees a listing. */
export async function isPublic(app: App, id: string): Promise<boolean> {
  const { body } = await ask(app, 'GET', '/marketplace/listings?limit=200');
  return body.data.some((each) => each.id === id);
}
