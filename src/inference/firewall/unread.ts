import { CONTENTS, UNREAD_KINDS, type UnreadKind } from '../../kernel/firewall/contents.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Encoded } from './encoded-text.js';

/** Content of a request that nothing reads, and the part of the request that carries it. */
export interface Unread {
  readonly kind: UnreadKind;
  readonly place: string;
}

const KIND_OF_PART = new Map<string, UnreadKind | 'text'>([
  ...UNREAD_KINDS.flatMap(({ code, partTypes }) => partTypes.map((type) => [type, code] as const)),
  ...(CONTENTS.find('text')?.partTypes ?? []).map((type) => [type, 'text'] as const),
]);

/** Members that providers fill with sealed reasoning; a shorter value is read as a text. */
const SEALED_MEMBERS = new Set(['signature', 'thought_signature', 'encrypted_content']);
const SEALED_CHARACTERS_MIN = 64;

/** Members that name something which lies elsewhere. */
const REFERENCE = new RegExp(
  '(?:^|[_-])(?:file|doc|document|image|audio|video|media|attachment|asset|artifact|blob|upload|' +
    'object|container|vector_?stores?|knowledge(?:_base)?|dataset|thread|conversation|response|' +
    'cache)[_-]?ids?$|ur[il]s?$|' +
    '^(?:href|src|links?|attachments?|images?|files?|videos?|conversation|cached_?content)$',
  'i',
);
const REFERENCE_CHARACTERS_MAX = 128;

const BY_NUMBER = /ids?$/i;
const OWN_ID = /^(?:id|ids|uuid|guid)$/i;

/** Members in which an opaque word is a name that the client gives, often the hash of one. */
const OPAQUE_NAMES = new Set(['id', 'user', 'safety_identifier', 'prompt_cache_key', 'name']);
/** The longest digest in use; longer hexadecimal digits are bytes. */
const DIGEST_CHARACTERS_MAX = 128;
const HEXADECIMAL = /^[\da-f]*$/i;
const BASE64 = /^[\w+/-][\w+/\s-]*={0,2}\s{0,4}$/;

/** So many numbers in a list may be bytes or tokens; fewer say nothing. */
const NUMBERS_MIN = 3;
/** In what a tool is called with, which holds places, sizes and samples by contract. */
const NUMBERS_OF_CALL_MIN = 16;
const PLACE_IN_LIST = /^\d+$/;
const OF_TOKENS = /token|input|prompt/i;

/** What need not be judged of what stands below a member. */
export type Ordinary = 'nothing' | 'links' | 'all';

/** Members of the body that are read, and hold lists of numbers, links and words by contract. */
const ORDINARY_OF_BODY = new Set([
  'response_format',
  'logit_bias',
  'stop',
  'metadata',
  'stop_token_ids',
  'allowed_token_ids',
]);
const ORDINARY_OF_TOOLS = new Set(['parameters', 'input_schema']);
/** Where an answer before says what it has read. */
const CITING = new Set(['annotations', 'citations', 'search_results']);

/** What is ordinary below a member of the body. */
export function ordinaryInBody(name: string): Ordinary {
  return ORDINARY_OF_BODY.has(name) ? 'all' : 'nothing';
}

/** What is ordinary below a member of a tool, or of a message outside of its content parts. */
export function ordinaryBelow(name: string, member: string, isPart: boolean): Ordinary {
  if (member === 'messages') {
    if (CITING.has(name)) return 'links';
    return name === 'arguments' && !isPart ? 'all' : 'nothing';
  }
  const isTool = member === 'tools' || member === 'functions';
  return isTool && ORDINARY_OF_TOOLS.has(name) ? 'all' : 'nothing';
}

/** A token array, or token arrays. */
export function isNumbers(
  value: readonly unknown[],
): value is readonly (number | readonly number[])[] {
  const lists = Array.isArray(value[0]) ? value : [value];
  return lists.every(
    (list) => Array.isArray(list) && list.every((token) => typeof token === 'number'),
  );
}

/**
 * What a list of numbers, or of such lists, may be; undefined for a few and for words. An object
 * whose names are all numbers is a list as some programs write one, such as `Uint8Array`.
 * @param isOfCall whether it is part of the arguments of a tool call
 */
export function unreadNumbers(
  name: string,
  value: object,
  isOfCall = false,
): UnreadKind | undefined {
  const least = isOfCall ? NUMBERS_OF_CALL_MIN : NUMBERS_MIN;
  // A byte or a token is a whole number; fractions in a call are places and measures.
  const isCounted = isOfCall ? Number.isInteger : isNumber;
  if (numbersIn(asList(value), least, isCounted) < least) return undefined;
  return OF_TOKENS.test(name) ? 'tokens' : 'file';
}

