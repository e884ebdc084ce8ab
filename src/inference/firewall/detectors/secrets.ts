import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import { base62Crc } from '../checksums.js';
import { type Finding, findingsOf } from '../finding.js';

/**
 * A kind of credential that is known by how it begins. `pattern` is tried where `prefix` stands;
 * `judge` sees the match and may lower the confidence or refuse it.
 */
interface PrefixRule {
  readonly prefix: string;
  readonly pattern: RegExp;
  readonly judge?: (token: string) => Confidence | undefined;
}

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

/** Formats as the vendors publish them, or as their secret scanning partners do. */
const PREFIX_RULES: readonly PrefixRule[] = [
  { prefix: 'gw_sk_', pattern: /gw_sk_[0-9A-Za-z]{40,64}(?!\w)/y },
  { prefix: 'sk-proj-', pattern: /sk-proj-[\w-]{20,200}/y, judge: whereWithDigit },
  { prefix: 'sk-svcacct-', pattern: /sk-svcacct-[\w-]{20,200}/y, judge: whereWithDigit },
  { prefix: 'sk-admin-', pattern: /sk-admin-[\w-]{20,200}/y, judge: whereWithDigit },
  { prefix: 'sk-ant-', pattern: /sk-ant-[a-z0-9]{2,10}-[\w-]{20,200}/y },
  { prefix: 'sk-or-v1-', pattern: /sk-or-v1-[0-9a-f]{64}(?!\w)/y },
  { prefix: 'sk-', pattern: /sk-[0-9A-Za-z]{20,128}(?![\w-])/y, judge: whereWithDigit },
  { prefix: 'AKIA', pattern: /AKIA[A-Z0-9]{16}(?!\w)/y },
  { prefix: 'ASIA', pattern: /ASIA[A-Z0-9]{16}(?!\w)/y, judge: whereWithDigit },
  { prefix: 'ghp_', pattern: /ghp_[0-9A-Za-z]{36}(?!\w)/y, judge: whereCrcFits },
  { prefix: 'gho_', pattern: /gho_[0-9A-Za-z]{36}(?!\w)/y, judge: whereCrcFits },
  { prefix: 'ghu_', pattern: /ghu_[0-9A-Za-z]{36}(?!\w)/y, judge: whereCrcFits },
  { prefix: 'ghs_', pattern: /ghs_[0-9A-Za-z]{36}(?!\w)/y, judge: whereCrcFits },
  { prefix: 'ghr_', pattern: /ghr_[0-9A-Za-z]{36,76}(?!\w)/y, judge: whereCrcFits },
  { prefix: 'github_pat_', pattern: /github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}(?!\w)/y },
  { prefix: 'npm_', pattern: /npm_[0-9A-Za-z]{36}(?!\w)/y, judge: whereCrcFits },
  { prefix: 'glpat-', pattern: /glpat-[\w-]{20,64}/y },
  { prefix: 'xox', pattern: /xox[abeoprs]-[0-9A-Za-z-]{10,250}/y, judge: whereWithDigit },
  { prefix: 'xapp-', pattern: /xapp-\d-[0-9A-Za-z-]{20,250}/y },
  { prefix: 'AIza', pattern: /AIza[\w-]{35}(?![\w-])/y },
  { prefix: 'GOCSPX-', pattern: /GOCSPX-[\w-]{28}(?![\w-])/y },
  { prefix: 'ya29.', pattern: /ya29\.[\w-]{20,1000}/y },
  { prefix: 'sk_live_', pattern: /sk_live_[0-9A-Za-z]{16,247}/y },
  { prefix: 'sk_test_', pattern: /sk_test_[0-9A-Za-z]{16,247}/y },
  { prefix: 'rk_live_', pattern: /rk_live_[0-9A-Za-z]{16,247}/y },
  { prefix: 'whsec_', pattern: /whsec_[0-9A-Za-z+/=]{24,128}/y },
  { prefix: 'AQVN', pattern: /AQVN[\w-]{35,38}(?![\w-])/y },
  { prefix: 't1.9', pattern: /t1\.[\w-]{8,1000}={0,2}\.[\w-]{86}={0,2}(?![\w-])/y },
  { prefix: 'y0__', pattern: /y0__[\w-]{50,80}(?![\w-])/y },
  { prefix: 'y0_A', pattern: /y0_A[\w-]{50,80}(?![\w-])/y },
  { prefix: 'YCAJE', pattern: /YCAJE[\w-]{20}(?![\w-])/y },
  { prefix: 'YCAJE', pattern: /YCAJE[\w-]{35}(?![\w-])/y },
  { prefix: 'hf_', pattern: /hf_[A-Za-z]{34}(?!\w)/y },
  { prefix: 'pypi-AgE', pattern: /pypi-AgE[\w-]{50,250}/y },
  { prefix: 'SG.', pattern: /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y },
  { prefix: 'dop_v1_', pattern: /dop_v1_[0-9a-f]{64}(?!\w)/y },
  { prefix: 'hvs.', pattern: /hvs\.[\w-]{24,200}/y, judge: whereWithDigit },
  { prefix: 'shpat_', pattern: /shpat_[0-9a-f]{32}(?!\w)/y },
  { prefix: 'glsa_', pattern: /glsa_[0-9A-Za-z]{32}_[0-9A-Fa-f]{8}(?!\w)/y },
  { prefix: 'eyJ', pattern: /eyJ[\w-]{8,2000}\.[\w-]{8,6000}\.[\w-]{16,1400}/y, judge: whereJwt },
];

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
/** A value that is called a password or a key. Only a word says so, so it stays suspected. */
const NAMES = [
  'passw(?:or)?d',
  'pwd',
  'парол[ья]',
  'api[_-]?key',
  'secret(?:[_-]?(?:access[_-]?)?key)?',
  'client[_-]?secret',
  '(?:access|auth)[_-]?token',
].join('|');
const NAMED = new RegExp(
  `(?:${NAMES})["']?[ \\t]{0,3}(?:=>|[:=—-])[ \\t]{0,3}["'\`]?` +
    '([^\\s"\'`,;<>()[\\]{}]{8,128})(?![([])',
  'gi',
);

