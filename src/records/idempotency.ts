import type { Pool } from 'pg';
import { fail, failOnFaults } from '../kernel/errors/fail.js';
import type { Config } from '../platform/config.js';
import { named } from '../platform/database/pool.js';
import { openBytes, type SealedPlace, sealBytes } from '../platform/secrets.js';
import { isFinal, isIdempotencyKey, KEY_CHARACTERS_MAX } from './idempotency.rules.js';

/** What the keys of callers need of the installation. */
export interface IdempotencyServices {
  readonly pool: Pool;
  readonly config: Pick<Config, 'secret' | 'nodeId'>;
}

/** A key belongs to the caller that sent it: another member never gets this one's answer. */
export interface KeyedRequest {
  readonly tenantId: string;
  readonly actorId: string;
  /** The header Idempotency-Key. */
  readonly key: string;
  /** The sha256 of method, path and body: what makes two requests the same. */
  readonly bodyHash: Uint8Array;
  readonly requestId: string;
}

/** An answer as it went to the client. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** What to do with a request that carries a key. */
export type Begun =
  /**
   * Run it and then call `finish`. `firstRequestId` is another id when the node that ran it first
   * has died; effects that it had stand under that id.
   */
  | { readonly kind: 'run'; readonly firstRequestId: string }
  | { readonly kind: 'replay'; readonly answer: Answer; readonly requestId: string }
  /** It was answered, but the answer was too large to keep. Running it again would do it twice. */
  | { readonly kind: 'answer_not_kept'; readonly status: number; readonly requestId: string };

/** The largest body that is kept, in bytes. */
export const ANSWER_BYTES_MAX = 1_048_576;
/** How often running requests must be renewed, in milliseconds: a quarter of what they may miss. */
export const RENEW_EVERY_MS = 15_000;

const TTL = "interval '24 hours'";
const DEAD_AFTER = "interval '60 seconds'";
const ATTEMPTS_MAX = 3;
const SWEEP_ROWS = 1_000;

interface RecordRow {
  readonly body_hash: Buffer;
  readonly status: 'running' | 'done';
  readonly request_id: string;
  readonly http_status: number | null;
  readonly content_type: string | null;
  readonly answer: Buffer | null;
}

/**
 * One statement decides who runs: a new key, a key past its time, or one whose node is dead (then
 * with the same body only) becomes the caller's. All others get no row.
 */
const CLAIM = `
  INSERT INTO idempotency_record AS r (tenant_id, actor_id, key, body_hash, request_id,
    first_request_id, node_id, renewed_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $5, $6, clock_timestamp(), clock_timestamp() + ${TTL})
  ON CONFLICT (tenant_id, actor_id, key) DO UPDATE SET
    first_request_id = CASE WHEN r.expires_at <= clock_timestamp() THEN EXCLUDED.request_id
                       ELSE r.first_request_id END,
    body_hash = EXCLUDED.body_hash, status = 'running', request_id = EXCLUDED.request_id,
    node_id = EXCLUDED.node_id, renewed_at = EXCLUDED.renewed_at,
    expires_at = EXCLUDED.expires_at, created_at = EXCLUDED.created_at,
    http_status = NULL, content_type = NULL, answer = NULL
  WHERE r.expires_at <= clock_timestamp()
     OR (r.status = 'running' AND r.renewed_at < clock_timestamp() - ${DEAD_AFTER}
         AND r.body_hash = EXCLUDED.body_hash)
  RETURNING first_request_id`;

const READ = `
  SELECT body_hash, status, request_id, http_status, content_type, answer
  FROM idempotency_record WHERE tenant_id = $1 AND actor_id = $2 AND key = $3`;

const OWN = `tenant_id = $1 AND actor_id = $2 AND key = $3 AND request_id = $4
  AND status = 'running'`;

const FINISH = `
  UPDATE idempotency_record SET status = 'done', http_status = $5, content_type = $6, answer = $7,
    expires_at = clock_timestamp() + ${TTL}
  WHERE ${OWN}`;

const RELEASE = `DELETE FROM idempotency_record WHERE ${OWN}`;

const RENEW = `
  UPDATE idempotency_record r SET renewed_at = clock_timestamp()
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS own(tenant, actor, key, request)
  WHERE r.tenant_id = own.tenant AND r.actor_id = own.actor AND r.key = own.key
    AND r.request_id = own.request AND r.status = 'running'`;

const SWEEP = `
  DELETE FROM idempotency_record WHERE (tenant_id, actor_id, key) IN (
    SELECT tenant_id, actor_id, key FROM idempotency_record
    WHERE expires_at <= clock_timestamp()
      AND (status = 'done' OR renewed_at < clock_timestamp() - ${DEAD_AFTER})
    ORDER BY expires_at LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`;

