import type { Request, Response } from 'express';
import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import {
  type InLanguages,
  inEveryLanguage,
  LANGUAGES,
  type Language,
  preferredLanguage,
} from '../../kernel/language/languages.js';

/** How a page is read: in which language, and whether its address says so. */
export interface Reading {
  readonly language: Language;
  /** Set where the address names the language: then the links of the page name it, too. */
  readonly isChosen: boolean;
}

// There are no other readings, so that what is made for one can be kept.
const PREFERRED = inEveryLanguage((language): Reading => ({ language, isChosen: false }));
const CHOSEN = inEveryLanguage((language): Reading => ({ language, isChosen: true }));

/**
 * How a request wants its page: in the language of its query, else in the one that its header
 * prefers. A query that names no language of ours chooses none.
 */
export function readingOf({ query, headers }: Pick<Request, 'query' | 'headers'>): Reading {
  const chosen = LANGUAGES.find((language) => language === query.lang);
  return chosen ? CHOSEN[chosen] : PREFERRED[preferredLanguage(headers['accept-language'])];
}

/** How a request wants its page, with the headers of the answer saying so. */
export function readBy(request: Request, response: Response): Reading {
  const reading = readingOf(request);
  response.set('content-language', reading.language).vary('accept-language');
  return reading;
}

/** The address of a page of this server, for a link of a page that is read so. */
export function linkFrom({ language, isChosen }: Reading, path: string): string {
  return isChosen ? pathIn(language, path) : path;
}

/** The same for documents, in which the address of the server is filled in later. */
export function placedLink(reading: Reading, path: string): string {
  return BASE_URL_PLACE + linkFrom(reading, path);
}

/** The address of a page in a language, whatever its reader prefers. */
export function pathIn(language: Language, path: string): string {
  return `${path}?lang=${language}`;
}

/** The addresses of a page in every language, as a header `link` tells them. */
export function alternatesOf(path: string): string {
  return LANGUAGES.map(
    (language) => `<${pathIn(language, path)}>; rel="alternate"; hreflang="${language}"`,
  ).join(', ');
}

/** Makes what is the same for all who read it so: once for each of them, when it is asked for. */
export function madeOnce<Made>(make: (reading: Reading) => Made): (reading: Reading) => Made {
  const made = new Map<Reading, Made>();
  return (reading) => {
    const found = made.get(reading) ?? make(reading);
    made.set(reading, found);
    return found;
  };
}

/** Names of the languages, each in itself. */
export const LANGUAGE_NAMES: InLanguages<string> = { en: 'English', ru: 'Русский' };
