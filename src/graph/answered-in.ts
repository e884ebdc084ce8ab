import { type Language, languageHeaders, preferredLanguage } from '../kernel/language/languages.js';
import type { Transport } from './ctx.js';

/** The language in which the caller wants to read an answer; the headers of the answer name it. */
export function answeredIn({ acceptLanguage, headers }: Transport): Language {
  const language = preferredLanguage(acceptLanguage);
  Object.assign(headers, languageHeaders(language));
  return language;
}
