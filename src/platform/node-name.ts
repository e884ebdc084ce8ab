import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ConfigError } from './config.js';
import { inUtc, opened } from './database/connection.js';

/** The name of this process among those on one database, held for as long as it lives. */
export interface NodeName {
  readonly name: string;
  /** Gives the name up. */
  release(): Promise<void>;
}

const TRIES_MAX = 64;
const CONNECT_MS_MAX = 2_000;
const RECLAIM_EVERY_MS = 500;

/**
 * Claims a name that is the same after a restart and that no other live process has: the stated
 * one, or the host's name with the first free number. The claim is an advisory lock of a
 * connection, so that a process that dies leaves its name free. A connection that the database
 * loses is made again, and the name claimed again, or a process that starts would take it for free.
 * @throws ConfigError when a stated name is in use
 */
export async function claimNodeName(
  connection: pg.ClientConfig,
  stated: string | undefined,
): Promise<NodeName> {
  let client = await openedForName(connection);
  const base = stated ?? hostname();
  for (let number = 1; number <= (stated ? 1 : TRIES_MAX); number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!(await isClaimed(client, name))) continue;
    let released = false;
    const keep = (held: pg.Client) => {
      client = held;
      held.once('end', () => void reclaim());
    };
    const reclaim = async () => {
      while (!released) {
        const next = await claimedAgain(connection, name);
        if (next) return released ? next.end() : keep(next);
        await sleep(RECLAIM_EVERY_MS, undefined, { ref: false });
      }
    };
    keep(client);
    const release = () => {
      released = true;
      return client.end();
    };
    return { name, release };
  }
  await client.end();
  throw new ConfigError(`the node name ${base} is in use by another process; set GW_NODE_ID`);
}

function openedForName(connection: pg.ClientConfig): Promise<pg.Client> {
  return opened({
    ...inUtc(connection),
    application_name: 'gw-node-name',
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
  });
}

async function isClaimed(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ claimed: boolean }>(
    "SELECT pg_try_advisory_lock(hashtextextended('gw node ' || $1, 0)) AS claimed",
    [name],
  );
  return rows[0]?.claimed === true;
}

/** A connection that holds the name; undefined when there is none now or the name is taken. */
async function claimedAgain(
  connection: pg.ClientConfig,
  name: string,
): Promise<pg.Client | undefined> {
  try {
    const client = await openedForName(connection);
    if (await isClaimed(client, name)) return client;
    await client.end();
  } catch {
    // The database is still away.
  }
  return undefined;
}
