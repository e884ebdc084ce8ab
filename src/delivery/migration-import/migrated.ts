import { type AllFound, type ImportSource, isBearer } from './findings.js';
import { shownName, shownPath } from './harmless.js';
import type { Mask } from './mask.js';
import type { Observation } from './observation.js';
import type { Suggestion } from './tables.js';
import type { Syntax } from './vocabulary.js';

/** The variable that holds the gateway's key in changed code, and what stands for a key. */
const KEY_VARIABLE = 'GW_API_KEY';
/** What stands for a key where there is no variable. */
const KEY_PLACEHOLDER = 'YOUR_GATEWAY_KEY';

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** What the changed text is made from. */
type Migration = ImportSource & AllFound & { readonly suggestions: readonly Suggestion[] };

/**
 * The text with base address, key and models replaced, without any secret. Undefined where there
 * is no base address to replace and no client whose arguments could take one.
 */
export function migrated(migration: Migration, mask: Mask): string | undefined {
  const addresses = addressEdits(migration);
  const added = addresses.length > 0 ? [] : addedAddress(migration);
  if (addresses.length + added.length === 0) return undefined;
  return apply(migration.content, mask, [
    ...addresses,
    ...added,
    ...keyEdits(migration, mask),
    ...addedImport(migration),
    ...modelEdits(migration),
  ]);
}

/** What stands between the edits passes the mask; what is put in is our own. */
function apply(content: string, mask: Mask, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => one.from - other.from);
  let text = '';
  let at = 0;
  for (const { from, to, by } of ordered) {
    if (from < at) continue;
    text += mask.part(at, from) + by;
    at = to;
  }
  return text + mask.part(at, content.length);
}

function addressEdits({ content, baseUrls, syntax, gatewayBaseUrl }: Migration): Edit[] {
  const direct = baseUrls.filter(({ place }) => !place.isNested);
  return direct.map(({ value = '', place }) => {
    const { from, to } = place;
    const source = content.slice(from, to);
    if (syntax === 'shell' || syntax === 'json') {
      const path = new URL(unquoted(place.text ?? '').replace(/^=/, '')).pathname;
      const operation = path.slice(new URL(value).pathname.replace(/\/$/, '').length);
      return { from, to, by: quotedAs(source, gatewayBaseUrl + shownPath(operation)) };
    }
    return { from, to, by: quotedAs(source, nameBefore(place) + gatewayBaseUrl) };
  });
}

