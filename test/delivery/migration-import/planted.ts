import type { KnownKind } from '../../../src/delivery/migration-import/vocabulary.js';

/** A text of a kind with a secret planted in it. */
export interface Planting {
  readonly kind: KnownKind;
  readonly plant: (secret: string) => string;
}

type Wrap = (secret: string) => string;

const half = (secret: string) => Math.floor(secret.length / 2);
const start = (secret: string) => secret.slice(0, half(secret));
const end = (secret: string) => secret.slice(half(secret));
const backwards = (secret: string) => [...secret].reverse().join('');
const hex = (secret: string) => Buffer.from(secret).toString('hex');
const base64 = (secret: string) => Buffer.from(secret).toString('base64');
const bytes = (secret: string) => [...Buffer.from(secret)].join(', ');

/** Expressions of Python that give or hold a secret. */
const PYTHON: readonly Wrap[] = [
  (s) => `"${s}"`,
  (s) => `'${s}'`,
  (s) => `"""${s}"""`,
  (s) => `r'${s}'`,
  (s) => `b"${s}"`,
  (s) => `f"${s}"`,
  (s) => `f"Bearer {prefix}${s}"`,
  (s) => `'sk-' + '${s}'`,
  (s) => `"${start(s)}" + "${end(s)}"`,
  (s) => `("${start(s)}"\n    "${end(s)}")`,
  (s) => `"".join(["${start(s)}", '${end(s)}'])`,
  (s) => `'-'.join(('${s}', 'x'))`,
  (s) => `"%s${s}" % prefix`,
  (s) => `"%s-%s" % ("${start(s)}", "${end(s)}")`,
  (s) => `"{}${start(s)}{}".format(prefix, "${end(s)}")`,
  (s) => `bytes.fromhex("${hex(s)}").decode()`,
  (s) => `base64.b64decode("${base64(s)}").decode()`,
  (s) => `bytes([${bytes(s)}]).decode()`,
  (s) => `"${backwards(s)}"[::-1]`,
  (s) => `"xx${s}xx"[2:-2]`,
  (s) => `os.getenv("LLM_KEY", "${s}")`,
  (s) => `os.environ.get('LLM_KEY', '${s}')`,
  (s) => `os.environ.get("LLM_KEY") or "${s}"`,
  (s) => `os.environ.setdefault("OPENAI_API_KEY", "${s}")`,
  (s) => `{"model": "${s}"}["model"]`,
  (s) => `dict(value="${s}")`,
  (s) => `"""first line\n${s}\nlast line"""`,
  (s) => `None  # ${s}`,
  (s) => `"https://user:${s}@api.openai.com/v1"`,
  (s) => `"https://api.openai.com/v1?api-key=${s}"`,
  (s) => `"https://${s}.openai.azure.com/openai"`,
  (s) => `"gpt-4o-${s}"`,
  (s) => `"openai/${s}"`,
  (s) => `"Authorization: Bearer ${s}"`,
  (s) => `"${s}`,
];

/** Places of Python where an expression can stand. */
const PYTHON_PLACES: readonly Wrap[] = [
  (e) => `x = ${e}\n`,
  (e) => `openai.api_key = ${e}\n`,
  (e) => `client = OpenAI(api_key=${e}, timeout=30)\n`,
  (e) => `client.chat.completions.create(model=${e}, messages=[])\n`,
  (e) => `client = OpenAI(base_url=${e})\n`,
  (e) => `ask(1, ${e})\n`,
  (e) => `h = {"Authorization": ${e}, ${e}: 1}\n`,
  (e) => `def ask(question, key=${e}):\n    return ${e}\n`,
  (e) => `@app.route(${e})\nclass A:\n    model: str = ${e}\n`,
  (e) => `items = [1, ${e}, [${e}]]\n`,
  (e) => `import os\nif key == ${e}:\n    raise Stop(${e})\n`,
  (e) => `from openai import OpenAI\nllm = ChatOpenAI(temperature=${e})\nprint(x[${e}])\n`,
];

/** Expressions of JavaScript that give or hold a secret. */
const NODE: readonly Wrap[] = [
  (s) => `"${s}"`,
  (s) => `'${s}'`,
  (s) => `\`${s}\``,
  (s) => `\`Bearer \${prefix}${s}\``,
  (s) => `'sk-' + '${s}'`,
  (s) => `"${start(s)}".concat("${end(s)}")`,
  (s) => `['${start(s)}', '${end(s)}'].join('')`,
  (s) => `Buffer.from('${base64(s)}', 'base64').toString()`,
  (s) => `Buffer.from('${hex(s)}', 'hex')`,
  (s) => `atob('${base64(s)}')`,
  (s) => `new Uint8Array([${bytes(s)}])`,
  (s) => `[...'${backwards(s)}'].reverse().join('')`,
  (s) => `'${s}xx'.slice(0, -2)`,
  (s) => `process.env.LLM_KEY ?? '${s}'`,
  (s) => `process.env.LLM_KEY || "${s}"`,
  (s) => `(process.env['LLM_KEY'] ??= '${s}')`,
  (s) => `{ key: '${s}', '${s}': 1 }`,
  (s) => `/* ${s} */ null`,
  (s) => `null // ${s}\n`,
  (s) => `/${s.replace(/\W/g, 'x')}/g`,
  (s) => `'https://user:${s}@openrouter.ai/api/v1'`,
  (s) => `'https://openrouter.ai/api/v1/${s}#${s}'`,
  (s) => `<Chat token="${s}">${s.replace(/\W/g, 'x')}</Chat>`,
  (s) => `'gpt-4o:${s}'`,
  (s) => `'${s}`,
];

