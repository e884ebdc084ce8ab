import type { Language } from './languages.js';

/** What the places of a template are filled with, by their names. */
export type PlaceValues = Readonly<Record<string, string | number | bigint>>;

/**
 * A place: `{name}`, or `{name|запрос|запроса|запросов}` for a number and what it counts, in the
 * forms for one, few and many.
 */
const PLACE = /\{(\w+)((?:\|[^|{}]+){3})?\}/g;

/** Which of the three forms a number takes, by its plural category in the language (CLDR). */
const FORM_OF_CATEGORY: Readonly<Partial<Record<Intl.LDMLPluralRule, 0 | 1 | 2>>> = {
  one: 0,
  few: 1,
  many: 2,
  // Fractions, which govern the genitive of one: 1,5 рубля.
  other: 1,
};

const RULES: Readonly<Record<Language, Intl.PluralRules>> = {
  en: new Intl.PluralRules('en'),
  ru: new Intl.PluralRules('ru'),
};

/**
 * A template with its places filled. A place without a value stays, followed by the form for many
 * where it is a number and what it counts.
 */
export function filled(template: string, values: PlaceValues, language: Language): string {
  return template.replace(PLACE, (_place, name: string, forms: string | undefined) => {
    const value = values[name] ?? `{${name}}`;
    if (forms === undefined) return String(value);
    return `${value} ${counted(value, forms.slice(1).split('|'), language)}`;
  });
}

/** What a number counts, in the form that goes with it. */
function counted(value: PlaceValues[string], forms: readonly string[], language: Language) {
  const number = Number(value);
  const category = Number.isNaN(number) ? 'many' : RULES[language].select(number);
  return forms[FORM_OF_CATEGORY[category] ?? 1] ?? '';
}
