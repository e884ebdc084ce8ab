import type { RestTable } from '../rest-compat/row.js';
import type { builder } from '../src/graph/builder.js';

/** What the table of endpoints is made from. */
export interface Sources {
  readonly builder: typeof builder;
  /** Loads the schema and its rows, after the builder is listened to. */
  readonly load: () => Promise<{
    readonly rows: RestTable['rows'];
    /** The folders of the modules below `src`. */
    readonly folders: readonly string[];
  }>;
}

/** The table of endpoints, as it is committed. */
export function endpointsText(sources: Sources): Promise<string>;
