import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { imported } from './imported.js';

const FOLDER = join(projectRoot(), 'test/delivery/migration-import/corpus');

/** File, kind, provider, base address, models, capabilities, names of keys. */
type Expected = readonly [string, string, string, string | null, string, string, string];

const CORPUS: readonly Expected[] = [
  ['openai.env', 'env', 'openai', null, 'gpt-4o-mini', 'chat', 'OPENAI_API_KEY'],
  [
    'openrouter.env',
    'env',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'anthropic/claude-3.5-sonnet openai/text-embedding-3-small',
    'chat streaming embeddings',
    'OPENAI_API_KEY',
  ],
  [
    'yandex.env',
    'env',
    'yandex',
    'https://llm.api.cloud.yandex.net/v1',
    'gpt://[redacted]/yandexgpt/latest',
    'chat',
    'YANDEX_API_KEY',
  ],
  ['gigachat.env', 'env', 'gigachat', null, 'GigaChat-2-Pro', 'chat', 'GIGACHAT_CREDENTIALS'],
  [
    'azure.env',
    'env',
    'azure_openai',
    'https://[redacted].openai.azure.com',
    'gpt-4o',
    'chat',
    'AZURE_OPENAI_API_KEY',
  ],
  ['own-server.env', 'env', 'other', 'http://10.0.0.5:8000/v1', 'qwen2.5-72b-instruct', 'chat', ''],
  ['openai_chat.py', 'python', 'openai', null, 'gpt-4o', 'chat streaming', 'OPENAI_API_KEY'],
  [
    'openai_full.py',
    'python',
    'openai',
    'https://api.openai.com/v1',
    'gpt-4o-2024-08-06 gpt-4o-mini text-embedding-3-large whisper-1 dall-e-3',
    'chat json json_schema tool_calls embeddings vision audio batch',
    'api_key',
  ],
  [
    'openrouter_client.py',
    'python',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'meta-llama/llama-3.1-70b-instruct',
    'chat',
    'OPENROUTER_API_KEY',
  ],
  [
    'anthropic_client.py',
    'python',
    'anthropic',
    null,
    'claude-3-5-sonnet-20241022',
    'chat tool_calls',
    '',
  ],
  [
    'langchain_rag.py',
    'langchain',
    'openai',
    null,
    'gpt-4o-mini text-embedding-3-small',
    'chat streaming json_schema tool_calls embeddings',
    '',
  ],
  [
    'langchain_azure.py',
    'langchain',
    'azure_openai',
    'https://[redacted].openai.azure.com',
    'gpt-4o',
    'chat',
    'api_key',
  ],
  [
    'langchain_app.ts.txt',
    'langchain',
    'other',
    'https://api.deepseek.com/v1',
    'deepseek-chat',
    'chat streaming tool_calls',
    'DEEPSEEK_API_KEY',
  ],
  [
    'gigachat_client.py',
    'langchain',
    'gigachat',
    null,
    'GigaChat-Max',
    'chat streaming',
    'credentials',
  ],
  [
    'openai_client.ts.txt',
    'node',
    'openai',
    null,
    'gpt-4.1-mini',
    'chat json_schema tool_calls',
    'OPENAI_API_KEY',
  ],
  [
    'vercel_ai.ts.txt',
    'node',
    'openrouter',
    null,
    'openai/gpt-4o',
    'chat streaming json_schema embeddings',
    'OPENROUTER_API_KEY',
  ],
  ['responses.js.txt', 'node', 'openai', null, 'gpt-4.1', 'chat streaming', ''],
  [
    'litellm.yaml',
    'litellm',
    'openai',
    null,
    'openai/gpt-4o openai/text-embedding-3-small',
    'chat streaming embeddings',
    'OPENAI_API_KEY api_key',
  ],
  [
    'litellm_azure.yaml',
    'litellm',
    'azure_openai',
    'https://[redacted].openai.azure.com',
    'azure/gpt-4o',
    'chat long_context',
    'AZURE_API_KEY',
  ],
  [
    'n8n_agent.json',
    'n8n',
    'openai',
    null,
    'gpt-4o-mini text-embedding-3-small',
    'chat json_schema tool_calls embeddings',
    'openAiApi',
  ],
  [
    'n8n_http.json',
    'n8n',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'openai/gpt-4o',
    'chat streaming',
    'Authorization',
  ],
  [
    'compose.yaml',
    'docker_compose',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'openai/gpt-4o-mini openai/text-embedding-3-small openai/gpt-4o',
    'chat streaming embeddings',
    'OPENAI_API_KEY OPENROUTER_API_KEY token',
  ],
  ['make_scenario.json', 'make', 'openai', null, 'gpt-4o', 'chat json', '__IMTCONN__'],
  [
    'flowise_flow.json',
    'flowise',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'gpt-4o-mini',
    'chat streaming tool_calls vision',
    'credential',
  ],
  [
    'langflow_flow.json',
    'langflow',
    'other',
    'https://api.proxyapi.ru/openai/v1',
    'gpt-4o',
    'chat streaming json',
    'api_key',
  ],
  [
    'ask.sh',
    'curl',
    'openai',
    'https://api.openai.com/v1',
    'gpt-4o',
    'chat streaming',
    'OPENAI_API_KEY',
  ],
  [
    'embed.sh',
    'curl',
    'openrouter',
    'https://openrouter.ai/api/v1',
    'openai/text-embedding-3-small',
    'embeddings',
    'Authorization',
  ],
];

function contentOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

describe('import-config really parses what customers have', () => {
  it.each(CORPUS)('%s', async (name, kind, provider, baseUrl, models, capabilities, keys) => {
    const report = await imported(contentOf(name));
    expect({
      kind: report.kind,
      provider: report.detectedProvider,
      baseUrl: report.detectedBaseUrl,
      models: report.detectedModels.join(' '),
      capabilities: report.suggestedCapabilities.join(' '),
      keys: report.apiKeyNames.join(' '),
      keyPresent: report.apiKeyPresent,
      faults: report.parseFaults,
    }).toEqual({
      kind,
      provider,
      baseUrl,
      models,
      capabilities,
      keys,
      keyPresent: keys !== '',
      faults: [],
    });
  });

  it('has an expectation for every file of the corpus', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(CORPUS.map(([name]) => name).sort());
  });

  it.each(CORPUS)('every finding of %s has the line that shows it', async (name) => {
    const lines = contentOf(name).split('\n');
    const { findings, suggestedCapabilities } = await imported(contentOf(name));
    for (const { line, text } of findings) {
      const visible = text.split(/["'`]?\[redacted\]["'`]?/).map((part) => part.trim());
      for (const part of visible) expect(lines[line - 1]).toContain(part);
    }
    const shown = findings.filter(({ type }) => type === 'capability').map(({ value }) => value);
    expect(new Set(shown)).toEqual(new Set(suggestedCapabilities));
  });
});

/** Everything in the corpus that is a secret; each must be in some file, or it proves nothing. */
const SECRETS = [
  ...['Xq7Lm2Vb9Kt4Rw8Zp1Ns6Hd3', 'n0tAsecret', '1f0c9a7be2d84c55a1e0b3f2d6c7a899'],
  ...['AQVNw5Kc9dX2mT7rB4yQ1pL8zJ6hF3sG0aVe', 'MTIzNDU2NzgtYWJjZC1lZmdoLWlqa2wtbW5vc'],
  ...['9f8e7d6c5b4a39281706f5e4d3c2b1a0', 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'],
  ...['0123456789abcdef0123456789abcdef', 'NDU2Nzg5MDEtYmNkZS1mMTIzLTQ1Njct'],
  ...['Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1', '1234-master', 'aB3dE6gH9jK2mN5p', 'Company account'],
  ...['77aa66bb55cc44dd33ee22ff11', '6f1c2b3a-9d8e-4f70-a1b2-c3d4e5f60718'],
  ...['Kq2Wm5Rt8Yp1Zs4Dv7Fg0Hj3Lx6', 'Tt1Rr2Ee3Ww4Qq5Aa6Ss7Dd8', 'Zx9Cv8Bn7Mm6Kk5Jj4Hh3'],
  ...['5b1d0f9e8c7a6b5d4c3b2a19', 'Qm4Wn7Ex2Rc9Tv5Yb8', 'hunter2trombone', 'p4ssw0rdRedis'],
  ...['Lq8Zx3Vb6Nm1', 'for the assistant', 'contoso', 'b1gfolderexample'],
];

describe('secrets of the corpus', () => {
  it.each(SECRETS)('%s leaves in no answer', async (secret) => {
    const holding = CORPUS.filter(([name]) => contentOf(name).includes(secret));
    expect(holding.length).toBeGreaterThan(0);
    for (const [name] of holding) {
      expect(JSON.stringify(await imported(contentOf(name)))).not.toContain(secret);
    }
  });
});
