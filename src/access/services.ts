import type { AuthorizedCtx } from '../graph/ctx.js';
import type { Window } from '../kernel/window.rules.js';
import type { TokenQuota } from './abuse/credential.js';
import type { KeyControls } from './abuse/key-controls.js';
import type { KeySightings } from './abuse/key-sightings.js';
import type { Authenticator } from './auth/credentials.js';
import type { TokenIssuer } from './auth/tokens.js';
import type { ResetMails } from './credentials/reset-mails.js';
import type { CallableNames } from './keys/limits.rules.js';
import type { PolicyCache } from './policies/policy-cache.js';
import type { WorkspaceMemory } from './workspaces/workspace-memory.js';

/** What the requests of a key have cost in a window. */
interface KeySpend {
  readonly requests: bigint;
  /** What was charged, in micro-rubles, VAT inside. */
  readonly amountMicro: bigint;
}

declare module '../graph/ctx.js' {
  interface Services {
    readonly tokens: TokenIssuer;
    readonly authenticator: Authenticator;
    /** The keyed hash under which API keys are stored. */
    readonly hashKey: (key: string) => Buffer;
    /** All hashes under which a key may be stored while the server's secret is replaced. */
    readonly keyHashes: (key: string) => readonly Buffer[];
    /** Names that an allow-list may hold. Aliases may always be asked for. */
    readonly modelNames: () => Iterable<string>;
    /** Names that the limits of a key may hold, the aliases of an organization among them. */
    readonly callableNames: (tenantId: string) => CallableNames | Promise<CallableNames>;
    /** The policies in force, by project. */
    readonly policies: PolicyCache;
    /** Counts the requests of ephemeral tokens. */
    readonly tokenQuota: TokenQuota;
    /** Sends links for a new password; absent where the operator has no mail server. */
    readonly resetMails?: ResetMails;
    /** The throttles of keys in force. */
    readonly keyControls: KeyControls;
    /** From where keys are used. */
    readonly keySightings: KeySightings;
    /** Sums of usage lie above; whoever starts the process brings them. */
    readonly keySpend: (ctx: AuthorizedCtx, keyId: string, window: Window) => Promise<KeySpend>;
    /** The workspaces in force, and the budgets of their users. */
    readonly workspaces: WorkspaceMemory;
  }
}
