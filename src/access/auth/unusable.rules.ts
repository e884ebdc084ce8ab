/** How keys of other services begin, the longer beginnings first. */
const FOREIGN_KEYS = [
  ['sk-ant-', 'Anthropic'],
  ['sk-or-', 'OpenRouter'],
  ['sk-proj-', 'OpenAI'],
  ['sk-svcacct-', 'OpenAI'],
  ['sk-admin-', 'OpenAI'],
  ['sk-', 'OpenAI/DeepSeek'],
  ['AIza', 'Google'],
  ['AQVN', 'Yandex Cloud'],
  ['t1.', 'Yandex Cloud'],
  ['gsk_', 'Groq'],
  ['xai-', 'xAI'],
  ['hf_', 'Hugging Face'],
  ['pplx-', 'Perplexity'],
  ['nvapi-', 'NVIDIA'],
] as const;

/**
 * Why what was sent in the place of a bearer credential cannot be one; undefined for a credential
 * that may be valid. It quotes nothing of a key.
 * @param header an Authorization header that is not empty
 */
export function whyUnusable(header: string): string | undefined {
  const [, scheme = '', rest = ''] = /^(\S+)(?:\s+(.*?))?\s*$/s.exec(header) ?? [];
  if (/^bearer$/i.test(scheme)) return whyNoToken(rest);
  if (/^basic$/i.test(scheme)) {
    return 'HTTP Basic is read from programs alone, with a key of this gateway as its password';
  }
  if (rest !== '') return schemeOf(scheme);
  return whyNoToken(scheme) ?? 'the key stands without "Bearer" before it';
}

function schemeOf(scheme: string): string {
  return /^[A-Za-z][\w-]{0,31}$/.test(scheme)
    ? `the scheme ${scheme} is not read`
    : 'it is of no scheme that is read';
}

function whyNoToken(token: string): string | undefined {
  if (token === '') return 'nothing stands behind "Bearer"';
  if (/^["']/.test(token)) return 'the key stands in quotes';
  if (/^[<${[]/.test(token)) return 'a placeholder stands where the key belongs';
  if (/\s/.test(token)) return 'the key holds spaces';
  const service = FOREIGN_KEYS.find(([beginning]) => token.startsWith(beginning))?.[1];
  return service && `it is a key of ${service}, not of this gateway`;
}
