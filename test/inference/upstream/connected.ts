import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRegistry } from '../../../src/catalog/providers/registry.js';
import type { Attempt } from '../../../src/inference/upstream/call.js';
import { createUpstream, type Upstream } from '../../../src/inference/upstream/upstream.js';
import { laneOf } from '../../catalog/fleet/world.js';
import { chatCall, LONG } from './lanes.js';

/** A line of the log: its facts and its words. */
export type Line = readonly [facts: Record<string, unknown>, words: string];

/** The way out to one provider of a file. */
export interface Connected {
  readonly upstream: Upstream;
  readonly lines: readonly Line[];
  /** One chat. @returns the last attempt, and what a failure told. */
  ask(stream?: boolean): Promise<Asked>;
  close(): Promise<void>;
}

/** How a chat ended. */
export interface Asked {
  readonly error: Attempt['error'] | undefined;
  readonly message: string;
}

/** Settings of the registry around a providers file. */
export function settingsOf(file: string) {
  return {
    GW_SANDBOX: false,
    GW_PROVIDERS_FILE: file,
    GW_FIRST_BYTE_TIMEOUT_MS: LONG.firstByteMs,
    GW_CHUNK_GAP_TIMEOUT_MS: LONG.gapMs,
  };
}

/** Writes files into a new folder, `providers.yaml` with one provider among them. */
export function writeConnection(
  origin: string,
  connection: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'gw-connection-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const file = join(folder, 'providers.yaml');
  writeFileSync(file, JSON.stringify({ providers: [{ ...laneOf('in', origin), ...connection }] }));
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The way out to a provider that is connected to as stated. */
export function connected(
  origin: string,
  connection: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
  environment: NodeJS.ProcessEnv = {},
): Connected {
  const { file, remove } = writeConnection(origin, connection, files);
  const registry = loadRegistry(settingsOf(file), environment);
  remove();
  const lines: Line[] = [];
  const warn = (...line: Line) => lines.push(line);
  const upstream = createUpstream({
    registry,
    config: {
      GW_CONNECT_TIMEOUT_MS: LONG.connectMs,
      GW_FIRST_BYTE_TIMEOUT_MS: LONG.firstByteMs,
      GW_FIRST_BYTE_TOTAL_TIMEOUT_MS: LONG.firstByteTotalMs,
      GW_REQUEST_TIMEOUT_MS: LONG.totalMs,
    },
    random: () => 0,
    log: { warn } as never,
  });
  return {
    upstream,
    lines,
    close: () => upstream.close(),
    async ask(stream = false) {
      try {
        const chain = registry.chain('pool/chat');
        const { attempts } = await upstream.call(chain, chatCall(stream));
        return { error: attempts.at(-1)?.error, message: '' };
      } catch (thrown) {
        const { attempts, message } = thrown as Error & { readonly attempts: readonly Attempt[] };
        return { error: attempts.at(-1)?.error, message };
      }
    },
  };
}
