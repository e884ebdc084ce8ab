import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeUrl, withoutSecretShapes } from '../../../src/delivery/migration-import/redact.js';
import { isOpaque, isSecretName } from '../../../src/delivery/migration-import/secret-shapes.js';
import type { KnownKind } from '../../../src/delivery/migration-import/vocabulary.js';
import { imported } from './imported.js';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const DIGITS = [...'0123456789'];

/** Letters and digits in turn, as tokens look; never a word. */
const token = (pairs: number) =>
  fc
    .array(fc.tuple(fc.constantFrom(...LETTERS), fc.constantFrom(...DIGITS)), {
      minLength: pairs,
      maxLength: pairs + 8,
    })
    .map((parts) => parts.map(([letter, digit]) => letter + digit).join(''));

/** A secret that can be told by its shape wherever it stands. */
const shaped = fc
  .oneof(
    token(12),
    fc.tuple(
      fc.constantFrom('sk-', 'sk-or-v1-', 'AKIA', 'AIza', 'gw_sk_', 'hf_', 'ghp_'),
      token(8),
    ),
    fc.stringMatching(/^[0-9a-f]{32}$/).filter((hex) => /\d/.test(hex)),
    fc.uuid(),
  )
  .map((parts) => (Array.isArray(parts) ? parts[0] + parts[1].toUpperCase() : parts));

/** A secret that only its name tells: a password of words. */
const named = fc.oneof(
  shaped,
  token(3),
  fc.constantFrom('Zx-tulip-Fjord', 'Tr0ub4dor', 'Qwertz Uiopü', 'мой-пароль-Ёж'),
);

interface Place {
  readonly kind: KnownKind;
  readonly around: (secret: string) => string;
}

const QUOTES = [...'"\''];
const NAMES = [
  ...['api_key', 'OPENAI_API_KEY', 'apiKey', 'client_secret', 'accessToken', 'DB_PASSWORD'],
  ...['authorization', 'x-api-key', 'passwd', 'пароль'],
];

const CODE_NAMES = NAMES.filter((name) => /^\w+$/.test(name));

/** Places where a name tells that a secret stands there. */
const namedPlace: fc.Arbitrary<Place> = fc
  .tuple(fc.constantFrom(...CODE_NAMES), fc.constantFrom(...QUOTES), fc.nat(9))
  .map(([name, quote, form]): Place => {
    const text = (secret: string) => quote + secret + quote;
    const forms: readonly Place[] = [
      { kind: 'env', around: (s) => `A=1\n${name}=${text(s)}\nB=2\n` },
      { kind: 'env', around: (s) => `${name}=${s}\n` },
      { kind: 'env', around: (s) => `A=1\n# ${name}=${s}\n` },
      { kind: 'python', around: (s) => `import os\nclient = OpenAI(${name}=${text(s)}, a=1)\n` },
      { kind: 'python', around: (s) => `import os\n${name}: str = ${text(s)}\n` },
      { kind: 'python', around: (s) => `x = os.getenv("A", 1)\n${name} = f(${text(s)}, 2)\n` },
      { kind: 'node', around: (s) => `const c = new OpenAI({ a: 1, ${name}: ${text(s)} });\n` },
      {
        kind: 'litellm',
        around: (s) => `model_list:\n  - litellm_params:\n      ${name}: ${text(s)}`,
      },
      {
        kind: 'n8n',
        around: (s) => JSON.stringify({ nodes: [{ [name]: { value: s } }] }, null, 1),
      },
      { kind: 'n8n', around: (s) => JSON.stringify({ nodes: [{ [name]: [s, { deep: s }] }] }) },
    ];
    return forms[form] ?? { kind: 'env', around: (s) => `${name}=${s}\n` };
  });

