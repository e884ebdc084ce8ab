import { withLookAlikes } from '../look-alikes.js';
import { SIGNAL } from './signals.js';

/**
 * An anchor that common words have too. It is a signal only where `behind` fits what follows its
 * four characters.
 */
interface ConditionalAnchor {
  readonly anchor: string;
  readonly signal: number;
  readonly behind: RegExp;
}

function rows(signal: number, conditions: Readonly<Record<string, string>>): ConditionalAnchor[] {
  return Object.entries(conditions).map(([anchor, behind]) => ({
    anchor,
    signal,
    behind: new RegExp(withLookAlikes(behind), 'iy'),
  }));
}

/** A value has a digit, and stands no farther behind its name than this. */
const NAMES_A_VALUE = '(?![a-zа-яё])\\D{0,400}\\d';
/** The end of a field's name, and what divides it from its value. */
const NAMES_A_FIELD = '\\w{0,12}["\']?\\s{0,3}[:=]';
/** Where an address that is spelled ends. */
const SPELT_ZONE =
  '\\s{1,3}(?:[a-z]{2,6}|ру|рф|ком|нет|орг|инфо|су|кз|бай|онлайн|про)(?![a-zа-яё])';

/** Anchors with a condition, by what they are a signal of. */
export const CONDITIONAL_ANCHORS: readonly ConditionalAnchor[] = [
  ...rows(SIGNAL.secret, {
    пасс: `ворд|${NAMES_A_VALUE}`,
    pass: NAMES_A_VALUE,
    '~паро': 'л',
    поро: 'ль',
    ключ: '(?:а|ом|у)?[\\s-]{1,3}(?:дост|апи|api|шифр)',
    секр: 'етн[а-яё]{1,3}\\s{1,3}ключ',
    '~токе': 'н(?:а|ом|у|е)?(?![а-яё])',
    toke: 'n(?![a-z])',
    bear: 'er\\s',
  }),
  ...rows(SIGNAL.spelt, {
    соба: '[кч]|\\s?[)\\]}>]',
    точк: `[аоу]${SPELT_ZONE}`,
    тчк: SPELT_ZONE,
    дот: SPELT_ZONE,
  }),
  ...rows(SIGNAL.handle, {
    елег: 'р|[аеуи](?![а-яё])',
    eleg: 'ram',
    вкон: 'такт',
    ник: '(?:нейм)?[\\s:]',
    скай: 'п',
    skyp: 'e',
    стаг: 'рам',
    инст: 'а(?![а-яё])|е(?![а-яё])',
    stag: 'ram',
    иско: 'рд',
    isco: 'rd',
  }),
  ...rows(SIGNAL.address, {
    дост: 'ав(?:и|к|ь)',
    жите: 'льс',
    пер: '[.\\s]',
    наб: '[.]',
    набе: 'реж',
    площ: 'ад[ьи](?![а-яё])',
    addr: `ess?[^\\n]{0,8}[^\\x00-\\x7f]|${NAMES_A_FIELD}`,
    stre: `et${NAMES_A_FIELD}`,
    resi: `dence${NAMES_A_FIELD}`,
  }),
];
