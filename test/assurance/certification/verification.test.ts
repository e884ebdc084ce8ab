import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { ask, newListing, newPublished, publish, UNKNOWN } from './world.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
let badge: { readonly listingId: string; readonly badgeId: string };
let folder: string;
beforeAll(async () => {
  app = await startApp();
  [customer, other] = [await newCustomer(app), await newCustomer(app)];
  badge = await newPublished(app, customer, { name: 'Verified' });
  folder = mkdtempSync(join(tmpdir(), 'gw-badge-'));
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const verify = (id = badge.badgeId) => ask(app, 'GET', `/certification/verify/${id}`);
const revoke = (id: string, credential = customer.token, reason = 'It turned out to be wrong.') =>
  ask(app, 'POST', `/certification/${id}/revoke`, { reason }, credential);

/** The check of the documents, as it is printed there. */
const SCRIPT = /```js\n([\s\S]*?)```/.exec(
  readFileSync(join(projectRoot(), 'docs', 'badges.md'), 'utf8'),
)?.[1];

/** Runs the documented check on files alone: it is given no address. */
function check(statement: string, keys: unknown) {
  const [statementFile, keysFile] = [join(folder, 'statement.jws'), join(folder, 'jwks.json')];
  writeFileSync(statementFile, statement);
  writeFileSync(keysFile, JSON.stringify(keys));
  const words = ['--input-type=module', '-', statementFile, keysFile];
  const { status, stdout } = spawnSync(process.execPath, words, {
    cwd: projectRoot(),
    input: SCRIPT ?? '',
    encoding: 'utf8',
  });
  return { status, payload: status === 0 ? (JSON.parse(stdout) as object) : undefined };
}

async function published() {
  const { body: keys } = await rest(app, 'GET', '/.well-known/jwks.json');
  const { body } = await verify();
  return { keys, body, statement: String(body.statement) };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

describe('a badge in force', () => {
  it('is verified by everybody: gates, version and expiry, over REST and GraphQL', async () => {
    const { body } = await verify();
    expect(body).toEqual({
      certification_id: badge.badgeId,
      valid: true,
      status: 'certified',
      badge: 'cost_controlled',
      version: '1.0.0',
      listing_id: badge.listingId,
      listing_name: 'Verified',
      listing_status: 'listed',
      attestation: 'self_attested',
      tool_contract_sha256: null,
      tool_contract_version: null,
      simulated: null,
      gates_passed: ['documentation', 'cost_controls'],
      score: 100,
      self_reviewed: true,
      certified_at: expect.any(String),
      valid_until: expect.any(String),
      statement: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      statement_valid_until: expect.any(String),
      jwks_url: expect.stringMatching(/\/\.well-known\/jwks\.json$/),
    });
    const text = 'query($id: ID!) { badgeVerification(id: $id) { valid gatesPassed validUntil } }';
    const { data } = await graphql(app, text, { id: badge.badgeId });
    expect(data).toEqual({
      badgeVerification: {
        valid: true,
        gatesPassed: body.gates_passed,
        validUntil: body.valid_until,
      },
    });
  });

  it('is checked without the server by the ten lines of the documents', async () => {
    const { keys, statement, body } = await published();
    expect(SCRIPT?.trim().split('\n').length).toBeLessThanOrEqual(12);
    const { status, payload } = check(statement, keys);
    expect(status).toBe(0);
    expect(payload).toEqual({
      iss: 'gw',
      aud: 'gw-badge',
      sub: badge.badgeId,
      badge: 'cost_controlled',
      version: '1.0.0',
      gates_passed: ['documentation', 'cost_controls'],
      attestation: 'self_attested',
      self_reviewed: true,
      simulated: null,
      listing_id: badge.listingId,
      listing_name: 'Verified',
      publisher: 'Romashka',
      publisher_domain: null,
      publisher_standing: 'self_attested',
      tool_contract_sha256: null,
      valid_until: body.valid_until,
      iat: expect.any(Number),
      exp: Date.parse(String(body.statement_valid_until)) / 1_000,
    });
  });
});

describe('a forged statement', () => {
  it('is refused: other words, another key or algorithm, no signature, a token', async () => {
    const { keys, statement } = await published();
    const [head, payload, signature] = statement.split('.');
    const other = encoded({ ...decoded(payload), badge: 'mcp_safe' });
    const later = encoded({ ...decoded(payload), exp: 4_102_444_800 });
    const { privateKey } = generateKeyPairSync('ed25519');
    const signed = sign(null, Buffer.from(`${head}.${other}`), privateKey).toString('base64url');
    const none = encoded({ ...decoded(head), alg: 'none' });
    const hs256 = encoded({ ...decoded(head), alg: 'HS256' });
    const forged = {
      'other words': `${head}.${other}.${signature}`,
      'a later end': `${head}.${later}.${signature}`,
      'another key': `${head}.${other}.${signed}`,
      'no signature': `${none}.${other}.`,
      'another algorithm': `${hs256}.${other}.${signature}`,
      'an access token': customer.token,
    };
    for (const [what, text] of Object.entries(forged)) {
      expect([what, check(text, keys).status]).toEqual([what, 1]);
    }
  });

  it('opens nothing: a statement is no credential', async () => {
    const { statement } = await published();
    const answer = await ask(app, 'GET', '/marketplace/my-listings', undefined, statement);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_token']);
    const { tokens } = app.server.services;
    const claims = { subject: customer.userId, claims: {}, expiresAt: new Date() };
    for (const like of [
      { type: 'at+jwt', audience: 'gw-badge' },
      { type: 'gw-badge+jwt', audience: 'gw' },
    ]) {
      expect(() => tokens.signStatement({ ...like, ...claims })).toThrow('an access token');
    }
  });

  it('of a badge that ends is good no longer than the badge', async () => {
    const { listingId, badgeId } = await newPublished(app, customer);
    const until = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000);
    await app.owner.pool.query('UPDATE certification SET valid_until = $2 WHERE id = $1', [
      badgeId,
      until,
    ]);
    const { body } = await verify(badgeId);
    expect(body).toMatchObject({ listing_id: listingId, valid: true });
    expect(body.statement_valid_until).toBe(until.toISOString());
    const ended = new Date(Date.now() - 1_000);
    await app.owner.pool.query('UPDATE certification SET valid_until = $2 WHERE id = $1', [
      badgeId,
      ended,
    ]);
    expect((await verify(badgeId)).body).toMatchObject({
      valid: false,
      status: 'expired',
      listing_name: null,
      statement: null,
      statement_valid_until: null,
      valid_until: ended.toISOString(),
    });
  });
});

describe('a badge that is taken back', () => {
  it('is revoked once by a reviewer, and at once hides what it stood for', async () => {
    const { listingId, badgeId } = await newPublished(app, customer);
    expect((await revoke(badgeId, customer.key)).status).toBe(403);
    const [foreign, missing] = [await revoke(badgeId, other.token), await revoke(UNKNOWN)];
    expect([foreign.status, foreign.body.error.message.replace(badgeId, '<id>')]).toEqual([
      404,
      missing.body.error.message.replace(UNKNOWN, '<id>'),
    ]);
    const answers = await Promise.all([revoke(badgeId), revoke(badgeId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect((await verify(badgeId)).body).toMatchObject({ valid: false, status: 'revoked' });
    const { body } = await ask(app, 'GET', '/marketplace/listings?limit=200');
    expect(body.data.map(({ id }) => id)).not.toContain(listingId);
    expect((await publish(app, customer, listingId)).body.error.code).toBe('listing_without_badge');
  });

  it('while its listing is published ends hidden, whichever comes first', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const { listingId, badgeId } = await newPublished(app, customer);
      const path = `/marketplace/listings/${listingId}/withdraw`;
      await ask(app, 'POST', path, undefined, customer.token);
      const [published, revoked] = await Promise.all([
        publish(app, customer, listingId),
        revoke(badgeId),
      ]);
      expect(revoked.status).toBe(200);
      expect([200, 409]).toContain(published.status);
      const { body } = await ask(app, 'GET', '/marketplace/my-listings', undefined, customer.token);
      const standing = body.data.find(({ id }) => id === listingId)?.status;
      expect(standing).toBe(published.status === 200 ? 'lapsed' : 'withdrawn');
    }
  });
});

it('pages the marketplace, the newest first, each listing once', async () => {
  for (let turn = 0; turn < 3; turn += 1) await newPublished(app, other);
  await newListing(app, other, { name: 'A draft' });
  const first = await ask(app, 'GET', '/marketplace/listings?limit=2');
  expect(first.body).toMatchObject({ object: 'list', has_more: true });
  const next = `/marketplace/listings?limit=200&cursor=${String(first.body.next_cursor)}`;
  const rest = await ask(app, 'GET', next);
  const ids = [...first.body.data, ...rest.body.data].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort().reverse()).toEqual(ids);
});
