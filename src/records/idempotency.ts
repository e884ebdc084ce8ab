import type { Pool } from 'pg';
import { fail, failOnFaults } from '../kernel/errors/fail.js';
import type { Config } from '../platform/config.js';
import { named } from '../platform/database/pool.js';
import type { Keyring } from '../platform/keyring.js';
import type { SealedPlace } from '../platform/secrets.js';
import { isFinal, isIdempotencyKey, KEY_CHARACTERS_MAX } from './idempotency.rules.js';
import { CLAIM, FINISH, KEEP_OPEN, READ, RELEASE, RENEW, SWEEP } from './idempotency-statements.js';
import { LaterWrites, type Write } from './later-writes.js';

/** What the keys of callers need of the installation. */
export interface IdempotencyServices {
  readonly pool: Pool;
  readonly config: Pick<Config, 'nodeId'>;
  readonly keyring: Keyring;
  /** The epoch of this node in the ledger; a claim of an ended epoch is a dead one. */
  readonly epoch?: () => bigint;
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
   * Run it and then say how it ended. `firstRequestId` is the id of the first attempt, under which
   * effects stand: another one than the request's own when an earlier attempt may have run.
   */
  | { readonly kind: 'run'; readonly firstRequestId: string }
  | { readonly kind: 'replay'; readonly answer: Answer; readonly requestId: string }
  /** It was answered, but the answer was not kept. Running it again would do it twice. */
  | { readonly kind: 'answer_not_kept'; readonly status: number; readonly requestId: string };

/** The largest body that is kept, in bytes. */
export const ANSWER_BYTES_MAX = 1_048_576;
/** How often running requests must be renewed, in milliseconds: a quarter of what they may miss. */
export const RENEW_EVERY_MS = 15_000;

const ATTEMPTS_MAX = 3;
/** When a request that still runs is worth being repeated, in milliseconds. */
const IN_PROGRESS_MS = 1_000;

interface RecordRow {
  readonly body_hash: Buffer;
  readonly status: 'running' | 'open' | 'done';
  readonly request_id: string;
  readonly http_status: number | null;
  readonly content_type: string | null;
  readonly answer: Buffer | null;
}

/** Idempotency keys of one node. Times are the database's; a key lives for 24 hours. */
export class IdempotencyKeys {
  /** What runs on this node now. Nothing else is renewed, so a lost record can be taken over. */
  private readonly running = new Map<string, KeyedRequest>();
  private readonly later: LaterWrites;

  constructor(private readonly services: IdempotencyServices) {
    this.later = new LaterWrites(services.pool);
  }

  /**
   * Decides whether a request runs or gets the first answer again.
   * @throws idempotency_key_reused, idempotency_in_progress, invalid_request for a malformed key;
   * SealError when the kept answer was changed
   */
  async begin(request: KeyedRequest): Promise<Begun> {
    requireKey(request.key);
    const { pool, config } = this.services;
    const { tenantId, actorId, key, bodyHash, requestId } = request;
    const place = [tenantId, actorId, key];
    const epoch = this.services.epoch?.() ?? null;
    const claim = [...place, Buffer.from(bodyHash), requestId, config.nodeId, epoch];
    // A record can be released between the two statements; then the key is free again.
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      // What runs here runs, whatever its node is taken for.
      if (!this.running.has(nameOf(request))) {
        const firstRequestId = await this.claim(request, claim);
        if (firstRequestId !== undefined) return { kind: 'run', firstRequestId };
      }
      const { rows } = await named<RecordRow>(pool, 'idempotency_read', READ, place);
      if (rows[0]) return this.answerOf(request, rows[0]);
    }
    return failInProgress();
  }

  /** It counts as running from before it is claimed, so that no other one here claims it too. */
  private async claim(request: KeyedRequest, values: unknown[]): Promise<string | undefined> {
    const name = nameOf(request);
    this.running.set(name, request);
    let first: { first_request_id: string } | undefined;
    try {
      const sql = 'idempotency_claim';
      const claimed = await named<{ first_request_id: string }>(
        this.services.pool,
        sql,
        CLAIM,
        values,
      );
      [first] = claimed.rows;
    } finally {
      if (!first) this.running.delete(name);
    }
    return first?.first_request_id;
  }

