import type { InLanguages, Language } from '../../../kernel/language/languages.js';
import { type Phrase, Phrases } from '../../../kernel/language/phrases.js';

/** What a debugging says of a request beside its refusals, in Russian. */
export const REPORT_PHRASES: readonly Phrase[] = [
  [
    'No stage refuses the request now; what failed lies outside of it.',
    'Сейчас запрос ничто не отклоняет; причина ошибки — не в нём.',
  ],
  [
    'With {count} changes, no stage refuses the request any more.',
    'Чтобы запрос прошёл, нужно {count|изменение|изменения|изменений}.',
  ],
  [
    'With one change, no stage refuses the request any more.',
    'Чтобы запрос прошёл, нужно одно изменение.',
  ],
  [
    'No change within the rules makes the request pass: {last}',
    'Никакое допустимое изменение не поможет запросу пройти: {last}',
  ],
  [
    'Nothing of the request was given; only the error is explained.',
    'Сам запрос не передан, поэтому объясняется только ошибка.',
  ],
  [
    '{path} is not there: reports cannot tell this request by it.',
    'Поля {path} нет: в отчётах по нему этот запрос не различить.',
  ],
  [
    '{name} is forwarded and not read: did you mean {near}?',
    'Поле {name} передаётся дальше, но шлюз его не читает: возможно, вы имели в виду {near}?',
  ],
  [
    '{name} is no error code of this gateway; GET /v1/gw/errors lists them all.',
    'Кода {name} у этого шлюза нет; все коды — в GET /v1/gw/errors.',
  ],
  [
    '{name} is answered with {own}, not with {status}.',
    'Ошибка {name} приходит со статусом {own}, а не {status}.',
  ],
  [
    'The texts were not given: one short text stood for them, and only the rest was judged.',
    'Тексты не переданы: вместо них стоял один короткий, проверено только остальное.',
  ],
  [
    'It names a prompt or a route policy, which its organization alone knows: ask again with a ' +
      'credential of it to have that judged too.',
    'В запросе назван промпт или политика маршрутов, их знает только сама организация: повторите ' +
      'вопрос с её ключом, и проверится и это.',
  ],
];

const PHRASES = new Phrases('ru', REPORT_PHRASES);

const SAID: InLanguages<(text: string) => string> = {
  en: (text) => text,
  ru: (text) => PHRASES.find(text) ?? text,
};

/** What a debugging says, in a language; refusals are in it already. */
export function reportSaid(text: string, language: Language): string {
  return SAID[language](text);
}
