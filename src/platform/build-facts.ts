// What the build finds out so that no start has to: `tools/bundle.mjs` puts its own facts in the
// place of this file. For sources that run by themselves nothing is known, and all is done anew.

/** YAML files among the sources as JSON, by their paths from the root. */
export const PARSED_FILES: Readonly<Record<string, string>> = {};

/** The hash of the REST rows that the build holds against its own schema. */
export const PROVEN_ROWS: string | undefined = undefined;

/** The commit that the build was made at, where it knew one. */
export const BUILT_AT: string | undefined = undefined;
