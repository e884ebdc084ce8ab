import type { Request, Response } from 'express';
import { type Language, languageOf, preferredLanguage } from '../../kernel/language/languages.js';

const COOKIE = 'gw_lang';
const REMEMBERED_MS = 365 * 86_400_000;

/**
 * The language of a page: what `?lang=` says, else what was chosen before, else what the browser
 * prefers. What `?lang=` says is remembered in a cookie that holds nothing else. The headers tell
 * caches what the page depends on.
 */
export function chooseLanguage(request: Request, response: Response): Language {
  const chosen = languageOf(request.query.lang);
  if (chosen) {
    const sameSite = 'lax';
    response.cookie(COOKIE, chosen, { maxAge: REMEMBERED_MS, httpOnly: true, sameSite });
  }
  const language =
    chosen ?? rememberedBy(request) ?? preferredLanguage(request.headers['accept-language']);
  response.set('content-language', language).vary('accept-language, cookie');
  return language;
}

function rememberedBy({ headers }: Request): Language | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return languageOf(pairs.find(([name]) => name === COOKIE)?.[1]);
}

/** Sends a page in the language of its reader. */
export function sendPage(
  request: Request,
  response: Response,
  textIn: (language: Language) => string,
): void {
  response.type('html').send(textIn(chooseLanguage(request, response)));
}
