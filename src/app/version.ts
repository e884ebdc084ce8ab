import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../rest-compat/served.js';
import { BUILT_AT } from '../platform/build-facts.js';
import { projectRoot } from '../platform/database/project-root.js';

/** What runs, for whoever compares nodes or reports a fault. */
export interface RunningVersion {
  /** Of the product, by semantic versioning. */
  readonly version: string;
  /** The commit that it was built at; null where the build knew none. */
  readonly commit: string | null;
  /** Of the very text that `/schema.graphql` answers, in hexadecimal digits. */
  readonly schema_sha256: string;
  readonly node: string;
}

/** The version of this process, found out when it is first asked for. */
export function versionOf(schemaSdl: () => string): () => RunningVersion {
  return once(() => runningVersion(schemaSdl()));
}

function runningVersion(schemaSdl: string): RunningVersion {
  const file = readFileSync(join(projectRoot(), 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(file);
  return {
    version,
    commit: BUILT_AT ?? null,
    schema_sha256: createHash('sha256').update(schemaSdl).digest('hex'),
    node: process.version,
  };
}