const NO_LIST: readonly unknown[] = Object.freeze([]);

function asList(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  for (const name in value) if (!PLACE_IN_LIST.test(name)) return NO_LIST;
  return Object.values(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

/** How many numbers stand in a list and the lists inside of it, counted up to `enough`. */
function numbersIn(
  list: readonly unknown[],
  enough: number,
  isCounted: (element: unknown) => boolean,
): number {
  let count = 0;
  for (const element of list) {
    if (isCounted(element)) count += 1;
    else if (Array.isArray(element)) count += numbersIn(element, enough - count, isCounted);
    if (count >= enough) return count;
  }
  return count;
}

/** True where a whole text is bytes in base64 or hexadecimal digits that the wire does not know. */
export function isOpaque(name: string, text: string): boolean {
  if (text.length < BASE64_CHARACTERS_MIN || OPAQUE_NAMES.has(name)) return false;
  if (!BASE64_HEAD.test(text) || !BASE64.test(text)) return false;
  if (HEXADECIMAL.test(text)) return text.length > DIGEST_CHARACTERS_MAX;
  return /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text);
}

/** The kind of files by how their base64 begins, for members that the wire does not know. */
const BEGINNINGS: readonly (readonly [UnreadKind, RegExp])[] = [
  ['image', /^(?:iVBORw0KGgo|\/9j\/|R0lGOD[dl]h|UklGR.{6}XRUJQ|SUkqA|TU0AK|Qk0)/],
  // HEIC and AVIF have the box of a video with a brand of their own.
  ['image', /^AAAA.{2}Z0eXB(?:oZWl[jtxz4]|oZXZ[j4]|taWYx|tc2Yx|hdmlm|hdmlz)/],
  ['video', /^(?:UklGR.{6}BVkkg|AAAA.{2}Z0eX|GkXfo)/],
  ['audio', /^(?:UklGR|T2dnU|SUQz|\/\/[uv]|ZkxhQ)/],
  ['file', /^(?:JVBERi0|UEsDB|0M8R4K|H4sI|N3q8r|UmFyI)/],
];
const BASE64_CHARACTERS_MIN = 64;
const BASE64_HEAD = /^[\w+/-]{64}/;

/** What an address in `data:` says of its media type. */
const MEDIA_TYPE = /^\s{0,16}data:([^;,\s]{0,100})/i;
const DATA_ADDRESS = /^\s{0,16}data:[\w.+-]{1,60}\/[\w.+-]{1,60}\s{0,4}[;,]/i;
/** Letters that stand in an address without base64 are read as they are. */
const PLAIN_ADDRESS = /^\s{0,16}data:text\/(?!rtf)[^,]{0,200},/i;
/** Types whose text is all that they show. */
const TEXT_TYPE = new RegExp(
  '^(?:|text/(?!rtf).*|image/svg\\+xml|application/' +
    '(?:octet-stream|json|xml|yaml|x-yaml|x-ndjson|javascript|.*\\+(?:json|xml)))$',
);
/** Formats that are written in letters and show more than these letters say. */
const SHOWS_MORE = new RegExp(
  '%PDF-|%!PS|^\\s{0,16}\\{\\\\rtf|<\\?xml-stylesheet\\b|<!entity\\b|' +
    'content-transfer-encoding:\\s{0,8}(?:base64|quoted)',
  'i',
);
const DRAWING = /<(?:\w{1,20}:)?svg\b/i;
const DRAWS = /<(?:\w{1,20}:)?(?:path|poly|set\b|animate)|\bhref\b|data:/i;
/** Files that programs show as a page and not as their letters. */
const PAGE_TYPE = /html/;
const PAGE = new RegExp(
  '^[\\s\\ufeff]{0,64}(?:<!--[^>]{0,1000}-->\\s{0,64}|<\\?xml[^>]{0,200}>\\s{0,64}){0,4}' +
    '<(?:!doctype\\s{1,4}html|html|head|body)\\b',
  'i',
);
/** What a page or a drawing shows beside its letters, from within or from elsewhere. */
const EMBEDS = new RegExp(
  '<(?:\\w{1,20}:)?(?:i?frame|img|image|feimage|use|picture|source|object|embed|applet|video|' +
    'audio|track|canvas|script|link|portal|bgsound)\\b|<input\\b[^>]{0,200}\\bimage\\b|' +
    '@import\\b|\\burl\\(|\\b(?:srcset|srcdoc|background)\\s{0,4}=',
  'i',
);

/** What a content part carries by its type; undefined for a type that nobody knows. */
export function kindOfPart({ type, source }: JsonObject): UnreadKind | 'text' | undefined {
  if (typeof type !== 'string') return undefined;
  const isText = typeof source === 'object' && (source as JsonObject | null)?.type === 'text';
  return isText && type === 'document' ? 'text' : KIND_OF_PART.get(type);
}

/** What was seen in a content part that is no text. */
export interface Seen {
  /** Something of it was read. */
  isRead: boolean;
  /** It names what lies elsewhere. */
  refers: boolean;
  unread: UnreadKind | undefined;
}

/** True for a part that carries something else than a text. */
export function isMedium(members: JsonObject): boolean {
  const kind = kindOfPart(members);
  return kind !== undefined && kind !== 'text';
}

/** What of a part nothing reads: all of it, unless it shows nothing but what was read. */
export function unreadPart(
  kind: UnreadKind | undefined,
  { isRead, refers, unread }: Seen,
): UnreadKind | undefined {
  if (kind) return isRead && !refers && unread === undefined ? undefined : kind;
  return unread ?? (refers ? 'file' : undefined);
}

/**
 * What nothing reads in a text that stands in a member, by itself: bytes, and what is sealed. The
 * kind is that of the media type, of the member or of the first bytes, whichever says it first.
 */
export function unreadIn(
  name: string,
  text: string,
  encoded: Encoded | undefined,
): UnreadKind | undefined {
  if (SEALED_MEMBERS.has(name) && text.length >= SEALED_CHARACTERS_MIN) return 'sealed';
  if (encoded?.kind === 'binary') return kindOfBytes(text) ?? 'file';
  if (encoded) return unreadInText(text, encoded);
  if (text.length < BASE64_CHARACTERS_MIN) return undefined;
  if (DATA_ADDRESS.test(text) && !PLAIN_ADDRESS.test(text)) return kindOfBytes(text) ?? 'file';
  if (!BASE64_HEAD.test(text)) return undefined;
  return BEGINNINGS.find(([, begins]) => begins.test(text))?.[0];
}

/** True where a member names what lies elsewhere. */
export function refersAway(name: string, text: string): boolean {
  if (text === '' || name.length > REFERENCE_CHARACTERS_MAX) return false;
  return REFERENCE.test(name) && !MEDIA_TYPE.test(text);
}

/** True where a number in a member names what lies elsewhere. */
export function refersByNumber(name: string): boolean {
  return (BY_NUMBER.test(name) && refersAway(name, '0')) || name === 'conversation';
}

/** True where `id`, in the object of a member, names what lies elsewhere. */
export function refersById(owner: string, name: string, value: unknown): boolean {
  if (!OWN_ID.test(name) || owner === '') return false;
  const isId = (each: unknown) => typeof each === 'number' || (typeof each === 'string' && !!each);
  const isNamed = Array.isArray(value) ? value.some(isId) : isId(value);
  return isNamed && refersAway(`${owner.replace(/s$/i, '')}_id`, '0');
}

/** What is not read of a text that stood in base64, by the address or the base64 as given. */
export function unreadInText(
  given: string,
  { text, isCertain }: { readonly text: string; readonly isCertain: boolean },
): UnreadKind | undefined {
  return isCertain && !showsMore(given, text) ? undefined : (kindOfBytes(given) ?? 'file');
}

/** The kind that a media type or the first bytes say; undefined where neither says one. */
export function kindOfBytes(text: string): UnreadKind | undefined {
  const media = MEDIA_TYPE.exec(text)?.[1]?.toLowerCase();
  const [family] = media?.split('/') ?? [];
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  return BEGINNINGS.find(([, begins]) => begins.test(text))?.[0];
}

/** True where a text in base64, or in an address, is not all that is seen of it. */
function showsMore(given: string, text: string): boolean {
  const media = MEDIA_TYPE.exec(given)?.[1]?.toLowerCase() ?? '';
  if (!TEXT_TYPE.test(media) || SHOWS_MORE.test(text)) return true;
  const isDrawing = DRAWING.test(text);
  if (isDrawing && DRAWS.test(text)) return true;
  return (isDrawing || PAGE_TYPE.test(media) || PAGE.test(text)) && EMBEDS.test(text);
}
