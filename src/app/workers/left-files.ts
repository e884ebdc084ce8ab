import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createLedger } from '../../money/ledger/create-ledger.js';
import { nodeOfWriteAheadFile } from '../../money/ledger/write-ahead-file.js';
import { claimNodeName } from '../../platform/node-name.js';

/** Where files may have been left, and what takes them up. */
interface LeftAt {
  readonly pool: Pool;
  readonly connection: pg.ClientConfig;
  readonly dataDir: string;
  readonly log: Logger;
}

/**
 * Brings into the books what stands in write-ahead files of nodes of this gateway that do not start
 * any more, because it has fewer workers than before, or other ones.
 * @param name of the gateway, which this process has claimed
 * @param starting the nodes that take up their own files
 */
export async function takeUpLeftFiles(
  at: LeftAt,
  name: string,
  starting: readonly string[],
): Promise<void> {
  for (const node of await leftNodes(at.dataDir, name)) {
    if (starting.includes(node)) continue;
    const claim = node === name ? undefined : await claimNodeName(at.connection, node);
    const ledger = createLedger({ ...at, nodeId: node });
    await ledger.start();
    await ledger.stop();
    await claim?.release();
  }
}

/** The gateway itself as one process, and its workers, where their files hold something. */
async function leftNodes(dataDir: string, name: string): Promise<readonly string[]> {
  const files = await readdir(dataDir).catch(() => []);
  const left: string[] = [];
  for (const file of files) {
    const node = nodeOfWriteAheadFile(file);
    if (node === undefined || !isOf(name, node)) continue;
    if ((await stat(join(dataDir, file))).size > 0) left.push(node);
  }
  return left;
}

function isOf(name: string, node: string): boolean {
  return node === name || (node.startsWith(name) && /^\.w\d+$/.test(node.slice(name.length)));
}
