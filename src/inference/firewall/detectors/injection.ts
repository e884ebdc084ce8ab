import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import type { Finding } from '../finding.js';

/**
 * `pattern` is tried where `anchor` stands in a text, in any case; the first match counts. A
 * common word in front of an anchor goes into a look-behind, so that few texts have to be searched.
 */
interface InjectionRule {
  readonly anchor: string;
  readonly pattern: RegExp;
  readonly confidence: Confidence;
}

const GAP = '\\s{1,3}';

/** At most `most` words of a list, each with the space behind it. */
function upTo(most: number, words: string): string {
  return `(?:(?:${words})${GAP}){0,${most}}`;
}

/** One of some words, with the space behind it. */
function word(words: string): string {
  return `(?:${words})${GAP}`;
}

/** One of some stems at the end of a wording, with its ending. */
function stem(stems: string): string {
  return `(?:${stems})[a-zа-яё]{0,8}`;
}

function rule(
  anchor: string,
  parts: readonly string[],
  confidence: Confidence = 'confirmed',
): InjectionRule {
  return { anchor, pattern: new RegExp(parts.join(''), 'iy'), confidence };
}

const ANY = '[a-zа-яё]{1,14}';
const RULE_STEMS =
  'instruction|prompt|rule|direction|guideline|message|command|context|polic|restriction';
const EARLIER = 'previous|prior|above|earlier|preceding|former|system|safety|initial|original';
const RULE_STEMS_RU = 'инструкц|указани|правил|команд|сообщени|ограничени|промпт|запрет';
const EARLIER_RU = 'предыдущ|прежн|прошл|системн|исходн|первоначальн|вышеуказанн';
const POINTERS_RU = 'все|всё|всех|любые|свои|твои|мои|ваши|эти|о|об|обо|про|данные|тебе|вам|ранее';
const REVEAL = 'reveal|show|print|repeat|output|display|leak|tell|give|write|expose';
const REVEAL_RU =
  'покажи|выведи|раскрой|повтори|напечатай|сообщи|скажи|пришли|напиши|назови|дай|процитируй';

/**
 * Markers in English and Russian. Confirmed: wording that has no other use than to replace the
 * model's instructions, and control tokens of chat templates. Suspected: wording that is also used
 * when people talk about such attacks. Every repetition is bounded, so the work is linear.
 */