/** Places of JavaScript where an expression can stand. */
const NODE_PLACES: readonly Wrap[] = [
  (e) => `const x = ${e};\n`,
  (e) => `const c = new OpenAI({ apiKey: ${e}, maxRetries: 2 });\n`,
  (e) => `const c = new OpenAI({ baseURL: ${e} });\n`,
  (e) => `await c.chat.completions.create({ model: ${e}, stream: true });\n`,
  (e) => `ask(1, ${e});\n`,
  (e) => `function ask(key = ${e}) {\n  return ${e};\n}\n`,
  (e) => `class A {\n  private key: string = ${e};\n}\n`,
  (e) => `import OpenAI from 'openai';\nconst h = { headers: { 'x-api-key': ${e} } };\n`,
  (e) => `export const list = [1, ${e}, [${e}]];\n`,
  (e) => `if (key === ${e}) throw new Error(${e});\n`,
];

const ENV: readonly Wrap[] = [
  (s) => `OPENAI_API_KEY=${s}\n`,
  (s) => `export OPENAI_API_KEY="${s}"\n`,
  (s) => `A_MODEL='${s}'\nOPENAI_BASE_URL=https://api.openai.com/v1\n`,
  (s) => `SOMETHING=sk-${s}\nOPENAI_API_KEY=\n`,
  (s) => `OPENAI_BASE_URL=https://u:${s}@api.openai.com/v1?k=${s}\n`,
  (s) => `LLM_TIMEOUT=30 # ${s}\n`,
  (s) => `# ${s}\nOPENAI_MODEL=gpt-4o\n`,
  (s) => `# OPENAI_API_KEY=${s}\n`,
  (s) => `OPENAI_API_KEY=abc\\\n${s}\n`,
  (s) => `OPENAI_API_KEY="abc\n${s}\ndef"\nOPENAI_MODEL=gpt-4o\n`,
  (s) => `OPENAI_API_KEY="abc\n${s}==\n`,
  (s) => `LLM_HEADERS={"authorization": "Bearer ${s}"}\n`,
  (s) => `OPENAI_API_KEY = ${s}\nOPENAI_API_KEY: ${s}\n`,
  (s) => `LLM_URL=\${LLM_HOST:-https://${s}/v1}\nX=\${OPENAI_API_KEY:-${s}}\n`,
  (s) => `${s}\nOPENAI_MODEL=gpt-4o\n`,
];

const LITELLM: readonly Wrap[] = [
  (s) => `model_list:\n- litellm_params:\n    model: openai/gpt-4o\n    api_key: ${s}\n`,
  (s) => `model_list:\n- litellm_params: {model: "${s}", api_base: 'https://${s}/v1'}\n`,
  (s) => `a: &shared ${s}\nmodel_list:\n- api_key: *shared\n`,
  (s) => `a: &${s.replace(/\W/g, 'x')} 1\nmodel_list: [*${s.replace(/\W/g, 'x')}]\n`,
  (s) => `model_list:\n- model: gpt-4o # ${s}\n# ${s}\n`,
  (s) => `model_list:\n- prompt: |\n    first\n    ${s}\n  model: gpt-4o\n`,
  (s) => `model_list:\n- prompt: >-\n    ${s}\n    ${s}\n`,
  (s) => `model_list:\n- "${s}": 1\n  'key': "${start(s)}\\\n    ${end(s)}"\n`,
  (s) => `model_list: !${s.replace(/\W/g, 'x')} [1]\n? ${s}\n: ${s}\n`,
  (s) => `model_list: [a, "${s}\n- b: '${s}\n`,
  (s) => `model_list:\n- max_tokens: ${s}\n  rpm: 0x${hex(s)}\n`,
];

