import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { ConfigError } from '../../platform/config.js';
import type { Listener } from '../../platform/database/listen.js';
import { warnUnlessAway } from '../../platform/database/outage.js';
import { named } from '../../platform/database/pool.js';
import type { CatalogueProvider } from '../providers/catalogue-entry.js';
import { LiveRegistry } from '../providers/live-registry.js';
import type { Registry } from '../providers/model.js';
import { buildRegistry, type RegistryConfig, readEntries } from '../providers/registry.js';
import { applied, hasSubject } from './apply.rules.js';
import type { ProviderChange } from './change.js';
import { shareOf } from './share.rules.js';
import { type ChangeKind, PROVIDER_CHANGES } from './vocabulary.js';

declare module '../../graph/ctx.js' {
  interface Services {
    /** What operators have changed of the providers, as this node follows it. */
    readonly fleet: Fleet;
  }
}

/** The channel on which the database tells that operators changed something. */
const CHANGES = 'gw_fleet';

const AGAIN_MS = 1_000;

/** The changes in force: of each place the latest. */
const IN_FORCE_SQL = `
  SELECT DISTINCT ON (place) seq, kind, subject, place, body, reason, set_by, created_at
  FROM provider_change ORDER BY place, seq DESC`;

/** Nodes that have shown themselves within the time after which the ledger calls one gone. */
const NODES_SQL = `
  SELECT node_id FROM gateway_node
  WHERE retired_at IS NULL AND seen_at > clock_timestamp() - interval '30 s' ORDER BY node_id`;

/** A row of the changes as the driver gives it. */
export interface ChangeRow {
  readonly seq: bigint | string;
  readonly kind: string;
  readonly subject: string;
  readonly place: string;
  readonly body: unknown;
  readonly reason: string;
  readonly set_by: string;
  readonly created_at: Date;
}

/** Where changes and nodes stand, and which node this is. */
export interface FleetPlace {
  readonly pool: Pool;
  readonly nodeId: string;
  /** The nodes whose counters are one, this node among them. */
  readonly countTogether: readonly string[];
  readonly listener: Listener;
}

