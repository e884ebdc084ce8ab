/**
 * Names, which are written so in Russian too: of formats, protocols, products and of the project,
 * and in the last lines values that are to be written as they are.
 */
const NAMES = new Set(
  `API GraphQL REST SDK JSON OpenAPI YAML Postman LLM Bearer Basic
  WebSocket SHA RFC JavaScript UTC HTTP HTTPS URL
  SSE UUID UTF CSV XLSX NDJSON PDF SVG CEF DNS TLS IP CIDR PATCH POST GET PUT DELETE HEAD OPTIONS
  FinOps FOCUS Python Node js Go Java PHP LangChain Vercel AI curl openai npm Redis PostgreSQL
  Accept Language Authorization Idempotency Key chat completions gw txt llms full Schema Pointer
  ISO IANA RE Unicode ASCII Base base64 ID English Patch null true false
  Responses MUST SHOULD COULD DEFERRABLE BATCH DECLARED ladder degrade block mask staging
  production on id rpm tpm concurrency kind metadata stream tools functions overloaded owner admin
  security Europe`.split(/\s+/),
);

/** What is a name in itself: paths, names of fields and of headers, figures with letters. */
const CODE = new RegExp(
  [
    '`[^`]*`',
    '«[^»]*»',
    '\\{[^{}]*\\}',
    'https?://\\S+',
    '/[\\w{}<>.:/?=*-]+',
    '\\b\\w*[_:.\\d]\\w[\\w:.*-]*',
    '\\b[a-z]+[A-Z]\\w*',
    '\\b[a-z]\\w*(?:[-/]\\w+)+',
    '\\[\\w+\\]',
  ].join('|'),
  'g',
);

/** The words of a Russian text that are English, and no names. */
export function englishWords(text: string, names: readonly string[] = []): string[] {
  const plain = text.replace(CODE, ' ');
  const words = plain.match(/[A-Za-z][A-Za-z'’]+/g) ?? [];
  return words.filter((word) => !NAMES.has(word) && !names.includes(word));
}

/** What a page says to people, what is code and markup left out. */
export function saidBy(markup: string): string {
  const attributes = [...markup.matchAll(/(?:aria-label|data-word-\w+|data-words)="([^"]*)"/g)];
  const spoken = attributes.map((match) => unescaped(match[1] ?? '').replace(/"\w+":/g, ' '));
  const body = markup
    .replace(/<(code|pre|style|script)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]+>/g, ' ');
  return [...spoken, unescaped(body)].join('\n');
}

function unescaped(text: string): string {
  const entities = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return Object.entries(entities).reduce(
    (all, [entity, character]) => all.replaceAll(entity, character),
    text,
  );
}
