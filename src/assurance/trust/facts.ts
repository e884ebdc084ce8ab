import { isIP } from 'node:net';
import type { Provider } from '../../catalog/providers/model.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import type { Services } from '../../graph/ctx.js';
import { isPublicAddress } from '../../platform/network/public-address.js';
import type { ControlSetting } from './vocabulary.js';

/** A host that a node of the installation has really sent requests to. */
export interface ObservedHost {
  /** Its name; `internal` where it is an address or a name of a private network. */
  readonly host: string;
  readonly jurisdiction: Jurisdiction;
  readonly providerId: string;
}

/** What the trust documents are made of: the running configuration and what was observed. */
export interface TrustFacts {
  readonly operator: string;
  readonly production: boolean;
  readonly securityContact: string | null;
  readonly settings: Readonly<Record<ControlSetting, boolean>>;
  readonly providers: readonly Provider[];
  /** Ids of the providers that are told `metadata`. */
  readonly toldMetadata: ReadonlySet<string>;
  readonly observed: readonly ObservedHost[];
  /** Since when contacts are known, and when this was put together. */
  readonly observedSince: Date;
  readonly asOf: Date;
  /** Circuit breakers of this node by their state. */
  readonly breakers: { readonly closed: number; readonly open: number; readonly halfOpen: number };
}

/** Reads what holds now, and whom the nodes have contacted. Nothing of a tenant is in it. */
export async function trustFacts(
  { config, registry, upstream, egressLog }: Services,
  now: Date,
): Promise<TrustFacts> {
  const contacts = await egressLog.contacts(now);
  const deployments = [...registry.deploymentsByKey.values()];
  // What answers inside the process is told nothing that could leave it.
  const told = deployments.filter(
    ({ forwardMetadata, protocol }) => forwardMetadata && protocol !== 'in_process',
  );
  const health = upstream.health();
  const inState = (state: string) => health.filter((each) => each.state === state).length;
  const production = config.NODE_ENV === 'production';
  return {
    operator: config.GW_OPERATOR_NAME,
    production,
    securityContact: config.GW_SECURITY_CONTACT ?? null,
    settings: {
      metadata_kept_back: told.length === 0,
      public_address_https: config.GW_PUBLIC_URL?.startsWith('https:') ?? false,
      metrics_closed: config.GW_OPERATOR_TOKEN !== undefined || production,
      secret_given: config.GW_SECRET !== undefined,
      shared_counters: config.REDIS_URL !== undefined,
      database_server: config.DATABASE_URL !== undefined,
      security_contact: config.GW_SECURITY_CONTACT !== undefined,
    },
    providers: registry.providers,
    toldMetadata: new Set(told.map(({ providerId }) => providerId)),
    observed: contacts.hosts.map(({ host, jurisdiction, providerId }) => ({
      host: shownHost(host),
      jurisdiction,
      providerId,
    })),
    observedSince: contacts.since,
    asOf: now,
    breakers: { closed: inState('closed'), open: inState('open'), halfOpen: inState('half_open') },
  };
}

/** Names of the operator's own network are nobody's business: a public document hides them. */
export function shownHost(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  const isInside = isIP(name) !== 0 ? !isPublicAddress(name) : !/\.[a-z]{2,}$/i.test(name);
  return isInside || /\.(local|internal|lan|svc)$/i.test(name) ? 'internal' : name;
}
