import { z } from 'zod';
import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import { dataFile } from '../../../platform/data-file.js';
import { base62Crc } from '../checksums.js';
import { type Finding, findingsOf } from '../finding.js';

/** Names in code such as `sk-fading-circle` hold no digit; random tokens of this length do. */
function whereWithDigit(token: string): Confidence | undefined {
  return /\d/.test(token) ? 'confirmed' : undefined;
}

/** Entropy and its CRC32 in base62 behind a prefix that ends in `_` (GitHub, npm). */
function whereCrcFits(token: string): Confidence {
  const body = token.slice(token.indexOf('_') + 1);
  return base62Crc(body.slice(0, -6)) === body.slice(-6) ? 'confirmed' : 'suspected';
}

function decodeBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}

function whereJwt(token: string): Confidence | undefined {
  const head = decodeBase64(token.split('.', 1)[0] ?? '');
  return /^\{.*"alg"\s*:/s.test(head) ? 'confirmed' : undefined;
}

const RULE = z.strictObject({
  prefix: z.string().min(3),
  tail: z.string().min(1),
  judge: z.enum(['digit', 'checksum', 'jwt']).optional(),
});

/** What sees a token that fits, and may lower the confidence or refuse it. */
const JUDGES = { digit: whereWithDigit, checksum: whereCrcFits, jwt: whereJwt } as const;

/** Kinds of credentials that are known by how they begin. */
const PREFIX_RULES = dataFile('src/inference/firewall/detectors/secrets.yaml', z.array(RULE)).map(
  ({ prefix, tail, judge }) => ({
    prefix,
    pattern: new RegExp(escaped(prefix) + tail, 'y'),
    judge: judge && JUDGES[judge],
  }),
);

/** A private key in PEM: up to its last line, or as far as base64 goes where that is missing. */
const KEY_NAME = '[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----';
const KEY_BODY = '(?:[\\w+/=\\s\\\\:,.()]|-(?!-)){0,8192}';
const KEY_FRAGMENT = '[A-Za-z0-9+/=\\r\\n\\\\]{16,8192}';
const PRIVATE_KEY = new RegExp(
  `-----BEGIN ${KEY_NAME}(?:${KEY_BODY}-----END ${KEY_NAME}|${KEY_FRAGMENT})`,
  'g',
);

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const PREFIXES = [...new Set(PREFIX_RULES.map((rule) => rule.prefix))].sort(
  (left, right) => right.length - left.length,
);
const LOCATOR = new RegExp(`(?<![A-Za-z0-9_-])(?:${PREFIXES.map(escaped).join('|')})`, 'g');
const RULES_BY_PREFIX = new Map(
  PREFIXES.map((prefix) => [prefix, PREFIX_RULES.filter((rule) => rule.prefix === prefix)]),
);

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

function prefixFindings(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { 0: prefix, index: start } of text.matchAll(LOCATOR)) {
    for (const rule of RULES_BY_PREFIX.get(prefix) ?? []) {
      const token = matchAt(rule.pattern, text, start);
      const confidence = token && (rule.judge ? rule.judge(token) : 'confirmed');
      if (!token || !confidence) continue;
      found.push({ class: 'secret', start, end: start + token.length, confidence });
      break;
    }
  }
  return found;
}

/** A Telegram bot's token: `<id>:AA<33 characters>`. */
const TELEGRAM = /(?<!\w)\d{8,10}:AA[\w-]{33}(?![\w-])/g;
/** User and password in an address, as in a database's connection string. */
const ADDRESS = /:\/\/([^\s:@/?#"'<>]{1,100}:[^\s:@/?#"'<>]{1,200})(?=@[\w[])/g;
/** HTTP Basic, and the authorization key of GigaChat: base64 of two parts joined by a colon. */
const BASIC =
  /(?:basic|credentials|auth(?:orization)?_key)["']?[\s:=]{1,4}["']?([\w+/]{12,400}={0,2})/gi;
function whereBasic(token: string): Confidence | undefined {
  const isPair = /^[\x21-\x39\x3b-\x7e]{1,100}:[\x20-\x7e]{1,200}$/.test(decodeBase64(token));
  return isPair ? 'confirmed' : undefined;
}

/**
 * The beginnings from which the prefilter knows that a text may hold a secret. Those that common
 * words have too are in prefilter/conditions.ts.
 */
export const SECRET_ANCHORS: readonly string[] = [
  ...PREFIXES,
  ...['----', ':AA', 'basi', 'redential', 'swor', 'sswr', 'sswd', 'pwd'],
  ...[
    'api_',
    'api ',
    'apik',
    'апи-',
    'апи ',
    'secr',
    'ss_t',
    'ss-t',
    'ssto',
    'uth_',
    'uth-',
    'utht',
  ],
];

/**
 * Credentials. Tokens with a published prefix and shape are confirmed, those with a checksum only
 * where it fits; a value that merely stands behind a word such as «пароль» is suspected.
 */
export function detectSecrets(text: string): Finding[] {
  // A plain search is far cheaper than an expression, and most texts hold none of these.
  const where = (mark: string, pattern: RegExp) =>
    text.includes(mark) ? findingsOf('secret', text, pattern, 'confirmed') : [];
  return [
    ...prefixFindings(text),
    ...where('-----BEGIN', PRIVATE_KEY),
    ...where(':AA', TELEGRAM),
    ...where('://', ADDRESS),
    ...findingsOf('secret', text, BASIC, whereBasic),
  ];
}
