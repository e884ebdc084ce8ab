import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import { sharedNow } from '../../kernel/clock.js';
import { makeFolder } from '../../platform/folders.js';
import type { Month } from './month.js';

/** What a file of a month says of itself. */
export interface Manifest {
  readonly table: string;
  readonly until_month: string;
  readonly file: string;
  readonly rows: number;
  readonly sha256: string;
  readonly exported_at: string;
}

const AT_ONCE = 2_000;

async function* linesOf(owner: pg.ClientBase, { name }: Month): AsyncGenerator<string> {
  await owner.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await owner.query(`DECLARE month_rows NO SCROLL CURSOR FOR
      SELECT row_to_json(t)::text AS line FROM gw_months.${name} t ORDER BY txid, seq`);
    for (;;) {
      const { rows } = await owner.query<{ line: string }>(`FETCH ${AT_ONCE} FROM month_rows`);
      if (rows.length === 0) return;
      yield rows.map(({ line }) => `${line}\n`).join('');
    }
  } finally {
    await owner.query('ROLLBACK');
  }
}

/**
 * Writes a month to a file of JSON lines (gzip) in the order of their places, reads the file back,
 * and puts its manifest beside it. A file has its name once it is whole. One that an earlier try
 * has left stands for good where it holds the same rows.
 * @throws Error where a file of other rows stands in the way, or a file is not what was written
 */
export async function exportMonth(
  owner: pg.ClientBase,
  month: Month,
  folder: string,
): Promise<Manifest> {
  makeFolder(folder);
  const file = `${month.name}_until_${month.untilMonth}.ndjson.gz`;
  const path = join(folder, file);
  const part = `${path}.part`;
  const beside = `${path}.manifest.json`;
  try {
    const written = await writeRows(owner, month, part);
    if (existsSync(beside)) return await sameAs(path, beside, written);
    // A kill may have left the file without its manifest.
    if (existsSync(path) && (await hashOf(path)) !== written.sha256) throw strange(path);
    renameSync(part, path);
    const manifest: Manifest = {
      table: month.table,
      until_month: month.untilMonth,
      file,
      ...written,
      exported_at: sharedNow().toISOString(),
    };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    writeFileSync(`${beside}.part`, text, { flush: true, mode: 0o600 });
    renameSync(`${beside}.part`, beside);
    keepNames(folder);
    return manifest;
  } finally {
    rmSync(part, { force: true });
    rmSync(`${beside}.part`, { force: true });
  }
}

const strange = (path: string) =>
  new Error(`${path} exists, of other rows; export to another folder`);

/** Names of files outlive the loss of power, as their contents do, before a month is dropped. */
function keepNames(folder: string): void {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** What was written, counted by reading it back. */
type Written = Pick<Manifest, 'rows' | 'sha256'>;

async function writeRows(owner: pg.ClientBase, month: Month, path: string): Promise<Written> {
  let rows = 0;
  const counted = Readable.from(
    (async function* () {
      for await (const lines of linesOf(owner, month)) {
        rows += lines.split('\n').length - 1;
        yield lines;
      }
    })(),
  );
  await pipeline(counted, createGzip(), createWriteStream(path, { flush: true, mode: 0o600 }));
  const sha256 = await hashOf(path);
  const read = await rowsOf(path);
  if (read !== rows) throw new Error(`${path} has ${read} rows, and ${rows} were written`);
  return { rows, sha256 };
}

/** The manifest that an earlier try has left, where its file is what was written now. */
async function sameAs(path: string, beside: string, { sha256 }: Written): Promise<Manifest> {
  const manifest = JSON.parse(readFileSync(beside, 'utf8')) as Manifest;
  const isSame = manifest.sha256 === sha256 && existsSync(path) && (await hashOf(path)) === sha256;
  if (!isSame) throw strange(beside);
  return manifest;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function rowsOf(path: string): Promise<number> {
  let rows = 0;
  const input = createReadStream(path).pipe(createGunzip());
  for await (const line of createInterface({ input })) {
    JSON.parse(line);
    rows += 1;
  }
  return rows;
}
