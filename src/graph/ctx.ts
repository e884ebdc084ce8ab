import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Prisma } from '../generated/prisma/client.js';
import type { GatewayError } from '../kernel/errors/fail.js';
import type { DataClass } from '../kernel/firewall/vocabulary.js';
import type { RequestOrigin } from '../kernel/origin.js';
import type { Trace } from '../kernel/trace.rules.js';
import type { Config } from '../platform/config.js';
import type { DataKeys } from '../platform/data-keys.js';
import type { Listener } from '../platform/database/listen.js';
import type { PrismaDatabase } from '../platform/database/prisma.js';
import type { Keyring } from '../platform/keyring.js';
import type { AddressRange } from '../platform/network/address-ranges.js';
import type { RequestSpans } from '../platform/request-spans.js';

/** What bounds the requests of an ephemeral token, beside its few rights. */
export interface TokenBounds {
  readonly scope: string;
  readonly name: string;
  /** The operations of inference that it may ask for. */
  readonly operations: readonly string[];
  /** Undefined where all models are that the policy allows. */
  readonly allowedModels: ReadonlySet<string> | undefined;
  /** The budget of everything that it costs. */
  readonly budgetId: string;
  /** The member or key that issued it; a key is one of the makers too. */
  readonly issuedBy: string;
  readonly requestsMax: number;
}

/** What bounds the requests of one key of a line, and of all that it has made. */
export interface KeyBounds {
  /** Names the limits, under which rates and budgets are counted. */
  readonly id: string;
  /** The name of the key that has them. */
  readonly name: string;
  /** Models and aliases; undefined where all are allowed that the policy allows. */
  readonly models: ReadonlySet<string> | undefined;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  readonly budgets: readonly { readonly id: string; readonly name: string }[];
  /** Undefined where it may be used from everywhere. */
  readonly addresses: readonly AddressRange[] | undefined;
  /** The least class that the data of its requests has; undefined where it states none. */
  readonly dataClassMin: DataClass | undefined;
}

/** What says that a caller belongs to a workspace. */
export interface WorkspaceClaim {
  readonly kind: 'key' | 'member' | 'project';
  readonly id: string;
  /** The name of a key or project, the id of a member. */
  readonly name: string;
  readonly workspaceId: string;
}

/** What keeps a caller within a workspace, in what it reads as in what it changes. */
export interface Confinement {
  /** What says so first, such as `key agent`. */
  readonly source: string;
  /** The workspaces that the caller belongs to: one, unless what says so disagrees. */
  readonly workspaceIds: readonly string[];
  /** What the caller could do outside of a workspace. */
  readonly withheld: ReadonlySet<string>;
}

/** What an authenticated caller is, whichever credential it showed. */
export interface Principal {
  readonly kind: 'user' | 'api_key';
  /** The id of the user or of the key: the actor in audit events and approvals. */
  readonly id: string;
  readonly tenantId: string;
  readonly projectId: string;
  readonly accountId: string;
  /** A member's role, or the type of the key. */
  readonly role: string;
  /** The role that bounds the rights: a member's own, or the one that a key was created under. */
  readonly boundRole: string;
  readonly permissions: ReadonlySet<string>;
  /** The service level of the tenant. */
  readonly slaClass: string;
  /** Set for members on the operator's list. */
  readonly platformAdmin: boolean;
  /** Set for a member who may do nothing but enrol the second factor that their tenant requires. */
  readonly mustEnrol?: boolean;
  /** The login that a member's access token belongs to; absent for keys. */
  readonly sessionId?: string;
  /** The keys that led to this one: the key that made it, the maker of that one, and so on. */
  readonly makers: readonly string[];
  /** Set for ephemeral tokens, which are keys of their own type. */
  readonly token?: TokenBounds;
  /** The limits of the key and of those that led to it; absent where none of them has any. */
  readonly bounds?: readonly KeyBounds[];
  /** The secret of a key that was shown; absent for members and tokens. */
  readonly secret?: {
    readonly id: string;
    /** The member or key that it was given to. */
    readonly madeBy: string;
    /** Until when one works that another one has followed, in milliseconds since 1970. */
    readonly formerUntilMs: number | undefined;
  };
  /** Set for keys of an organization in which members alone change limits. */
  readonly limitsByMembers?: boolean;
  /** What says which workspace the caller belongs to; absent where nothing does. */
  readonly workspaces?: readonly WorkspaceClaim[];
  /** Set for callers who are kept within a workspace. */
  readonly confinement?: Confinement;
  /** Set where the organization refuses requests without a workspace. */
  readonly workspaceRequired?: boolean;
  /** The version of the tenant's controls when the caller was looked at. */
  readonly controls?: string;
}

