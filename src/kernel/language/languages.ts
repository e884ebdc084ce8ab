import Negotiator from 'negotiator';

/** The languages of what people read, the one of the code first. */
export const LANGUAGES = ['en', 'ru'] as const;

/** A language of what people read. */
export type Language = (typeof LANGUAGES)[number];

/** What is said in every language. */
export type InLanguages<Text> = Readonly<Record<Language, Text>>;

/** What is made for every language. */
export function inEveryLanguage<Made>(make: (language: Language) => Made): InLanguages<Made> {
  return { en: make('en'), ru: make('ru') };
}

/**
 * The language that a header `accept-language` prefers of those that there are, by its weights
 * (RFC 9110, 12.5.4); a region such as `ru-RU` counts as its language.
 * @param otherwise the language where the header is absent, or names none of them
 */
export function preferredLanguage(
  header: string | undefined,
  otherwise: Language = 'en',
): Language {
  if (header === undefined) return otherwise;
  // What a wildcard matches is the first of the list.
  const available = [otherwise, ...LANGUAGES.filter((language) => language !== otherwise)];
  const negotiator = new Negotiator({ headers: { 'accept-language': header } });
  return languageOf(negotiator.language(available)) ?? otherwise;
}

/** The headers of an answer that was written in the language that its request prefers. */
export function languageHeaders(language: Language): Record<string, string> {
  return { 'content-language': language, vary: 'accept-language' };
}

function languageOf(code: unknown): Language | undefined {
  return LANGUAGES.find((language) => language === code);
}