/** Places where nothing but its shape tells a secret. */
const anyPlace: fc.Arbitrary<Place> = fc.constantFrom<Place>(
  { kind: 'env', around: (s) => `OPENAI_MODEL=${s}\n` },
  { kind: 'env', around: (s) => `this is no line ${s}\nOPENAI_API_KEY=x\n` },
  { kind: 'env', around: (s) => `OPENAI_BASE_URL=https://user:${s}@api.openai.com/v1?key=${s}\n` },
  { kind: 'env', around: (s) => `${s}=true\n` },
  { kind: 'python', around: (s) => `from openai import OpenAI\nmodel = "${s}"  # ${s}\n` },
  { kind: 'python', around: (s) => `client.chat.completions.create(model="${s}", stream=True)\n` },
  { kind: 'python', around: (s) => `x = {"${s}": 1, "model": "gpt-4o"} # ${s}\ny = ((${s}` },
  {
    kind: 'node',
    around: (s) => `new OpenAI({ baseURL: 'https://x/${s}/v1', model: '${s}' }) /*${s}*/`,
  },
  {
    kind: 'node',
    around: (s) => `// ${s}\nimport X from '${s}';\nclient.chat.completions.create({`,
  },
  { kind: 'litellm', around: (s) => `model_list:\n- ${s}\n- a: [b: ${s}\n  model: ${s}` },
  { kind: 'n8n', around: (s) => `{"nodes": [{"type": "${s}", "url": "https://a/v1/${s}"}], ${s}` },
  {
    kind: 'curl',
    around: (s) => `curl https://api.openai.com/v1/models -H 'Authorization: Bearer ${s}'`,
  },
  { kind: 'curl', around: (s) => `curl -u me:${s} https://a.b/v1 -d '{"model": "${s}"` },
);

async function answerTo({ kind, around }: Place, secret: string): Promise<string> {
  const report = await imported(around(secret), kind);
  return JSON.stringify(report) + JSON.stringify(report.findings.map(({ text }) => text));
}

/** The forms in which a text could still be read from an answer. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const encoded = encodeURIComponent(secret);
  return [secret, escaped, encoded, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
}

describe('no secret value leaves the parser', () => {
  it('that a name tells, in whatever quotes and file', async () => {
    await fc.assert(
      fc.asyncProperty(namedPlace, named, async (place, secret) => {
        const answer = await answerTo(place, secret);
        expect(formsOf(secret).filter((form) => answer.includes(form))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('that its shape tells, wherever it stands', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlace, shaped, async (place, secret) => {
        const answer = await answerTo(place, secret);
        expect(formsOf(secret).filter((form) => answer.includes(form))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('in a private key of several lines', async () => {
    const body = Array.from({ length: 4 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj');
    const key = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----'];
    for (const kind of ['env', 'python', 'litellm', 'n8n'] as const) {
      const { findings, migrated, parseFaults } = await imported(
        `A="${key.join('\n')}"\nOPENAI_BASE_URL=https://api.openai.com/v1\n`,
        kind,
      );
      expect(JSON.stringify([findings, migrated, parseFaults])).not.toContain('MIIEvQ');
    }
  });

  it('with escapes that only parsing undoes', async () => {
    const content = '{"nodes": [{"api_key": "\\u0054r0ub4dor", "model": "Tr0ub4dor"}]}';
    const answer = JSON.stringify(await imported(content, 'n8n'));
    expect(answer).not.toContain('r0ub4dor');
  });
});

describe('what is no secret is shown', () => {
  it.each([
    ...['claude-3-5-sonnet-20241022', 'text-embedding-3-large', 'gpt-4o-mini-2024-07-18'],
    ...['meta-llama/llama-3.1-70b-instruct', 'AzureOpenAIEmbeddings', 'chat/completions/messages'],
    ...[
      'create_openai_functions_agent',
      'RunnableWithMessageHistory',
      'b1gfolderexample/yandexgpt',
    ],
  ])('%s', (text) => {
    expect(isOpaque(text)).toBe(false);
    expect(withoutSecretShapes(`model = "${text}"`)).toBe(`model = "${text}"`);
  });

  it.each([
    'api_key=os.environ["OPENAI_API_KEY"]',
    'apiKey: process.env.OPENAI_API_KEY,',
    'api_key: os.environ/AZURE_API_KEY',
    '-H "Authorization: Bearer $OPENAI_API_KEY"',
    'max_tokens: 100, total_tokens = 5',
    'api_key=None',
  ])('%s', (line) => {
    expect(withoutSecretShapes(line)).toBe(line);
  });
});

describe('the parts of redaction', () => {
  it.each([
    ['https://user:pass@host.example/v1', 'https://[redacted]@host.example/v1'],
    [
      'https://host.example/v1?key=abc&b=c#t=x',
      'https://host.example/v1?key=[redacted]&b=[redacted]#t=[redacted]',
    ],
    ['postgres://app:p@ss@db:5432/app', 'postgres://[redacted]@db:5432/app'],
    ['https://host.example/v1', 'https://host.example/v1'],
  ])('%s', (url, shown) => {
    expect(safeUrl(url)).toBe(shown);
  });

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

  it('redacting twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = withoutSecretShapes(text);
        expect(withoutSecretShapes(once)).toBe(once);
      }),
    );
  });
});