/** Idempotency keys of one node. Times are the database's; a key lives for 24 hours. */
export class IdempotencyKeys {
  /** What runs on this node now. Nothing else is renewed, so a lost record can be taken over. */
  private readonly running = new Set<KeyedRequest>();

  constructor(private readonly services: IdempotencyServices) {}

  /**
   * Decides whether a request runs or gets the first answer again.
   * @throws idempotency_key_reused, idempotency_in_progress, invalid_request for a malformed key;
   * SealError when the kept answer was sealed under another secret
   */
  async begin(request: KeyedRequest): Promise<Begun> {
    requireKey(request.key);
    const { pool, config } = this.services;
    const { tenantId, actorId, key, bodyHash, requestId } = request;
    const place = [tenantId, actorId, key];
    const claim = [...place, Buffer.from(bodyHash), requestId, config.nodeId];
    // A record can be released between the two statements; then the key is free again.
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const claimed = await named<{ first_request_id: string }>(
        pool,
        'idempotency_claim',
        CLAIM,
        claim,
      );
      const first = claimed.rows[0];
      if (first) {
        this.running.add(request);
        return { kind: 'run', firstRequestId: first.first_request_id };
      }
      const { rows } = await named<RecordRow>(pool, 'idempotency_read', READ, place);
      if (rows[0]) return this.answerOf(request, rows[0]);
    }
    return fail('idempotency_in_progress');
  }

  private answerOf(request: KeyedRequest, row: RecordRow): Begun {
    if (!row.body_hash.equals(request.bodyHash)) fail('idempotency_key_reused');
    const { http_status: status, content_type: contentType, request_id: requestId } = row;
    if (row.status === 'running' || status === null) fail('idempotency_in_progress');
    if (row.answer === null) return { kind: 'answer_not_kept', status, requestId };
    const body = openBytes(this.services.config.secret, placeOf(request), row.answer);
    const answer = { status, contentType: contentType ?? '', body };
    return { kind: 'replay', answer, requestId };
  }

  /**
   * Keeps the answer for replays, or frees the key when the answer does not settle the request.
   * @returns false when the record was taken over meanwhile; the answer is then not kept
   */
  async finish(request: KeyedRequest, answer: Answer): Promise<boolean> {
    if (!isFinal(answer.status)) return this.release(request);
    const kept = answer.body.byteLength <= ANSWER_BYTES_MAX;
    const sealed = kept
      ? sealBytes(this.services.config.secret, placeOf(request), answer.body)
      : null;
    const values = [...own(request), answer.status, answer.contentType, sealed];
    return this.end(request, 'idempotency_finish', FINISH, values);
  }

  /** Frees the key of a request that ended without an answer. */
  release(request: KeyedRequest): Promise<boolean> {
    return this.end(request, 'idempotency_release', RELEASE, own(request));
  }

  private async end(request: KeyedRequest, name: string, sql: string, values: unknown[]) {
    try {
      const { rowCount } = await named(this.services.pool, name, sql, values);
      return rowCount === 1;
    } finally {
      this.running.delete(request);
    }
  }

  /** Renews what runs on this node; to be called every `RENEW_EVERY_MS`. */
  async renew(): Promise<void> {
    if (this.running.size === 0) return;
    const columns: string[][] = [[], [], [], []];
    for (const request of this.running) {
      own(request).forEach((value, index) => {
        columns[index]?.push(value);
      });
    }
    await named(this.services.pool, 'idempotency_renew', RENEW, columns);
  }

  /** Removes at most 1,000 records whose time is over. @returns how many were removed */
  async sweep(): Promise<number> {
    const { rowCount } = await named(this.services.pool, 'idempotency_sweep', SWEEP, []);
    return rowCount ?? 0;
  }
}

declare module '../graph/ctx.js' {
  interface Services {
    readonly idempotency: IdempotencyKeys;
  }
}

function requireKey(key: string): void {
  if (isIdempotencyKey(key)) return;
  const message = `Idempotency-Key must be 1 to ${KEY_CHARACTERS_MAX} printable ASCII characters.`;
  failOnFaults([{ path: 'Idempotency-Key', code: 'invalid', message }]);
}

function own({ tenantId, actorId, key, requestId }: KeyedRequest): string[] {
  return [tenantId, actorId, key, requestId];
}

function placeOf({ tenantId, actorId, key }: KeyedRequest): SealedPlace {
  return { tenantId, table: 'idempotency_record', field: 'answer', row: `${actorId} ${key}` };
}