/**
 * What modules offer to the modules above them, made once at start. Each context adds its own
 * entries by declaration merging, so that imports keep going one way.
 */
export interface Services {
  readonly config: Config;
  /** Sees no row of a tenant but through `tenantQuery`. */
  readonly pool: Pool;
  /**
   * Sees the rows of all tenants: for the statements of the chat path, which find out the tenant,
   * and for work of the whole platform.
   */
  readonly platformPool: Pool;
  /** Sees no row of a tenant but through `tenantDatabase` and `everyTenant`. */
  readonly prisma: PrismaDatabase;
  /** What is sealed and hashed under the secret of the installation. */
  readonly keyring: Keyring;
  /** What seals personal data. */
  readonly dataKeys: DataKeys;
  readonly listener: Listener;
  readonly log: Logger;
}

/** A header of a request; several of one name have commas between their values. */
export interface StatedHeader {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

/** Facts of the transport that brought the request. */
export interface Transport {
  readonly kind: 'rest' | 'graphql' | 'socket' | 'internal';
  readonly address: string;
  readonly baseUrl: string;
  /** The header `accept-language`; absent where the client sent none. */
  readonly acceptLanguage?: string | undefined;
  /** The header `user-agent`: what the client calls itself; absent where it says nothing. */
  readonly userAgent?: string | undefined;
  /** The header `x-gw-workspace`: the workspace under which the request is made. */
  readonly workspace?: string | undefined;
  /** The header `cache-control`: whether a kept answer may be given, and this one be kept. */
  readonly cacheControl?: string | undefined;
  /** Headers by whose names somebody means to state a class of data; absent without any. */
  readonly classHeaders?: readonly StatedHeader[];
  /** The trace that the header `traceparent` names, or that began here; absent where none is. */
  readonly trace?: Trace | undefined;
  /** What is noted of the request for a collector of spans; absent where nobody asks for it. */
  readonly spans?: RequestSpans | undefined;
  /** The request body as it came, where the operation may forward its bytes. */
  readonly rawBody?: Buffer;
  /** Response headers that an operation adds; the transports that can carry them do. */
  readonly headers: Record<string, string>;
  /** Calls back when the whole answer has left; absent where the transport cannot tell. */
  readonly onFinished?: (callback: () => void) => void;
  /** Tells that from now on the request waits for others; absent where nobody counts. */
  readonly idles?: (() => void) | undefined;
}

/** What a key stands for: one effect, however often it is asked for. */
export interface KeyedEffect {
  /** The same on every attempt under the key; each root field of a GraphQL document has its own. */
  readonly effectId: string;
  /** True when an earlier attempt may have run. */
  readonly repeated: boolean;
  /** The id that the key as a whole stands for, where `effectId` is that of a part. */
  readonly rootId?: string;
}

/** One request: who asks, with what rights, and what it may use. */
export interface Ctx {
  readonly requestId: string;
  /** Monotonic time of arrival in milliseconds (performance.now). */
  readonly startedMs: number;
  readonly who: Principal | undefined;
  /**
   * The credential as it was shown, for requests that the gateway makes to itself in the name of
   * its caller. It is never written anywhere.
   */
  readonly authorization?: string;
  /**
   * Present on requests that carry an Idempotency-Key. What acts outside of one database
   * transaction runs under this id, or under one derived from it, and looks there first.
   */
  readonly keyed?: KeyedEffect;
  /**
   * Present where the whole operation is one transaction: what is given runs after its commit, and
   * never when it does not commit. See `afterCommit`.
   */
  readonly atCommit?: (work: () => void) => void;
  /** The services of the process, where those of this context are of one transaction. */
  readonly processServices?: Services;
  /** Set for a request that the gateway makes for itself; its usage says so. */
  readonly origin?: RequestOrigin;
  /** The variant of the prompt that an evaluation asks: others may have its model too. */
  readonly promptVariant?: string | undefined;
  /** Why the credential that was shown is not valid; raised only where one is needed. */
  readonly whoFailure?: GatewayError;
  readonly services: Services;
  readonly transport: Transport;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** A request whose caller is known. */
export interface AuthorizedCtx extends Ctx {
  readonly who: Principal;
}

/** A Prisma transaction, or the client itself. */
export type Transaction = Prisma.TransactionClient;
