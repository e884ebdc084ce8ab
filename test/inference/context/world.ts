import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorBody } from '../../journeys/people.js';
import { type Answer, type Customer, rest, startApp, type TestApp } from '../../support/app.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../../support/upstream-double.js';

/** A gateway in front of a provider in a process of its own, with a small and a large window. */
export interface WindowWorld extends TestApp {
  readonly double: SpawnedDouble;
}

/** The models by the lanes of the double; all lie in Russia but the widest. */
export const NARROW = 'narrow/chat';
export const WIDE = 'wide/chat';
export const WINDOWS = { narrow: 4_000, wide: 16_000, abroad: 64_000 } as const;
/** What each model can write at most. */
const OUTPUT_MAX = 1_000;

/** Starts it; the sandbox is off. */
export async function startWindowWorld(): Promise<WindowWorld> {
  const double = await spawnUpstreamDouble();
  const folder = await mkdtemp(join(tmpdir(), 'gw-windows-'));
  const file = join(folder, 'providers.json');
  const providers = (['narrow', 'wide', 'abroad'] as const).map((id) => ({
    id,
    name: `The provider ${id}`,
    operator: 'a test',
    base_url: `${double.origin}/${id}/v1`,
    jurisdiction: id === 'abroad' ? 'outside' : 'rf',
    models: [
      {
        id: `${id}/chat`,
        upstream_name: 'chat',
        capabilities: ['text', 'tools', 'json', 'streaming'],
        context_window: WINDOWS[id],
        max_output_tokens: OUTPUT_MAX,
        prices: [{ effective_from: '2026-01-01', input: WINDOWS[id] / 100, output: 50 }],
      },
    ],
  }));
  await writeFile(file, JSON.stringify({ providers }));
  const app = await startApp({ GW_PROVIDERS_FILE: file, GW_SANDBOX: 'off' });
  return {
    ...app,
    double,
    async stop() {
      await app.stop();
      await double.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A body of JSON. */
export type Body = Record<string, unknown>;

/** What tests read of an answer. */
export interface Chat extends ErrorBody {
  readonly model: string;
  readonly gw_context: Body & {
    readonly kept: string[];
    readonly dropped: { id: string; reason: string }[];
    readonly room_tokens: number;
    readonly tokens_after: number;
  };
  readonly gw_firewall: { readonly verdict: string; readonly data_class: string };
  readonly gw_routing: Body;
}

/** What the requests of tests ask beside their blocks. */
export const QUESTION = [
  { role: 'system', content: 'Отвечай коротко.' },
  { role: 'user', content: 'Что в договоре?' },
];

/** About so many tokens of prose. */
export function prose(tokens: number): string {
  return 'условие договора '.repeat(Math.ceil(tokens / 3));
}

/** Asks the narrow model, with blocks. */
export function ask(
  app: WindowWorld,
  { key: credential }: Customer,
  gw_context: unknown,
  more: Body = {},
): Promise<Answer<Chat>> {
  const body = { model: NARROW, messages: QUESTION, max_tokens: 200, gw_context, ...more };
  return rest<Chat>(app, 'POST', '/v1/chat/completions', { credential, body });
}

/** The last body that a provider got. */
export async function lastSent(app: WindowWorld, lane = 'narrow') {
  const received = await app.double.received(lane);
  return JSON.parse(received.at(-1)?.body ?? '{}') as {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}
