// What is measured. README.md tells what a target may have.
const PROVIDERS = `
providers:
  - id: bench
    name: Bench
    operator: Bench
    base_url: {UPSTREAM}/v1
    jurisdiction: rf
    models:
      - id: gpt-4o-mini
        upstream_name: gpt-4o-mini
        capabilities: [text, tools, json, streaming]
        context_window: 128000
        max_output_tokens: 16384
        prices:
          - effective_from: 2026-01-01
            input: 15
            input_cached: 7.5
            cache_write: 15
            output: 60
            output_reasoning: 60
`;

/** A hundred models of rising prices and three tiers, all served by the upstream. */
const HUNDRED = JSON.stringify({
  providers: [
    {
      id: 'bench',
      name: 'Bench',
      operator: 'Bench',
      base_url: '{UPSTREAM}/v1',
      jurisdiction: 'rf',
      models: Array.from({ length: 100 }, (_, index) => ({
        id: `bench/${index}`,
        upstream_name: 'gpt-4o-mini',
        capabilities: ['text', 'tools', 'json', 'streaming'],
        context_window: 128_000,
        max_output_tokens: 16_384,
        quality: ['basic', 'good', 'high'][index % 3],
        prices: [{ effective_from: '2026-01-01', input: 15 + index, output: 60 + index }],
      })),
    },
  ],
});

const GATEWAY = {
  start: ['{NODE}', '{BENCH}/../tools/serve.mjs'],
  env: {
    GW_DATA_DIR: '{WORK}/data',
    GW_PROVIDERS_FILE: '{WORK}/providers.yaml',
    GW_SECRET: 'the secret of a benchmark, nothing else',
    GW_ALLOW_MANUAL_TOP_UP: 'on',
    LOG_LEVEL: 'info',
  },
  ready: '{BASE}/readyz',
  setup: ['{NODE}', '{BENCH}/register.mjs'],
  headers: { Authorization: 'Bearer {KEY}' },
  serviceOf: '{WORK}/data/postgres/cluster/postmaster.pid',
};

export default [
  {
    name: 'node-undici',
    about: 'bare node:http + undici pass-through, one process',
    install: ['undici@7'],
    start: ['{NODE}', '{BENCH}/ref/node-undici.mjs'],
  },
  {
    name: 'portkey',
    about: 'Portkey gateway 1.15.2, headless; no keys, no log, no database',
    install: ['@portkey-ai/gateway@1.15.2'],
    // With a newer @hono/node-server every streamed answer is a 500; 1.14.1 is the last that works.
    packageJson: { overrides: { '@hono/node-server': '1.14.1' } },
    start: [
      '{NODE}',
      '--import',
      '{BENCH}/ref/loopback.mjs',
      '{PEER}/node_modules/@portkey-ai/gateway/build/start-server.js',
      '--headless',
      '--port={PORT}',
    ],
    headers: {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': '{UPSTREAM}/v1',
      Authorization: 'Bearer sk-bench',
    },
  },
  {
    name: 'gateway',
    about:
      'this gateway: key, policy, firewall, hold, settle, usage, receipts; embedded PostgreSQL',
    files: [{ to: '{WORK}/providers.yaml', text: PROVIDERS }],
    ...GATEWAY,
  },
  {
    name: 'gateway-named',
    about: 'the same with a hundred models, of which the client names one',
    files: [{ to: '{WORK}/providers.yaml', text: HUNDRED }],
    ...GATEWAY,
    model: 'bench/0',
    isExtra: true,
  },
  {
    name: 'gateway-auto',
    about: 'the same hundred models, of which the gateway chooses one',
    files: [{ to: '{WORK}/providers.yaml', text: HUNDRED }],
    ...GATEWAY,
    model: 'gw:auto',
    isExtra: true,
  },
  {
    name: 'gateway-hit',
    about: 'every request but the first is answered from the response cache',
    files: [{ to: '{WORK}/providers.yaml', text: PROVIDERS }],
    ...GATEWAY,
    setup: ['{NODE}', '{BENCH}/register.mjs', 'with-cache'],
    isExtra: true,
  },
];
