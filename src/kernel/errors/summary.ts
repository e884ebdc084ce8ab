import type { InLanguages, Language } from '../language/languages.js';
import { filled } from '../language/template.js';

const SUMMARY: InLanguages<string> = {
  en: '{count} fields are wrong: {all}',
  ru: 'В запросе {count|ошибка|ошибки|ошибок}. {all}',
};

/** The messages of all faults as one. */
export function summaryOf(messages: readonly string[], language: Language): string {
  const [first] = messages;
  if (messages.length === 1 && first !== undefined) return first;
  const values = { count: messages.length, all: messages.join(' ') };
  return filled(SUMMARY[language], values, language);
}
