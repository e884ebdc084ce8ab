import { describe, expect, it } from 'vitest';
import {
  isHarmlessName,
  isHarmlessNumber,
  isKnownModel,
  isKnownPhrase,
  shownUrl,
} from '../../../src/delivery/migration-import/harmless.js';
import { isSecretName } from '../../../src/delivery/migration-import/secret-shapes.js';
import { shownText } from '../../../src/delivery/migration-import/shown-text.js';
import { imported } from './imported.js';

describe('what is proved harmless', () => {
  it.each([
    ...['gpt-4o', 'gpt-4o-mini-2024-07-18', 'claude-3-5-sonnet-20241022', 'o3-mini', 'whisper-1'],
    ...['meta-llama/llama-3.1-70b-instruct', 'Qwen/Qwen2.5-72B-Instruct-AWQ', 'deepseek-chat'],
    ...['text-embedding-3-large', 'GigaChat-2-Pro', 'mixtral-8x7b-instruct', 'dall-e-3'],
    ...['azure/gpt-4.1-mini', 'qwen3-235b-a22b', 'bge-m3', 'anthropic/claude-sonnet-4.5'],
  ])('the name of the model %s is shown', (name) => {
    expect([isKnownModel(name), shownText(name)]).toEqual([true, name]);
  });

  it.each([
    'gpt-4o-zxcvbnmq',
    'openai/hunter2trombone',
    'gpt-4-12345678901234',
    'llama-QWERTY',
    '3-5-20241022',
  ])('%s is no known model', (name) => {
    expect([isKnownModel(name), shownText(name)]).toEqual([false, '[redacted]']);
  });

  it.each([
    ...['user', 'image_url', 'json_object', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 'POST'],
    ...['@openrouter/ai-sdk-provider', 'application/json', 'simple-shuffle', 'httpRequest'],
  ])('the words of %s are', (text) => {
    expect([isKnownPhrase(text), shownText(text)]).toEqual([true, text]);
  });

  it.each(['12-34-56-78', 'correct horse', 'a-b-c-d', '--------', 'Hello', 'Привет'])(
    '%s is not',
    (text) => {
      expect([isKnownPhrase(text), shownText(text)]).toEqual([false, '[redacted]']);
    },
  );

  it.each([
    ['OPENAI_API_KEY', true],
    ['ACME_LLM_TOKEN', true],
    ['openAiApi', true],
    ['ACMECORPORATION_TOKEN', false],
    ['QK7XZ', false],
    ['K_A1_B2', false],
    ['QUJDREVGR0hJSktM', false],
  ])('the name %s may be shown: %s', (name, isShown) => {
    expect(isHarmlessName(name)).toBe(isShown);
  });

  it.each([
    ['temperature', '0.7', true],
    ['maxTokens', '2_048', true],
    ['LLM_TIMEOUT', '30', true],
    ['temperature', '3', false],
    ['max_tokens', '100000', false],
    ['account', '482913', false],
    ['', '42', false],
    ['top_p', '0.123456', false],
  ])('of %s, %s may be shown: %s', (name, number, isShown) => {
    expect(isHarmlessNumber(number, name)).toBe(isShown);
  });
});

