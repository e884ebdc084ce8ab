import { nearestName } from './wire-names.js';

/** Paths that SDKs call when their base address lacks `/v1`. */
const WITHOUT_VERSION = new Set(['/chat/completions', '/completions', '/embeddings', '/responses']);

/** True for a path that a client of this API meant, although no row has it. */
export function isMeantForApi(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/') || WITHOUT_VERSION.has(path);
}

/** What to do instead of calling a path that does not exist. */
export function cureFor(path: string, knownPaths: readonly string[]): string {
  if (WITHOUT_VERSION.has(path)) return 'The base address of an SDK client must end with /v1.';
  if (path.startsWith('/v1/v1')) return 'The base address has /v1 twice.';
  if (path === '/v1/responses' || path.startsWith('/v1/responses/')) return RESPONSES;
  if (path === '/v1/completions') return 'Use POST /v1/chat/completions.';
  const segments = path.split('/').length;
  const alike = knownPaths.filter((known) => known.split('/').length === segments);
  const nearest = nearestName(path, alike);
  if (nearest !== undefined)
    return `Did you mean ${nearest}? All paths are listed in /openapi.json.`;
  return 'All paths are listed in /openapi.json.';
}

const RESPONSES =
  'The Responses API is not served; use chat completions. Vercel AI SDK: provider.chat(id) ' +
  'instead of provider(id). n8n: switch "Use Responses API" off.';