const COMPOSE: readonly Wrap[] = [
  (s) => `services:\n  a:\n    image: x/${s.replace(/\W/g, 'x')}:1\n    env_file: ./${s}.env\n`,
  (s) => `services:\n  a:\n    environment:\n      OPENAI_API_KEY: ${s}\n`,
  (s) => `services:\n  a:\n    environment:\n      - OPENAI_API_KEY=${s}\n      - "A=${s}"\n`,
  (s) => `services:\n  a:\n    environment:\n      OPENAI_API_KEY: \${LLM_KEY:-${s}}\n`,
  (s) => `services:\n  a:\n    build:\n      args:\n        TOKEN: ${s}\n`,
  (s) => `services:\n  a:\n    build:\n      args: [TOKEN=${s}]\n    image: b\n`,
  (s) => `services:\n  a:\n    image: b\n    command: run --api-key ${s} --model=${s}\n`,
  (s) => `services:\n  a:\n    image: b\n    command: ["run", "--api-key", "${s}"]\n`,
  (s) => `services:\n  a:\n    image: b\n    labels:\n      - auth.users=a:${s}\n      - ${s}\n`,
  (s) => `services:\n  a:\n    image: b\n    labels:\n      token: ${s}\n`,
  (s) => `services:\n  a:\n    image: b\nsecrets:\n  ${s}:\n    file: ${s}\n`,
];

const WORKFLOW: readonly Wrap[] = [
  (s) => JSON.stringify({ nodes: [{ credentials: { api: { id: s, name: s } } }], connections: {} }),
  (s) => JSON.stringify({ nodes: [{ type: s, name: s, [s]: s }], connections: { [s]: {} } }),
  (s) => JSON.stringify({ nodes: [{ url: `https://api.openai.com/v1?key=${s}` }] }, null, 1),
  (s) => JSON.stringify({ nodes: [{ jsonBody: `=${JSON.stringify({ model: s, a: [s] })}` }] }),
  (s) => JSON.stringify({ nodes: [{ body: JSON.stringify({ b: JSON.stringify({ c: s }) }) }] }),
  (s) => JSON.stringify({ nodes: [{ code: `const k = '${start(s)}' + '${end(s)}'` }] }),
  (s) => JSON.stringify({ nodes: [{ value: `={{ $env.LLM_KEY || '${s}' }}` }] }),
  (s) => `{"nodes": [{"model": ${JSON.stringify(s)}, ${s}`,
  (s) => `{"nodes": [{"model": "gpt-4o"}]} ${s}`,
  (s) => JSON.stringify({ headers: [{ name: 'Authorization', value: `Bearer ${s}` }] }),
  (s) => JSON.stringify({ flow: [{ module: 'openai', parameters: { __IMTCONN__: s } }] }),
];

const CURL: readonly Wrap[] = [
  (s) => `curl https://api.openai.com/v1/models -H 'Authorization: Bearer ${s}'\n`,
  (s) => `curl https://api.openai.com/v1 --cookie "session=${s}"\n`,
  (s) => `curl -b '${s}' https://api.openai.com/v1\n`,
  (s) => `curl -u me:${s} --user 'me:${s}' https://api.openai.com/v1\n`,
  (s) => `curl --header "X-Custom: ${s}" --proxy http://me:${s}@proxy:3128 https://a.b/v1\n`,
  (s) => `curl https://me:${s}@api.openai.com/v1?token=${s}\n`,
  (s) => `curl https://a.b/v1 -d '{"model": "gpt-4o", "key": "${s}"}'\n`,
  (s) => `curl https://a.b/v1 --data "{\\"model\\": \\"${s}\\"}"\n`,
  (s) => `curl https://a.b/v1 -d 'a=${s}' --data-urlencode 'b=${s}'\n`,
  (s) => `KEY=${s}\nexport OTHER='${start(s)}'"${end(s)}"\ncurl https://a.b/v1 # ${s}\n`,
  (s) => `curl https://a.b/v1 \\\n  --oauth2-bearer ${s} \\\n  -o ${s}\n`,
  (s) => `curl https://a.b/v1 -d @- <<EOF\n{"key": "${s}"}\nEOF\n`,
  (s) => `curl 'https://a.b/v1 -H ${s}\n`,
];

function each(kind: KnownKind, wraps: readonly Wrap[], places: readonly Wrap[] = [(e) => e]) {
  return wraps.flatMap((wrap) =>
    places.map((place): Planting => ({ kind, plant: (secret) => place(wrap(secret)) })),
  );
}

/** Every wrapping at every place of every kind. */
export const PLANTINGS: readonly Planting[] = [
  ...each('python', PYTHON, PYTHON_PLACES),
  ...each('langchain', PYTHON, [(e) => `from langchain_openai import ChatOpenAI\nx = ${e}\n`]),
  ...each('node', NODE, NODE_PLACES),
  ...each('env', ENV),
  ...each('litellm', LITELLM),
  ...each('docker_compose', COMPOSE),
  ...(['n8n', 'make', 'flowise', 'langflow'] as const).flatMap((kind) => each(kind, WORKFLOW)),
  ...each('curl', CURL),
];

const WINDOW = 6;

/** Every piece of six characters of a secret, as it is, backwards, and as hex and base64. */
export function piecesOf(secret: string): string[] {
  const forms = [secret, backwards(secret), hex(secret), base64(secret).replace(/=+$/, '')];
  const pieces = forms.flatMap((form) =>
    Array.from({ length: Math.max(1, form.length - WINDOW + 1) }, (_, at) =>
      form.slice(at, at + WINDOW),
    ),
  );
  return [...new Set(pieces)].filter((piece) => piece.length === WINDOW);
}
