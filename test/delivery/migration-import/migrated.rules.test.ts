import { describe, expect, it } from 'vitest';
import { imported } from './imported.js';

const CHANGED: readonly (readonly [string, string, string])[] = [
  [
    'an env file',
    'OPENAI_BASE_URL="https://openrouter.ai/api/v1"\nOPENAI_API_KEY=sk-1\nDB_PASSWORD=hunter22\n',
    'OPENAI_BASE_URL="https://gw.example/v1"\nOPENAI_API_KEY=YOUR_GATEWAY_KEY\n' +
      'DB_PASSWORD=[redacted]\n',
  ],
  [
    'an env file without an address',
    'OPENAI_API_KEY=sk-1\nOPENAI_MODEL=gpt-4o',
    'OPENAI_API_KEY=YOUR_GATEWAY_KEY\nOPENAI_MODEL=gw:auto\n' +
      'OPENAI_BASE_URL=https://gw.example/v1\n',
  ],
  [
    'Python with a literal key',
    'from openai import OpenAI\nc = OpenAI(api_key="sk-1")\n',
    'import os\nfrom openai import OpenAI\nc = OpenAI(base_url="https://gw.example/v1", ' +
      'api_key=os.environ["GW_API_KEY"])\n',
  ],
  [
    'Python without arguments',
    'from openai import OpenAI\nc = OpenAI()\n',
    'from openai import OpenAI\nc = OpenAI(base_url="https://gw.example/v1")\n',
  ],
  [
    'JavaScript with a variable',
    "import OpenAI from 'openai';\nconst c = new OpenAI({ apiKey: process.env.OPENAI_API_KEY });\n",
    "import OpenAI from 'openai';\nconst c = new OpenAI({ baseURL: 'https://gw.example/v1', " +
      'apiKey: process.env.GW_API_KEY });\n',
  ],
  [
    'a curl command',
    'curl https://api.openai.com/v1/chat/completions -H "Authorization: Bearer sk-12345"\n',
    'curl https://gw.example/v1/chat/completions -H "Authorization: Bearer YOUR_GATEWAY_KEY"\n',
  ],
  [
    'a LiteLLM configuration',
    'model_list:\n  - litellm_params:\n      model: openai/gpt-4o\n' +
      '      api_base: https://api.openai.com/v1\n      api_key: os.environ/OPENAI_API_KEY\n',
    'model_list:\n  - litellm_params:\n      model: openai/gw:auto\n' +
      '      api_base: https://gw.example/v1\n      api_key: os.environ/GW_API_KEY\n',
  ],
];

describe('the changed text', () => {
  it.each(CHANGED)('of %s has address, key and models replaced', async (_name, given, wanted) => {
    expect((await imported(given)).migrated).toBe(wanted);
  });

  it.each([
    [
      'a format of its own',
      'import anthropic\nc = anthropic.Anthropic(base_url="https://api.anthropic.com")\n',
    ],
    ['an Azure client', 'AZURE_OPENAI_ENDPOINT=https://x.openai.azure.com\n'],
    ['no address and no client', 'import openai\nopenai.api_key = "sk-1"\n'],
  ])('is absent for %s', async (_name, content) => {
    expect((await imported(content)).migrated).toBeNull();
  });
});

describe('what is said about models', () => {
  it('suggests the same model, vectors for vectors, else a choice for what is used', async () => {
    const env = 'A_MODEL=other/chat\nEMBED_MODEL=text-embedding-3-small\nB_MODEL=gpt-4o\n';
    const { suggestedGatewayModels } = await imported(`${env}C_MODEL=whisper-1\n`, 'env');
    expect(suggestedGatewayModels.map(({ model, gatewayModel }) => [model, gatewayModel])).toEqual([
      ['[redacted]', 'house/chat'],
      ['text-embedding-3-small', 'house/vectors'],
      ['gpt-4o', 'gw:auto'],
      ['whisper-1', null],
    ]);
  });

  it('says what is not served', async () => {
    const code =
      'from openai import OpenAI\nc = OpenAI()\nc.fine_tuning.jobs.create(model="gpt-4o")\n';
    expect((await imported(code)).warnings).toEqual([
      'No base address is stated; the default of the client is https://api.openai.com/v1.',
      'Fine-tuning is not served; keep your provider for it.',
    ]);
  });

  it('says that nothing names a provider', async () => {
    const report = await imported('COLOUR=blue\n');
    expect(report).toEqual({
      kind: 'env',
      detectedProvider: null,
      otherProviders: [],
      detectedBaseUrl: null,
      detectedModel: null,
      detectedModels: [],
      suggestedCapabilities: [],
      suggestedGatewayModels: [],
      proposedAliases: [],
      apiKeyPresent: false,
      apiKeyNames: [],
      findings: [],
      warnings: ['Nothing names a provider; state source_provider yourself.'],
      parseFaults: [],
      migrated: null,
    });
  });
});
