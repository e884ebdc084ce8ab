import type { Authenticator } from './auth/credentials.js';
import type { TokenIssuer } from './auth/tokens.js';
import type { PolicyCache } from './policies/policy-cache.js';

declare module '../graph/ctx.js' {
  interface Services {
    readonly tokens: TokenIssuer;
    readonly authenticator: Authenticator;
    /** The keyed hash under which API keys are stored. */
    readonly hashKey: (key: string) => Buffer;
    /** Names that an allow-list may hold. Aliases may always be asked for. */
    readonly modelNames: () => Iterable<string>;
    /** The policies in force, by project. */
    readonly policies: PolicyCache;
  }
}
