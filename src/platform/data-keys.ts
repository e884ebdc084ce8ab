import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { newId } from '../kernel/ids.js';
import {
  DATA_KEY_BYTES,
  type DataKey,
  dataKeyIdOf,
  openUnder,
  sealUnder,
} from './data-key-seal.js';
import type { Listener } from './database/listen.js';
import type { Keyring } from './keyring.js';
import { SealError, type SealedPlace } from './secrets.js';
import { TenantMemory } from './tenant-memory.js';

/** What stands at a place of an organization. */
export type Opened =
  | { readonly kind: 'value'; readonly bytes: Buffer }
  /** The key was erased, and what it has sealed with it. */
  | { readonly kind: 'erased' };

/** A place in a row of an organization. */
export interface TenantPlace extends SealedPlace {
  readonly tenantId: string;
}

interface KeyRow {
  readonly id: string;
  readonly wrapped: Buffer | null;
}

const IN_FORCE = {
  name: 'data_key_in_force',
  text: 'SELECT id, wrapped FROM tenant_data_key WHERE tenant_id = $1 AND erased_at IS NULL',
};
const BY_ID = {
  name: 'data_key_by_id',
  text: 'SELECT id, wrapped FROM tenant_data_key WHERE id = $2 AND tenant_id = $1',
};
const MAKE = {
  name: 'data_key_make',
  text: `INSERT INTO tenant_data_key (id, tenant_id, wrapped) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING`,
};

/** Of nodes that make the first key at once, all but one find it there on the next look. */
const LOOKS_MAX = 3;

const ERASED = 'erased';

/**
 * The data keys of organizations. What may hold personal data is sealed under them, they are
 * wrapped under the secret of the installation, and without its key nothing opens any more. A key
 * is made where it is first needed; memory forgets the keys of an organization when one is erased,
 * on every node at once.
 */
export class DataKeys {
  private readonly memory = new TenantMemory<DataKey | typeof ERASED>();

  constructor(
    private readonly pool: Pool,
    private readonly keyring: Keyring,
  ) {}

  /** Keeps the memory true: an erasure drops what is known of the organization. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** Drops what this node knows of an organization. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  /** Seals under the key in force of the organization that the place belongs to. */
  async seal(place: TenantPlace, bytes: Uint8Array): Promise<Buffer> {
    return sealUnder(await this.inForce(place.tenantId), place, bytes);
  }

  /**
   * Opens what was sealed for the place.
   * @throws SealError when it was sealed elsewhere or for another organization, or was changed
   */
  async open(place: TenantPlace, sealed: Uint8Array): Promise<Opened> {
    const key = await this.named(place.tenantId, dataKeyIdOf(sealed));
    if (key === ERASED) return { kind: 'erased' };
    return { kind: 'value', bytes: openUnder(key, place, sealed) };
  }

  private async inForce(tenantId: string): Promise<DataKey> {
    const name = `in force ${tenantId}`;
    const known = this.memory.known(name);
    if (known && known !== ERASED) return known;
    return this.memory.read(
      name,
      () => this.readOrMake(tenantId),
      (value) => ({ tenantId, value }),
    );
  }

  private async readOrMake(tenantId: string): Promise<DataKey> {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const { rows } = await this.pool.query<KeyRow>({ ...IN_FORCE, values: [tenantId] });
      const key = rows[0] && this.unwrapped(tenantId, rows[0]);
      if (key && key !== ERASED) return key;
      const id = newId('DataKey');
      const wrapped = this.keyring.seal(placeOf(tenantId, id), randomBytes(DATA_KEY_BYTES));
      await this.pool.query({ ...MAKE, values: [id, tenantId, wrapped] });
    }
    throw new Error(`no data key of ${tenantId} could be made`);
  }

  private async named(tenantId: string, id: string): Promise<DataKey | typeof ERASED> {
    const name = `${tenantId} ${id}`;
    const known = this.memory.known(name);
    if (known) return known;
    const read = async () => {
      const { rows } = await this.pool.query<KeyRow>({ ...BY_ID, values: [tenantId, id] });
      if (!rows[0]) throw new SealError('sealed under a data key that this organization never had');
      return this.unwrapped(tenantId, rows[0]);
    };
    return this.memory.read(name, read, (value) => ({ tenantId, value }));
  }

  private unwrapped(tenantId: string, { id, wrapped }: KeyRow): DataKey | typeof ERASED {
    if (!wrapped) return ERASED;
    return { id, bytes: this.keyring.open(placeOf(tenantId, id), wrapped) };
  }
}

/** Where a data key is wrapped for. */
export function placeOf(tenantId: string, row: string): SealedPlace {
  return { tenantId, table: 'tenant_data_key', field: 'wrapped', row };
}
