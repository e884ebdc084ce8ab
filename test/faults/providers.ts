import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layPreparedCluster } from '../support/prepared-cluster.js';

/** One deployment of a model on a lane of the upstream double. */
export interface Lane {
  /** The lane, and the id of the provider. */
  readonly lane: string;
  readonly model: string;
  readonly firstByteMs?: number;
  readonly gapMs?: number;
  /** Rubles for a million tokens. */
  readonly inputRub?: number;
  readonly outputRub?: number;
  readonly apiKeyEnv?: string;
  readonly quality?: 'basic' | 'good' | 'high';
  /** Models that may answer in its place. */
  readonly fallbacks?: readonly string[];
}

/** A folder of a test's own that the embedded database can reach too. */
export interface Folder {
  readonly path: string;
  remove(): void;
}

/** Makes the folder. */
export function newFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'gw-faults-'));
  // Run as root, the embedded database belongs to `nobody`, who has to reach it in here.
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder whose embedded database is set up and migrated, as after an earlier start. */
export async function newUsedFolder(): Promise<Folder> {
  const folder = newFolder();
  await layPreparedCluster(join(folder.path, 'postgres'));
  return folder;
}

/** Writes a providers file for lanes of the double. @returns its path for GW_PROVIDERS_FILE */
export function writeProviders(folder: Folder, origin: string, lanes: readonly Lane[]): string {
  const providers = lanes.map((lane) => ({
    id: lane.lane,
    name: lane.lane,
    operator: 'the test',
    base_url: `${origin}/${lane.lane}/v1`,
    jurisdiction: 'rf',
    ...(lane.apiKeyEnv ? { api_key_env: lane.apiKeyEnv } : {}),
    models: [
      {
        id: lane.model,
        upstream_name: lane.model.replace('/', '-'),
        capabilities: ['text', 'streaming', 'tools', 'json'],
        context_window: 100_000,
        max_output_tokens: 1_000,
        ...(lane.quality ? { quality: lane.quality } : {}),
        ...(lane.fallbacks ? { fallbacks: lane.fallbacks } : {}),
        prices: [
          {
            effective_from: '2026-01-01',
            input: lane.inputRub ?? 100,
            output: lane.outputRub ?? 1_000,
          },
        ],
        timeouts: { first_byte_ms: lane.firstByteMs ?? 10_000, gap_ms: lane.gapMs ?? 10_000 },
      },
    ],
  }));
  const file = join(folder.path, 'providers.json');
  writeFileSync(file, JSON.stringify({ providers }));
  return file;
}
