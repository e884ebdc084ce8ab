import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../platform/folders.js';

/**
 * Settles that the database could not take yet, on this node's disk. A line is an operation as
 * ledger_apply reads it; every operation is idempotent, so a line may be written a second time.
 */
export interface WriteAheadFile {
  /** The operations that were durably appended and never cleared, in their order. */
  read(): Promise<string[]>;
  /** Appends; when it resolves, the lines survive the loss of power. */
  append(lines: readonly string[]): Promise<void>;
  /** Forgets everything: all of it is in the database. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const FILE_NAME = /^ledger-journal-(.+)\.jsonl$/;

/** Whose write-ahead file it is by its name; undefined for another file. */
export function nodeOfWriteAheadFile(file: string): string | undefined {
  return FILE_NAME.exec(file)?.[1];
}

/** The write-ahead file of a node in the data folder; the file is made when it is first needed. */
export function openWriteAheadFile(dataDir: string, nodeId: string): WriteAheadFile {
  const path = join(dataDir, `ledger-journal-${nodeId}.jsonl`);
  let file: FileHandle | undefined;

  async function opened(): Promise<FileHandle> {
    if (file) return file;
    makeFolder(dataDir);
    file = await open(path, 'a', 0o600);
    return file;
  }

  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      return completeLines(text);
    },
    async append(lines) {
      const handle = await opened();
      // The first newline ends a line that an earlier, failed append may have left half written.
      await handle.appendFile(`\n${lines.join('\n')}\n`);
      await handle.datasync();
    },
    async clear() {
      const handle = await opened();
      await handle.truncate(0);
      await handle.datasync();
    },
    async close() {
      await file?.close();
      file = undefined;
    },
  };
}

/** A torn line was never acknowledged to anybody, so it is left out. */
function completeLines(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('{') && isJson(line));
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
