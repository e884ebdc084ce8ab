import type { InLanguages, Language } from '../../kernel/language/languages.js';
import { type Phrase, Phrases } from '../../kernel/language/phrases.js';

/** What is there when an item of readiness is done, or a milestone is reached, in Russian. */
export const TITLE_PHRASES: readonly Phrase[] = [
  ['A chat request was answered by a real model.', 'На запрос чата ответила настоящая модель.'],
  ['A streamed answer of a real model was read.', 'Прочитан потоковый ответ настоящей модели.'],
  ['Embeddings were made by a real model.', 'Эмбеддинги получены от настоящей модели.'],
  ['A budget caps spending.', 'Расходы ограничены бюджетом.'],
  ['A policy is in force.', 'Действует политика.'],
  ['A service key is active.', 'Есть действующий сервисный ключ.'],
  ['A tool with a webhook is registered.', 'Зарегистрирован инструмент с вебхуком.'],
  [
    'Somebody has followed a quickstart; only you can say so.',
    'Кто-то прошёл быстрый старт; подтвердить это можете только вы.',
  ],
  ['A key was made.', 'Создан ключ.'],
  [
    'A route policy names the model that answers when the chosen one fails.',
    'В политике маршрутов указана модель на случай, если выбранная не ответит.',
  ],
  ['A prompt package was created.', 'Создан пакет промптов.'],
  [
    'A member has decided what waited for an approval.',
    'Участник принял решение по тому, что ждало согласования.',
  ],
];

/** What a call that closes an item must carry, in Russian. */
export const CALL_PHRASES: readonly Phrase[] = [['{call} with {name}', '{call} с {name}']];

const PHRASES = new Phrases('ru', [...TITLE_PHRASES, ...CALL_PHRASES]);

const SAID: InLanguages<(text: string) => string> = {
  en: (text) => text,
  ru: (text) => PHRASES.find(text) ?? text,
};

/**
 * The title of an item or of a milestone, or the call that closes it, in a language. Both are
 * sealed in English.
 */
export function itemSaid(text: string, language: Language): string {
  return SAID[language](text);
}
