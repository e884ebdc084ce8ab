import { hostname } from 'node:os';
import pg from 'pg';
import { inUtc } from './database/connection.js';

/** The name of this process among those on one database, held for as long as it lives. */
export interface NodeName {
  readonly name: string;
  /** Gives the name up. */
  release(): Promise<void>;
}

const TRIES_MAX = 64;

/**
 * Claims a name that is the same after a restart and that no other live process has: the stated
 * one, or the host's name with the first free number. The claim is an advisory lock of a
 * connection, so that a process that dies leaves its name free.
 * @throws Error when a stated name is in use
 */
export async function claimNodeName(
  connection: pg.ClientConfig,
  stated: string | undefined,
): Promise<NodeName> {
  const client = new pg.Client({ ...inUtc(connection), application_name: 'gw-node-name' });
  client.on('error', () => {});
  await client.connect();
  const base = stated ?? hostname();
  for (let number = 1; number <= (stated ? 1 : TRIES_MAX); number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    const { rows } = await client.query<{ claimed: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('gw node ' || $1, 0)) AS claimed",
      [name],
    );
    if (rows[0]?.claimed) return { name, release: () => client.end() };
  }
  await client.end();
  throw new Error(`the node name ${base} is in use by another process; set GW_NODE_ID`);
}