function unquoted(text: string): string {
  return text.replace(/^["']|["']$/g, '');
}

/** A value in the quotes that stand around the old one. */
function quotedAs(source: string, value: string): string {
  const quote = /^[a-zA-Z]{0,2}(["'`])/.exec(source)?.[1] ?? '';
  return quote + value + quote;
}

function keyEdits({ content, keys, syntax, kind }: Migration, mask: Mask): Edit[] {
  return keys.flatMap(({ place }): Edit[] => {
    if (place.isNested) return [];
    if (kind === 'docker_compose') return composedKey(place, content);
    const { from, to, variable } = place;
    const source = content.slice(from, to);
    if (syntax === 'env') return [{ from, to, by: quotedAs(source, KEY_PLACEHOLDER) }];
    if (variable !== undefined && !/,|(?:\?\?|\|\|)\s*["'`][^"'`]/.test(source)) {
      return [{ from, to, by: mask.part(from, to).replace(variable, () => KEY_VARIABLE) }];
    }
    if (syntax === 'shell') return [shellKey(place, source)];
    if (place.shape !== 'text') return [];
    const references = {
      python: `os.environ["${KEY_VARIABLE}"]`,
      javascript: `process.env.${KEY_VARIABLE}`,
      yaml: `os.environ/${KEY_VARIABLE}`,
      json: quotedAs(source, isBearer(place) ? `Bearer ${KEY_PLACEHOLDER}` : KEY_PLACEHOLDER),
    } as const;
    return [{ from, to, by: references[syntax] }];
  });
}

/** Compose fills in variables of the shell or of the env file beside it. */
function composedKey(place: Observation, content: string): Edit[] {
  const { from, to, shape, variable } = place;
  if (shape !== 'text' && variable === undefined) return [];
  const by = `${nameBefore(place)}\${${KEY_VARIABLE}}`;
  return [{ from, to, by: quotedAs(content.slice(from, to), by) }];
}

function nameBefore({ before }: Observation): string {
  return before === undefined ? '' : `${shownName(before)}=`;
}

/** Python reads variables through `os`, which code with a literal key need not have imported. */
function addedImport({ content, keys, syntax }: Migration): Edit[] {
  const isLiteral = keys.some(({ place }) => place.shape === 'text' && !place.variable);
  if (syntax !== 'python' || !isLiteral || /^import os\b/m.test(content)) return [];
  return [{ from: 0, to: 0, by: 'import os\n' }];
}

function shellKey({ from, to, name, path }: Observation, source: string): Edit {
  if (path.at(-1) !== 'header') return { from, to, by: `${shownName(name)}=${KEY_PLACEHOLDER}` };
  const quote = source.startsWith("'") ? "'" : '"';
  return { from, to, by: `${quote}Authorization: Bearer ${KEY_PLACEHOLDER}${quote}` };
}

function modelEdits({ content, models, suggestions, syntax, kind }: Migration): Edit[] {
  return models.flatMap(({ value, place }): Edit[] => {
    if (place.isNested) return [];
    const suggested = suggestions.find(({ model }) => model === value)?.gatewayModel;
    if (suggested == null || place.kind !== 'pair' || syntax === 'shell') return [];
    const { from, to } = place;
    // A LiteLLM proxy calls the gateway as a server that speaks the wire of OpenAI.
    const named = kind === 'litellm' && syntax === 'yaml' ? `openai/${suggested}` : suggested;
    return [{ from, to, by: quotedAs(content.slice(from, to), nameBefore(place) + named) }];
  });
}

const CLIENTS: Readonly<Partial<Record<Syntax, RegExp>>> = {
  python: /^(?:openai\.)?(?:Async)?OpenAI$|^ChatOpenAI$|^OpenAIEmbeddings$/,
  javascript: /^OpenAI$/,
};

/** Gives a client that has no base address one, where its arguments begin. */
function addedAddress(migration: Migration): Edit[] {
  const { content, syntax, reading, gatewayBaseUrl, keys } = migration;
  if (syntax === 'env') {
    const key = keys.find(({ place }) => /^OPENAI_/.test(place.name));
    if (!key) return [];
    const at = content.length;
    const gap = content.endsWith('\n') ? '' : '\n';
    return [{ from: at, to: at, by: `${gap}OPENAI_BASE_URL=${gatewayBaseUrl}\n` }];
  }
  const client = CLIENTS[syntax];
  if (!client) return [];
  return reading.observations.flatMap(({ kind, name, argumentsFrom }): Edit[] => {
    if (kind !== 'call' || argumentsFrom === undefined || !client.test(name)) return [];
    const rest = content.slice(argumentsFrom, argumentsFrom + 200);
    const isEmpty = /^\s*\)/.test(rest);
    const object = syntax === 'javascript' && !isEmpty ? /^\s*\{/.exec(rest)?.[0] : '';
    if (object === undefined) return [];
    const at = argumentsFrom + object.length;
    return [{ from: at, to: at, by: argumentFor(syntax, isEmpty, gatewayBaseUrl) }];
  });
}

function argumentFor(syntax: Syntax, isAlone: boolean, address: string): string {
  if (syntax === 'python') return `base_url="${address}"${isAlone ? '' : ', '}`;
  return isAlone ? `{ baseURL: '${address}' }` : ` baseURL: '${address}',`;
}
