import type { CatalogueProvider } from '../../../src/catalog/providers/catalogue-entry.js';
import type { Deployment, Registry } from '../../../src/catalog/providers/model.js';
import { listPrice } from '../../../src/catalog/providers/price.js';
import { buildRegistry } from '../../../src/catalog/providers/registry.js';
import type { Jurisdiction } from '../../../src/catalog/providers/vocabulary.js';
import type {
  StreamAnswer,
  StreamEnd,
  UpstreamCall,
  WholeAnswer,
} from '../../../src/inference/upstream/call.js';
import { createUpstream, type Upstream } from '../../../src/inference/upstream/upstream.js';

/** Deadlines of the lanes: short, so that what hangs is given up within a test. */
const SHORT = {
  firstByteMs: 400,
  firstByteTotalMs: 4_000,
  gapMs: 300,
  totalMs: 5_000,
  connectMs: 400,
};

/** Deadlines for tests in which nothing hangs: far beyond what a busy machine needs. */
export const LONG = {
  firstByteMs: 20_000,
  firstByteTotalMs: 40_000,
  gapMs: 20_000,
  totalMs: 60_000,
  connectMs: 20_000,
};

/** A key that must not show up in any error. */
export const KEY = 'lane-canary-key';

export interface LanePlan {
  readonly name: string;
  readonly origin: string;
  readonly jurisdiction?: Jurisdiction;
  /** The model that it serves; one of its own unless lanes shall be peers. */
  readonly model?: string;
}

export interface Lanes {
  readonly registry: Registry;
  readonly upstream: Upstream;
  /** The deployments of the named lanes, in the order of the names. */
  chain(...names: readonly string[]): Deployment[];
}

/** A registry with one provider a lane, and the way out to them. */
export function makeLanes(plans: readonly LanePlan[], more: Partial<typeof SHORT> = {}): Lanes {
  const { firstByteMs, firstByteTotalMs, gapMs, totalMs, connectMs } = { ...SHORT, ...more };
  const registry = buildRegistry(
    plans.map(provider),
    {
      GW_SANDBOX: false,
      GW_PROVIDERS_FILE: undefined,
      GW_FIRST_BYTE_TIMEOUT_MS: firstByteMs,
      GW_CHUNK_GAP_TIMEOUT_MS: gapMs,
    },
    { LANE_KEY: KEY },
  );
  const upstream = createUpstream({
    registry,
    config: {
      GW_CONNECT_TIMEOUT_MS: connectMs,
      GW_FIRST_BYTE_TIMEOUT_MS: firstByteMs,
      GW_FIRST_BYTE_TOTAL_TIMEOUT_MS: firstByteTotalMs,
      GW_REQUEST_TIMEOUT_MS: totalMs,
    },
    random: () => 0.5,
  });
  const deployments = [...registry.deploymentsByKey.values()];
  const chain = (...names: readonly string[]) =>
    names.flatMap((name) => deployments.filter(({ providerId }) => providerId === name));
  return { registry, upstream, chain };
}

function provider({ name, origin, jurisdiction = 'rf', model }: LanePlan): CatalogueProvider {
  return {
    id: name,
    name: `Provider ${name}`,
    operator: `Operator ${name}`,
    protocol: 'chat_completions',
    jurisdiction,
    homepage: '',
    baseUrl: `${origin}/${name}/v1`,
    apiKeyEnv: 'LANE_KEY',
    models: [
      {
        id: model ?? `${name}/model`,
        name,
        upstreamName: `${name}-upstream`,
        operation: 'chat',
        capabilities: ['text', 'streaming'],
        contextWindow: 4_096,
        maxOutputTokens: 1_024,
        quality: 'good',
        russianQuality: 'good',
        latency: 'fast',
        prices: [listPrice('2026-01-01', { input: 1_000_000n, output: 2_000_000n }, 'operator')],
      },
    ],
  };
}

/** A chat call whose body names the model of each deployment. */
export function chatCall(stream: boolean, more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    operation: 'chat',
    stream,
    signal: new AbortController().signal,
    jurisdictionsAllowed: ['rf', 'outside'],
    bodyFor: (deployment) =>
      Buffer.from(
        JSON.stringify({
          model: deployment.upstreamName,
          messages: [{ role: 'user', content: 'Здравствуйте' }],
          stream,
          ...(stream ? { stream_options: { include_usage: true } } : {}),
        }),
      ),
    ...more,
  };
}

/** Calls and expects a whole answer. */
export async function whole(
  lanes: Lanes,
  names: readonly string[],
  more: Partial<UpstreamCall> = {},
): Promise<WholeAnswer> {
  const answer = await lanes.upstream.call(lanes.chain(...names), chatCall(false, more));
  if (answer.kind !== 'whole') throw new Error('a stream came');
  return answer;
}

/** Calls and expects a stream that has begun. */
export async function begun(
  lanes: Lanes,
  names: readonly string[],
  more: Partial<UpstreamCall> = {},
): Promise<StreamAnswer> {
  const answer = await lanes.upstream.call(lanes.chain(...names), chatCall(true, more));
  if (answer.kind !== 'stream') throw new Error('a whole answer came');
  return answer;
}

/** What a sink got from a stream. */
export interface Drained {
  readonly text: string;
  readonly events: number;
  readonly usage: unknown[];
  readonly end: StreamEnd;
}

/** Reads a stream to its end. `onEach` runs after each delivery and may say false to pause. */
export function drain(answer: StreamAnswer, onEach: () => boolean = () => true): Promise<Drained> {
  return new Promise((resolve) => {
    let text = '';
    let events = 0;
    const usage: unknown[] = [];
    answer.stream.start({
      onEvents: (bytes, count) => {
        events += count;
        text += textOf(bytes);
        return onEach();
      },
      onUsage: (chunk) => {
        usage.push(chunk.usage);
        return onEach();
      },
      onEnd: (end) => resolve({ text, events, usage, end }),
    });
  });
}

function textOf(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)))
    .map((chunk) => chunk.choices[0]?.delta?.content ?? '')
    .join('');
}

/** Waits until a condition holds. @throws Error when it never does */
export async function until(condition: () => boolean, limitMs = 20_000): Promise<void> {
  const startedMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedMs > limitMs) throw new Error('the condition never held');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
