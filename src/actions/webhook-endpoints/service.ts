import type { WebhookEndpoint } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { refusal } from '../../graph/node.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import {
  type GivenValues,
  inputFaults,
  inputValues,
  statedValues,
} from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { lockOwn } from '../../records/own.js';
import { webhookUrlFaults } from '../webhook/target.js';
import { eventTypeFaults, missingRight, overlapEnd } from './endpoint.rules.js';
import { DEFAULT_TYPES, feedsOf } from './event-types.js';
import { endpointSecrets } from './signing.js';
import { SOURCES } from './sources.js';
import { ENDPOINT_CHANGE, ENDPOINT_INPUT } from './tables.js';
import { OVERLAP_BOUNDS, WEBHOOK_LIMITS } from './vocabulary.js';

/** An endpoint with its secret, which is shown this once. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

const SUBJECT = 'WebhookEndpoint';
const MISSING = { subject: 'webhook endpoint' };

/**
 * Creates an endpoint. It is told of what is committed after it.
 * @throws invalid_request with every fault, permission_denied for events that the caller may not
 *   read, webhook_endpoint_limit_reached
 */
export async function createEndpoint(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<EndpointWithSecret> {
  const asked = inputValues(ENDPOINT_INPUT.fields, given);
  const eventTypes = [...(asked.eventTypes ?? DEFAULT_TYPES)];
  failOnFaults([
    ...inputFaults(ENDPOINT_INPUT.fields, asked, 'input'),
    ...webhookUrlFaults('input.url', asked.url, ctx.services.config),
    ...eventTypeFaults('input.eventTypes', eventTypes),
  ]);
  requireRights(ctx, eventTypes);
  const { tenantId, id: createdBy } = ctx.who;
  const { url, description } = asked;
  return change(ctx, { action: 'webhookEndpointCreate', subject: SUBJECT }, async (tx) => {
    await requirePlace(tx, tenantId);
    const id = newId('WebhookEndpoint');
    const data = { id, tenantId, url, description, eventTypes, createdBy };
    const endpoint = await tx.webhookEndpoint.create({ data });
    await followFeeds(tx, endpoint, feedsOf(eventTypes));
    const result = { endpoint, secret: secretOf(ctx, endpoint) };
    return { result, id, after: snapshot(endpoint) };
  });
}

/**
 * Changes an endpoint. Types that it names for the first time are told from now on.
 * @throws not_found, invalid_request with every fault, permission_denied
 */
export async function updateEndpoint(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<WebhookEndpoint> {
  const stated = statedValues(ENDPOINT_CHANGE.fields, given);
  const { url, eventTypes: types } = inputValues(ENDPOINT_CHANGE.fields, given);
  failOnFaults([
    ...inputFaults(ENDPOINT_CHANGE.fields, stated, 'input'),
    ...(url === null ? [] : webhookUrlFaults('input.url', url, ctx.services.config)),
    ...(types === null ? [] : eventTypeFaults('input.eventTypes', types)),
  ]);
  if (types) requireRights(ctx, types);
  return change(ctx, { action: 'webhookEndpointUpdate', subject: SUBJECT }, async (tx) => {
    const known = await lockOwn(ctx, tx, SUBJECT, id, MISSING);
    const description = 'description' in stated ? (stated.description as string | null) : undefined;
    const data = { url: url ?? undefined, eventTypes: types ? [...types] : undefined, description };
    const where = { id, tenantId: ctx.who.tenantId };
    const result = await tx.webhookEndpoint.update({ where, data });
    if (types) await changeFeeds(tx, result, known.eventTypes);
    return { result, id, before: snapshot(known), after: snapshot(result) };
  });
}

/**
 * Gives an endpoint a new secret. For the hours of the overlap every message carries the signatures
 * of both, so that a receiver can change over in its own time.
 * @throws not_found, invalid_request
 */
export async function rotateSecret(
  ctx: AuthorizedCtx,
  id: string,
  overlapHours: number,
): Promise<EndpointWithSecret> {
  failOnFaults(range('overlapHours', overlapHours, OVERLAP_BOUNDS));
  return change(ctx, { action: 'webhookEndpointSecretRotate', subject: SUBJECT }, async (tx) => {
    const known = await lockOwn(ctx, tx, SUBJECT, id, MISSING);
    const endpoint = await tx.webhookEndpoint.update({
      where: { id, tenantId: ctx.who.tenantId },
      data: {
        secretGeneration: known.secretGeneration + 1,
        formerSecretUntil: overlapEnd(sharedNow(), overlapHours),
      },
    });
    const result = { endpoint, secret: secretOf(ctx, endpoint) };
    return { result, id, before: snapshot(known), after: snapshot(endpoint) };
  });
}

/** Stops to deliver to an active endpoint; its place in the feeds is kept. @throws not_found */
export function pauseEndpoint(ctx: AuthorizedCtx, id: string): Promise<WebhookEndpoint> {
  return change(ctx, { action: 'webhookEndpointPause', subject: SUBJECT }, async (tx) => {
    const known = await lockOwn(ctx, tx, SUBJECT, id, MISSING);
    if (known.status !== 'active') return { result: known };
    const where = { id, tenantId: ctx.who.tenantId };
    const result = await tx.webhookEndpoint.update({ where, data: { status: 'paused' } });
    return { result, id, before: snapshot(known), after: snapshot(result) };
  });
}

/**
 * Delivers again to an endpoint that is paused or disabled. What was owed to it already is
 * attempted at once, and what happened meanwhile follows unless it is skipped.
 * @throws not_found
 */
export function resumeEndpoint(
  ctx: AuthorizedCtx,
  id: string,
  skipMissed: boolean,
): Promise<WebhookEndpoint> {
  return change(ctx, { action: 'webhookEndpointResume', subject: SUBJECT }, async (tx) => {
    const known = await lockOwn(ctx, tx, SUBJECT, id, MISSING);
    if (known.status === 'active') return { result: known };
    const data = { status: 'active', disabledReason: null, disabledAt: null, failingSince: null };
    const where = { id, tenantId: ctx.who.tenantId };
    const result = await tx.webhookEndpoint.update({ where, data });
    if (skipMissed) {
      await leaveFeeds(tx, result, feedsOf(result.eventTypes));
      await followFeeds(tx, result, feedsOf(result.eventTypes));
    }
    await tx.$executeRaw`UPDATE webhook_delivery SET next_attempt_at = clock_timestamp(), step = 0
      WHERE endpoint_id = ${id}::uuid AND status = 'pending'`;
    return { result, id, before: snapshot(known), after: snapshot(result) };
  });
}

/** Removes an endpoint with everything that was or was to be delivered to it. @throws not_found */
export function removeEndpoint(ctx: AuthorizedCtx, id: string): Promise<WebhookEndpoint> {
  return change(ctx, { action: 'webhookEndpointRemove', subject: SUBJECT }, async (tx) => {
    const result = await lockOwn(ctx, tx, SUBJECT, id, MISSING);
    await tx.webhookEndpoint.delete({ where: { id, tenantId: ctx.who.tenantId } });
    return { result, id, before: snapshot(result) };
  });
}

function requireRights(ctx: AuthorizedCtx, types: readonly string[]): void {
  const missing = missingRight(types, ctx.who.permissions);
  if (missing !== undefined) throw refusal(ctx, missing);
}

/** Whoever creates stands in line for the count, so that no two take the last place. */
async function requirePlace(tx: Transaction, tenantId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended('webhook_endpoint ' || ${tenantId}, 0))`;
  const { endpointsMax } = WEBHOOK_LIMITS;
  const count = await tx.webhookEndpoint.count({ where: { tenantId } });
  if (count >= endpointsMax) fail('webhook_endpoint_limit_reached', { values: { endpointsMax } });
}

async function changeFeeds(
  tx: Transaction,
  endpoint: WebhookEndpoint,
  former: readonly string[],
): Promise<void> {
  const [before, after] = [feedsOf(former), feedsOf(endpoint.eventTypes)];
  const left = before.filter((feed) => !after.includes(feed));
  await leaveFeeds(tx, endpoint, left);
  const entered = after.filter((feed) => !before.includes(feed));
  await followFeeds(tx, endpoint, entered);
}

async function leaveFeeds(
  tx: Transaction,
  { id: endpointId, tenantId }: WebhookEndpoint,
  feeds: readonly string[],
): Promise<void> {
  const where = { tenantId, endpointId, feed: { in: [...feeds] } };
  await tx.webhookFeedCursor.deleteMany({ where });
}

async function followFeeds(
  tx: Transaction,
  { id: endpointId, tenantId }: WebhookEndpoint,
  feeds: readonly string[],
): Promise<void> {
  for (const feed of feeds) {
    const start = await SOURCES.get(feed)?.start(tx, tenantId);
    if (!start) throw new Error(`webhooks do not follow the feed ${feed}`);
    await tx.webhookFeedCursor.create({ data: { tenantId, endpointId, feed, ...start } });
  }
}

function secretOf({ services }: AuthorizedCtx, endpoint: WebhookEndpoint): string {
  const { tenantId, id: endpointId, secretGeneration: generation } = endpoint;
  return endpointSecrets(services.keyring, { tenantId, endpointId, generation })[0];
}

function snapshot(endpoint: WebhookEndpoint) {
  const { url, eventTypes, status, secretGeneration, description } = endpoint;
  return { url, eventTypes, status, secretGeneration, description };
}
