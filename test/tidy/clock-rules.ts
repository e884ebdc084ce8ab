import { at, codeBelow, FILES } from './files.js';

/**
 * The places that may read the wall clock of the machine. What is stored or compared with what is
 * stored goes by `sharedNow`, a duration by `performance.now()`: the wall clock of a node may be an
 * hour off, and may be set at any moment.
 */
const WALL_CLOCK_PLACES: Readonly<Record<string, string>> = {
  'src/kernel/clock.ts': 'what the shared time begins with, before the database has told its own',
  'src/platform/access-log.ts': 'a line of the log stands beside those of other programs',
};

/** Whatever reads the wall clock, or lets somebody else do so. */
const WALL_CLOCK = [
  /\bDate\s*\.\s*now\b/,
  /\bnew\s+Date\s*(\(\s*\)|(?!\s*\())/,
  /(?<!new\s)(?<!\.)\bDate\(\s*\)/,
  /\btimeOrigin\b/,
  // Of jose: without a time they take the present one.
  /\.setIssuedAt\(\s*\)/,
  /\.setExpirationTime\(\s*['"`]/,
] as const;

/** Prisma would set both by the clock of the node. */
const NODES_DEFAULT = /@default\(now\(\)\)|@updatedAt/;

/** Lines of the product that read the wall clock past the places that may. */
export function wallClockReads(files = codeBelow('src', 'rest-compat')): string[] {
  const reads = files
    .filter(({ path }) => !path.endsWith('.js') && !Object.hasOwn(WALL_CLOCK_PLACES, path))
    .flatMap((file) =>
      file.lines.flatMap((line, index) =>
        WALL_CLOCK.some((pattern) => pattern.test(line)) && !/^\s*(\/?\*|\/\/)/.test(line)
          ? [at(file, index + 1, 'reads the wall clock')]
          : [],
      ),
    );
  const defaults = FILES.filter(({ path }) => path.endsWith('.prisma')).flatMap((file) =>
    file.lines.flatMap((line, index) =>
      NODES_DEFAULT.test(line) ? [at(file, index + 1, 'is set by the clock of the node')] : [],
    ),
  );
  return [...reads, ...defaults];
}

/** Places that are named and read no wall clock. */
export function staleClockPlaces(): string[] {
  return Object.keys(WALL_CLOCK_PLACES).filter((path) => {
    const file = FILES.find((each) => each.path === path);
    return !file || !WALL_CLOCK.some((pattern) => pattern.test(file.text));
  });
}