  private answerOf(request: KeyedRequest, row: RecordRow): Begun {
    if (!row.body_hash.equals(request.bodyHash)) fail('idempotency_key_reused');
    const { http_status: status, content_type: contentType, request_id: requestId } = row;
    if (row.status !== 'done' || status === null) return failInProgress();
    const { keyring } = this.services;
    const isKept = row.answer !== null && keyring.knows(row.answer);
    if (row.answer === null || !isKept) return { kind: 'answer_not_kept', status, requestId };
    const body = keyring.open(placeOf(request), row.answer);
    const answer = { status, contentType: contentType ?? '', body };
    return { kind: 'replay', answer, requestId };
  }

  /**
   * Keeps the answer for replays; one that does not settle the request leaves the key open.
   * @returns false when the record was taken over meanwhile, or the database is away: then it is
   * written when that is back, and until then the request counts as running
   */
  async finish(request: KeyedRequest, answer: Answer): Promise<boolean> {
    if (!isFinal(answer.status)) return this.keepOpen(request);
    const kept = answer.body.byteLength <= ANSWER_BYTES_MAX;
    const sealed = kept ? this.services.keyring.seal(placeOf(request), answer.body) : null;
    const values = [...own(request), answer.status, answer.contentType, sealed];
    return this.end(request, { name: 'idempotency_finish', sql: FINISH, values });
  }

  /** After an attempt that may have had its effect: the next one runs under the same id. */
  keepOpen(request: KeyedRequest): Promise<boolean> {
    const values = own(request);
    return this.end(request, { name: 'idempotency_keep_open', sql: KEEP_OPEN, values });
  }

  /** Frees the key of a request that has had no effect. */
  release(request: KeyedRequest): Promise<boolean> {
    const values = own(request);
    return this.end(request, { name: 'idempotency_release', sql: RELEASE, values });
  }

  private async end(request: KeyedRequest, write: Write): Promise<boolean> {
    const over = () => {
      if (this.running.get(nameOf(request)) === request) this.running.delete(nameOf(request));
    };
    try {
      const { rowCount } = await named(this.services.pool, write.name, write.sql, write.values);
      over();
      return rowCount === 1;
    } catch {
      this.later.add({ ...write, done: over });
      return false;
    }
  }

  /** Renews what runs on this node; to be called every `RENEW_EVERY_MS`. */
  async renew(): Promise<void> {
    if (this.running.size === 0) return;
    const columns: string[][] = [[], [], [], []];
    for (const request of this.running.values()) {
      own(request).forEach((value, index) => {
        columns[index]?.push(value);
      });
    }
    const epoch = this.services.epoch?.() ?? null;
    await named(this.services.pool, 'idempotency_renew', RENEW, [...columns, epoch]);
  }

  /** Removes at most 1,000 records whose time is over. @returns how many were removed */
  async sweep(): Promise<number> {
    const { rowCount } = await named(this.services.pool, 'idempotency_sweep', SWEEP, []);
    return rowCount ?? 0;
  }

  /** Ends what is tried again in the background; what is not written is found by its effects. */
  close(): void {
    this.later.close();
  }
}

/** @throws idempotency_in_progress, with the time to repeat at */
export function failInProgress(): never {
  return fail('idempotency_in_progress', { retryAfterMs: IN_PROGRESS_MS });
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

function nameOf({ tenantId, actorId, key }: KeyedRequest): string {
  return `${tenantId} ${actorId} ${key}`;
}

function own({ tenantId, actorId, key, requestId }: KeyedRequest): string[] {
  return [tenantId, actorId, key, requestId];
}

function placeOf({ tenantId, actorId, key }: KeyedRequest): SealedPlace {
  return { tenantId, table: 'idempotency_record', field: 'answer', row: `${actorId} ${key}` };
}