/** What a fleet is made from. */
export interface FleetParts {
  readonly config: RegistryConfig;
  readonly log: Logger;
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * The registry of this node and how it follows the changes of operators: file and catalogue first,
 * then the changes in force. A change that does not fit this node's file is named in the log and
 * left out; everything else holds.
 */
export class Fleet {
  readonly registry: LiveRegistry;
  readonly #entries: readonly CatalogueProvider[];
  readonly #environment: NodeJS.ProcessEnv;
  #changes: readonly ProviderChange[] = [];
  #nodes: readonly string[] = [];
  #place: FleetPlace | undefined;
  #reading: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  /** @throws ConfigError that lists every fault of file and catalogue at once */
  constructor(private readonly parts: FleetParts) {
    this.#environment = parts.environment ?? process.env;
    this.#entries = readEntries(parts.config, this.#environment);
    this.registry = new LiveRegistry(this.#build(this.#entries, 0));
  }

  /** The providers without what operators have changed. */
  get entries(): readonly CatalogueProvider[] {
    return this.#entries;
  }

  /** The changes in force on this node, latest first. */
  get changes(): readonly ProviderChange[] {
    return this.#changes;
  }

  /** What this node, with those it counts together with, may take where nobody counts for all. */
  readonly share = (limit: number): number =>
    shareOf(limit, this.#nodes, this.#place?.countTogether ?? ['']);

  /** Follows the changes from now on, and tells the other nodes that this one is there. */
  async follow(place: FleetPlace): Promise<void> {
    this.#place = place;
    const { listener } = place;
    await listener.listen(CHANGES, () => this.#read());
    listener.onConnected(() => this.#read());
    await this.reload();
    await this.#announce();
  }

  /** Tells every node that the changes, or the nodes themselves, are to be read anew. */
  async #announce(): Promise<void> {
    const values = [CHANGES, this.#place?.nodeId];
    await this.#place?.pool.query('SELECT pg_notify($1, $2)', values);
  }

  /** Reads changes and nodes, and puts them in force. */
  async reload(): Promise<void> {
    if (this.#place === undefined) return;
    const { pool } = this.#place;
    const changes = await named<ChangeRow>(pool, 'fleet_changes', IN_FORCE_SQL, []);
    const nodes = await named<{ node_id: string }>(pool, 'fleet_nodes', NODES_SQL, []);
    this.#nodes = nodes.rows.map(({ node_id }) => node_id);
    this.adopt(changes.rows.map(changeOf));
  }

  /** Puts changes in force, unless later ones are. */
  adopt(changes: readonly ProviderChange[]): void {
    const version = versionOf(changes);
    if (this.#closed || version <= this.registry.version) return;
    this.#changes = [...changes].sort((one, other) => Number(other.seq - one.seq));
    this.registry.exchange(this.#fitting(version));
  }

  /**
   * What is wrong with the providers when these changes are in force, one line a fault.
   * @returns none when a registry can be built
   */
  faultsWith(changes: readonly ProviderChange[]): readonly string[] {
    try {
      this.#build(applied(this.#entries, changes), versionOf(changes));
      return [];
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      return thrown.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    }
  }

  /** Follows nothing any more, and tells the other nodes that this one is gone. */
  async leave(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    // Without a database they find it out by themselves.
    await this.#announce().catch(() => undefined);
  }

  /** All changes, or where they do not fit together, each that fits the ones before it. */
  #fitting(version: number): Registry {
    const oldestFirst = [...this.#changes].reverse();
    try {
      const all = applied(this.#entries, oldestFirst);
      const registry = this.#build(all, version);
      const idle = oldestFirst.filter((change) => !hasSubject(all, change));
      if (idle.length > 0) {
        const places = idle.map(({ place }) => place);
        this.parts.log.info({ places }, 'changes of operators are about what is not there');
      }
      return registry;
    } catch {
      const kept: ProviderChange[] = [];
      for (const change of oldestFirst) {
        const faults = this.#faultsOf([...kept, change]);
        if (faults === undefined) kept.push(change);
        else this.#leftOut(change, faults);
      }
      return this.#build(applied(this.#entries, kept), version);
    }
  }

  #faultsOf(changes: readonly ProviderChange[]): string | undefined {
    try {
      this.#build(applied(this.#entries, changes), 0);
      return undefined;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  #leftOut({ seq, kind, subject }: ProviderChange, faults: string): void {
    const facts = { seq: seq.toString(), kind, subject, faults };
    this.parts.log.error(facts, 'a change of an operator does not fit this node');
  }

  #build(entries: readonly CatalogueProvider[], version: number): Registry {
    return buildRegistry(entries, this.parts.config, this.#environment, version);
  }

  /** Reads once for all who ask meanwhile, and once more for whoever asked while it read. */
  #read(): void {
    if (this.#closed) return;
    const before = this.#reading;
    const reading: Promise<void> = (before ?? Promise.resolve())
      .then(() => (this.#reading === reading ? this.reload() : undefined))
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    this.#reading = reading;
  }

  #failed(error: unknown): void {
    if (this.#closed) return;
    warnUnlessAway(this.parts.log, error, 'the changes of operators could not be read');
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#read(), AGAIN_MS).unref();
  }
}

/** A change as it stands in its row. @throws TypeError for a kind that nobody knows */
export function changeOf(row: ChangeRow): ProviderChange {
  const { seq, kind, set_by: setBy, created_at: createdAt, ...rest } = row;
  const known: ChangeKind = PROVIDER_CHANGES.parse(kind);
  return { ...rest, seq: BigInt(seq), kind: known, setBy, createdAt };
}

function versionOf(changes: readonly ProviderChange[]): number {
  return changes.reduce((latest, { seq }) => Math.max(latest, Number(seq)), 0);
}