function whereBasic(token: string): Confidence | undefined {
  const isPair = /^[\x21-\x39\x3b-\x7e]{1,100}:[\x20-\x7e]{1,200}$/.test(decodeBase64(token));
  return isPair ? 'confirmed' : undefined;
}

function wherePasswordLike(value: string): Confidence | undefined {
  if (/^(?:\$|%|https?:|process\.|os\.|env\.|\[\[)/i.test(value)) return undefined;
  return /\d/.test(value) && /[A-Za-zА-Яа-яЁё]/.test(value) ? 'suspected' : undefined;
}

/** The beginnings from which the prefilter knows that a text may hold a secret. */
export const SECRET_ANCHORS: readonly string[] = [
  ...PREFIXES,
  ...['----', ':AA', 'basi', 'redential', 'ssword', 'sswd', 'pwd', 'пароль', 'пароля'],
  ...['api_', 'api-', 'apik', 'secr', 'ss_t', 'ss-t', 'ssto', 'uth_', 'uth-', 'utht'],
];

/**
 * Credentials. Tokens with a published prefix and shape are confirmed, those with a checksum only
 * where it fits; a value that merely stands behind a word such as «пароль» is suspected.
 */
export function detectSecrets(text: string): Finding[] {
  return [
    ...prefixFindings(text),
    ...findingsOf('secret', text, PRIVATE_KEY, 'confirmed'),
    ...findingsOf('secret', text, TELEGRAM, 'confirmed'),
    ...findingsOf('secret', text, ADDRESS, 'confirmed'),
    ...findingsOf('secret', text, BASIC, whereBasic),
    ...findingsOf('secret', text, NAMED, wherePasswordLike),
  ];
}