describe('of addresses, only what is known is shown', () => {
  it.each([
    ['https://openrouter.ai/api/v1', 'https://openrouter.ai/api/v1'],
    ['https://contoso.openai.azure.com/openai', 'https://[redacted].openai.azure.com/openai'],
    ['https://me:pass@api.openai.com/v1', 'https://[redacted]@api.openai.com/v1'],
    ['https://llm.contoso.example:8443/v1', 'https://[redacted]:8443/v1'],
    ['http://10.0.0.5:8000/v1', 'http://10.0.0.5:8000/v1'],
    [
      'https://api.openai.com/v1?api-version=2024-06-01&key=abc&b=c#t=x',
      'https://api.openai.com/v1?api-version=2024-06-01&key=[redacted]' +
        '&[redacted]=[redacted]#[redacted]',
    ],
    ['postgres://app:p@ss@db:5432/crm', 'postgres://[redacted]@[redacted]:5432/[redacted]'],
    ['gpt://b1gfolder/yandexgpt/latest', 'gpt://[redacted]/yandexgpt/latest'],
  ])('%s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });
});

describe('of references, the variable is shown and the default is judged', () => {
  it.each([
    ['$OPENAI_API_KEY', '$OPENAI_API_KEY'],
    [`\${OPENAI_API_KEY:-hunter2}`, `\${OPENAI_API_KEY:-[redacted]}`],
    [`\${LLM_MODEL:-gpt-4o}`, `\${LLM_MODEL:-gpt-4o}`],
    ['os.environ/AZURE_API_KEY', 'os.environ/AZURE_API_KEY'],
    ['Bearer $OPENAI_API_KEY', 'Bearer $OPENAI_API_KEY'],
    ['Authorization: Bearer hunter2', 'Authorization: Bearer [redacted]'],
    ['OPENAI_API_KEY=production', 'OPENAI_API_KEY=[redacted]'],
    ['NODE_ENV=production', 'NODE_ENV=production'],
  ])('%s', (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it.each(['production', 'gpt-4o', 'user:pass', '42', 'https://api.openai.com/v1'])(
    '%s is not shown under the name of a secret',
    (text) => {
      expect(shownText(text, { name: 'password', isSecret: true })).toBe('[redacted]');
    },
  );

  it.each([
    ['apiKey', true],
    ['OPENAI_API_KEY', true],
    ['x-api-key', true],
    ['clientSecret', true],
    ['accesstoken', true],
    ['max_tokens', false],
    ['model', false],
    ['keyboard', false],
    ['author', false],
  ])('the name %s tells a secret: %s', (name, expected) => {
    expect(isSecretName(name)).toBe(expected);
  });
});

describe('whole texts', () => {
  it('of code keep lines, names and marks, and lose every other literal', async () => {
    const code =
      'from openai import OpenAI  # made by Ann\nclient = OpenAI(api_key="sk-1", timeout=30)\n' +
      'greeting = "Dear customer,\\n" + SIGNED\nask(client, greeting, temperature=0.5, seed=77)\n';
    expect((await imported(code)).migrated).toBe(
      'import os\nfrom openai import OpenAI  # [redacted]\n' +
        'client = OpenAI(base_url="https://gw.example/v1", api_key=os.environ["GW_API_KEY"], ' +
        'timeout=30)\ngreeting = "[redacted]" + [redacted]\n' +
        '[redacted](client, greeting, temperature=0.5, seed=[redacted])\n',
    );
  });

  it('of JSON stay JSON', async () => {
    const flow = {
      nodes: [{ url: 'https://api.openai.com/v1', id: 482_913, name: 'Ann', body: '{"a":"b"}' }],
      connections: { Ann: 17 },
    };
    const { migrated } = await imported(JSON.stringify(flow));
    expect(JSON.parse(migrated ?? '')).toEqual({
      nodes: [
        {
          url: 'https://gw.example/v1',
          id: '[redacted]',
          name: '[redacted]',
          body: '{"[redacted]":"[redacted]"}',
        },
      ],
      connections: { '[redacted]': '[redacted]' },
    });
  });

  it('hide a private key of several lines', async () => {
    const body = Array.from({ length: 4 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj');
    const key = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----'];
    for (const kind of ['env', 'python', 'litellm', 'n8n', 'docker_compose'] as const) {
      const { findings, migrated, parseFaults } = await imported(
        `A="${key.join('\n')}"\nOPENAI_BASE_URL=https://api.openai.com/v1\n`,
        kind,
      );
      expect(JSON.stringify([findings, migrated, parseFaults])).not.toContain('MIIEvQ');
    }
  });

  it('hide what escapes write', async () => {
    const content = '{"nodes": [{"api_key": "\\u0054r0ub4dor", "model": "Tr0ub4d\\u006fr"}]}';
    const answer = JSON.stringify(await imported(content, 'n8n'));
    expect(answer).not.toMatch(/r0ub4d/);
  });
});