const RULES: readonly InjectionRule[] = [
  rule('ignor', [
    word('ignore|ignoring'),
    upTo(4, 'all|any|every|of|the|my|your|these|those|and'),
    word(EARLIER),
    upTo(2, ANY),
    stem(RULE_STEMS),
  ]),
  rule('ignor', [
    word('ignore|ignoring'),
    word('all|any|your'),
    stem('instruction|rule|guideline'),
  ]),
  rule('disreg', [
    word('disregard|disregarding'),
    upTo(4, ANY),
    stem('instruction|prompt|guideline'),
  ]),
  rule('forget', [
    word('forget'),
    upTo(4, 'all|everything|any|about|of|the|your|my'),
    word(EARLIER),
    stem(RULE_STEMS),
  ]),
  rule('forget', [word('forget'), word('all|your'), upTo(2, 'of|the|your'), stem('instruction')]),
  rule('overri', [
    word('override|overriding'),
    upTo(3, 'all|any|the|your|my'),
    word(EARLIER),
    stem(RULE_STEMS),
  ]),
  rule('system prompt', [`(?<=\\b(?:${REVEAL})\\b[^.!?\\n]{0,30})system prompt`]),
  rule('now ', ['(?<=you are )now (?:dan\\b|in developer mode|unrestricted|jailbroken)']),
  rule('anything now', ['(?<=do )anything now']),
  rule('developer mode', ['developer mode (?:is )?(?:enabled|on|activated)\\b']),
  rule('jailbr', ['jailbr(?:eak|oken)[a-z]{0,4}'], 'suspected'),
  rule('instructions:', ['(?<=new )instructions:'], 'suspected'),
  rule('<|im_', ['<\\|im_(?:start|end|sep)\\|>']),
  rule('<|sys', ['<\\|system\\|>']),
  rule('<|endo', ['<\\|endof(?:text|prompt)\\|>']),
  rule('<|start_h', ['<\\|start_header_id\\|>']),
  rule('[inst', ['\\[inst\\]']),
  rule('<<sys', ['<<sys>>']),
  rule('игнорир', [
    word('игнорир(?:уй|уйте|овать|уя)'),
    upTo(3, POINTERS_RU),
    word(`(?:${EARLIER_RU}|свои|твои)[а-яё]{0,4}`),
    upTo(1, 'системные|данные'),
    stem(RULE_STEMS_RU),
  ]),
  rule('игнорир', [word('игнорир(?:уй|уйте)'), word('все|всё|любые'), stem('инструкци|указани')]),
  rule('игнорир', [word('игнорир(?:уй|уйте)'), stem('инструкци|указани')], 'suspected'),
  rule('забудь', [
    word('забудь(?:те)?'),
    upTo(4, POINTERS_RU),
    word(`(?:${EARLIER_RU}|свои|твои)[а-яё]{0,4}`),
    stem(RULE_STEMS_RU),
  ]),
  rule('забудь', [word('забудь(?:те)?'), upTo(4, POINTERS_RU), stem('инструкци')]),
  rule('забудь', [
    word('забудь(?:те)?'),
    upTo(2, 'о|всё|все|том'),
    'что тебе (?:говорили|сказали)',
  ]),
  rule('следуй', [
    '(?<=не )',
    word('следуй(?:те)?'),
    upTo(3, ANY),
    stem('инструкци|указани|правил'),
  ]),
  rule('системн', [
    `(?<=(?:${REVEAL_RU})(?:те)?[^.!?\\n]{0,30})`,
    word('системн[а-яё]{1,3}'),
    stem('промпт|инструкци|подсказк|сообщени|запрос'),
  ]),
  rule('теперь', ['(?<=ты )теперь (?:dan|дэн|без ограничений|не связан)(?![а-яёa-z])']),
  rule('режим разработчика', ['режим разработчика (?:включ[её]н|активирован)']),
  rule('джейлбр', ['джейлбр[еэ]йк[а-яё]{0,3}'], 'suspected'),
  rule('цензуры и', ['(?<=без )цензуры и (?:каких-либо )?ограничений'], 'suspected'),
  rule('инструкции:', ['(?<=новые )инструкции:'], 'suspected'),
];

const ANCHORS: readonly string[] = [...new Set(RULES.map((row) => row.anchor))];

/** Where an anchor begins with four common characters, four that are rarer. */
const RARER = new Map([
  ['overri', 'erri'],
  ['anything now', 'ythi'],
  ['developer mode', 'r mo'],
  ['instructions:', 'ons:'],
  ['инструкции:', 'ции:'],
]);

/** What the prefilter looks for: without one of these a text holds no marker. */
export const INJECTION_ANCHORS: readonly string[] = ANCHORS.map(
  (anchor) => RARER.get(anchor) ?? anchor,
);

const RULES_BY_ANCHOR = new Map(
  ANCHORS.map((anchor) => [anchor, RULES.filter((row) => row.anchor === anchor)]),
);
const LOCATOR = new RegExp(
  ANCHORS.map((anchor) => anchor.replace(/[|[\]]/g, '\\$&')).join('|'),
  'gi',
);

/** Prompt-injection markers, in English and Russian. */
export function detectInjection(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { 0: anchor, index: start } of text.matchAll(LOCATOR)) {
    for (const { pattern, confidence } of RULES_BY_ANCHOR.get(anchor.toLowerCase()) ?? []) {
      pattern.lastIndex = start;
      const match = pattern.exec(text);
      if (!match) continue;
      const end = start + match[0].length;
      found.push({ class: 'prompt_injection', start, end, confidence });
      break;
    }
  }
  return found;
}
