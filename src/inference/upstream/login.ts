import { randomUUID } from 'node:crypto';
import type { Pool } from 'undici';
import type { Deployment } from '../../catalog/providers/model.js';
import { Secret } from '../../catalog/providers/secret.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { asObject, parsedJson } from '../../kernel/json.js';
import { AttemptFailure, failureOfSocket } from './attempt-failure.js';
import { errorOfStatus } from './retry.js';

/** The longest that a login may take, and the most that its answer may hold. */
const LOGIN_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 65_536;
/** A token without a stated life is taken for this long (RFC 6749 only recommends `expires_in`). */
const LIFE_MS_DEFAULT = 300_000;
const LIFE_MS_MAX = 86_400_000;
/** A token is renewed when a fifth of its life is left, at most five minutes before its end. */
const RENEWED_SHARE = 0.2;
const RENEWED_MS_MAX = 300_000;
/** A failed login is not repeated, nor a refused token replaced, before this time has passed. */
const PAUSE_MS = 1_000;
/** What RFC 6750 allows in a bearer token. */
const BEARER = /^[\w.~+/-]{1,16384}=*$/;

interface Token {
  readonly bearer: Secret;
  readonly madeAt: number;
  /** By the monotonic clock, like all times here. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** What a login is made by. */
export interface LoginParts {
  readonly deployment: Deployment;
  /** Sockets to the token address, with the authorities and certificate of the provider. */
  readonly pool: Pick<Pool, 'request'>;
  /** Called before each request to the token address. */
  readonly onRequest: () => void;
}

/**
 * The login of one provider by OAuth client credentials. All requests share one token and one
 * renewal. The token is renewed before it expires, while requests go on with the present one.
 */
export class Login {
  readonly #login: NonNullable<NonNullable<Deployment['connection']>['login']>;
  readonly #url: URL;
  #token: Token | undefined;
  #former: Secret | undefined;
  #renewal: Promise<Token> | undefined;
  #failed: { readonly failure: AttemptFailure; readonly at: number } | undefined;

  constructor(private readonly parts: LoginParts) {
    const { login } = parts.deployment.connection ?? {};
    if (login === undefined) throw new Error(`${parts.deployment.key} has no login`);
    this.#login = login;
    this.#url = new URL(login.tokenUrl);
  }

  /** A bearer that is good now, or the promise of one. Rejects as AttemptFailure. */
  bearer(): Secret | Promise<Secret> {
    const now = performance.now();
    const token = this.#token;
    if (token === undefined || now >= token.endsAt) {
      return this.#renewed(now).then(({ bearer }) => bearer);
    }
    // A renewal that fails now is tried again; the present token is good until its end.
    if (now >= token.renewAt) this.#renewed(now).catch(() => undefined);
    return token.bearer;
  }

  /**
   * The provider has refused a bearer: the next request takes another one.
   * @returns false where it was made just now, so that another one would be refused too
   */
  refused(bearer: Secret): boolean {
    const token = this.#token;
    if (token === undefined || token.bearer !== bearer) return true;
    if (performance.now() - token.madeAt < PAUSE_MS) return false;
    this.#former = token.bearer;
    this.#token = undefined;
    return true;
  }

  /** Logs in now. @returns the life of the bearer in milliseconds; rejects as AttemptFailure */
  async once(): Promise<number> {
    const { endsAt, madeAt } = await this.#renewed(performance.now());
    return endsAt - madeAt;
  }

  /** What must never be shown: the credentials, and the bearers that may still be in use. */
  secrets(): Secret[] {
    const bearers = [this.#token?.bearer, this.#former].filter((each) => each !== undefined);
    return [this.#login.credentials, ...bearers];
  }

  #renewed(now: number): Promise<Token> {
    if (this.#renewal !== undefined) return this.#renewal;
    const failed = this.#failed;
    if (failed && now - failed.at < PAUSE_MS) return Promise.reject(failed.failure);
    this.#renewal = this.#renew()
      .catch((error: unknown) => {
        const failure = failureOfLogin(error);
        this.#failed = { failure, at: performance.now() };
        throw failure;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  async #renew(): Promise<Token> {
    const { credentials, scope, statesGrantType, requestIdHeader } = this.#login;
    const form = new URLSearchParams();
    if (statesGrantType) form.set('grant_type', 'client_credentials');
    if (scope !== undefined) form.set('scope', scope);
    this.parts.onRequest();
    const { statusCode, body } = await this.parts.pool.request({
      path: this.#url.pathname,
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials.reveal()}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(requestIdHeader === undefined ? {} : { [requestIdHeader]: randomUUID() }),
      },
      body: form.toString(),
      signal: AbortSignal.timeout(LOGIN_MS_MAX),
    });
    const text = await bounded(body);
    if (statusCode !== 200) throw refusalOf(statusCode);
    const token = tokenOf(parsedJson(text));
    this.#former = this.#token?.bearer ?? this.#former;
    this.#token = token;
    this.#failed = undefined;
    return token;
  }
}

/** The text of an answer. @throws AttemptFailure where it is too long */
async function bounded(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) throw unusable('is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function refusalOf(status: number): AttemptFailure {
  const error = errorOfStatus(status) ?? 'invalid_answer';
  // A login that is refused as a bad request lacks the right credentials or scope.
  const kind = error === 'rejected' ? 'credentials_refused' : error;
  const message = `the login of the provider answered ${status}`;
  return new AttemptFailure(kind, message, null, undefined, `LOGIN_${status}`);
}

function unusable(why: string): AttemptFailure {
  const message = `the answer to the login ${why}`;
  return new AttemptFailure('invalid_answer', message, null, undefined, 'LOGIN_UNUSABLE');
}

/** The token of an answer. Its life is `expires_in` in seconds, or `expires_at` as a time. */
function tokenOf(answer: unknown): Token {
  const { access_token, expires_in, expires_at } = asObject(answer) ?? {};
  if (typeof access_token !== 'string' || !BEARER.test(access_token)) {
    throw unusable('holds no access token');
  }
  const lifeMs = Math.min(LIFE_MS_MAX, lifeMsOf(expires_in, expires_at));
  if (!(lifeMs > 0)) throw unusable('holds a token that has expired');
  const madeAt = performance.now();
  const endsAt = madeAt + lifeMs;
  const renewAt = endsAt - Math.min(RENEWED_MS_MAX, lifeMs * RENEWED_SHARE);
  return { bearer: new Secret(access_token), madeAt, renewAt, endsAt };
}

/** Times after 2001 in milliseconds, and until 5138 in seconds: no time is both. */
const EPOCH_MS_MIN = 1e11;

function lifeMsOf(expiresIn: unknown, expiresAt: unknown): number {
  const seconds = numberOf(expiresIn);
  if (seconds !== undefined) return seconds * 1_000;
  const at = numberOf(expiresAt);
  if (at === undefined) return LIFE_MS_DEFAULT;
  return (at < EPOCH_MS_MIN ? at * 1_000 : at) - sharedNowMs();
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function failureOfLogin(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    const message = 'the login of the provider took too long';
    return new AttemptFailure('connect_timeout', message, null, undefined, 'LOGIN_TIMEOUT');
  }
  return failureOfSocket(error as Error, false);
}
