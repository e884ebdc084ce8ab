import type { CheckCode, CheckStatus, RunStatus } from '../../delivery/cockpit/vocabulary.js';
import { CHECKS } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import type { InLanguages, Language } from '../../kernel/language/languages.js';

/** What the page of the cockpit says. */
interface CockpitTexts {
  readonly title: string;
  readonly idea: (baseUrl: string) => Html;
  readonly keyStays: string;
  readonly needsScripts: (baseUrl: string) => Html;
  readonly key: string;
  readonly model: string;
  readonly run: string;
  readonly share: string;
  readonly makeLink: string;
  readonly takeBack: string;
  readonly ready: string;
  readonly readyAbout: string;
  /** What the script says; words in braces are filled in by it. */
  readonly words: Readonly<Record<string, string>>;
}

/** What the page of the cockpit says, by language. */
export const COCKPIT: InLanguages<CockpitTexts> = {
  en: {
    title: 'Migration cockpit',
    idea: (baseUrl) => html`Checks through this server, with your own key, what a client of the
chat-completions wire relies on. Its base address is <code>${baseUrl}/v1</code>. The checks are
real requests and billed as ordinary traffic, under the feature <code>gw_cockpit</code>.`,
    keyStays:
      'The key stays in this page: it is sent with the requests, kept nowhere, and forgotten ' +
      'when the page is closed.',
    needsScripts: (baseUrl) => html`The page needs JavaScript. Without it, your key runs the same
checks by <code>POST ${baseUrl}/v1/gw/migration/cockpit</code>.`,
    key: 'Key or access token',
    model: 'Model',
    run: 'Run the checks',
    share:
      'The run can be shown to others as a sealed report. Its link is public for 30 days: ' +
      'whoever has it sees the checks, and neither the key nor a text of an answer.',
    makeLink: 'Make the link',
    takeBack: 'Take the link back',
    ready: 'Ready for production:',
    readyAbout: 'Read from the rows of your organization. Simulated answers close no item.',
    words: {
      runRefused: 'The run was refused.',
      serverRefused: 'The server refused it.',
      unreachable: 'The server cannot be reached.',
      running: 'The checks are running.',
      ended: 'The run {status} and cost {cost}.',
      done: 'done',
      open: 'open',
      linked: 'Whoever has this link sees the report until {day}.',
      takenBack: 'The link shows nothing any more.',
    },
  },
  ru: {
    title: 'Проверка миграции',
    idea: (baseUrl) => html`Проверяет через этот сервер, с вашим собственным ключом, всё, на что
полагается клиент формата chat completions. Базовый адрес — <code>${baseUrl}/v1</code>. Проверки —
настоящие запросы, и оплачиваются они как обычные, с пометкой <code>gw_cockpit</code>.`,
    keyStays:
      'Ключ не покидает страницу: он передаётся только вместе с запросами, нигде не хранится и ' +
      'забывается, когда страница закрыта.',
    needsScripts: (baseUrl) => html`Этой странице нужен JavaScript. Без него те же проверки с вашим
ключом запускает <code>POST ${baseUrl}/v1/gw/migration/cockpit</code>.`,
    key: 'Ключ или токен доступа',
    model: 'Модель',
    run: 'Запустить проверки',
    share:
      'Результат можно показать другим как запечатанный отчёт. Ссылка открыта всем 30 дней: по ' +
      'ней видны проверки, но не ключ и не тексты ответов.',
    makeLink: 'Создать ссылку',
    takeBack: 'Закрыть ссылку',
    ready: 'Готовность к рабочей нагрузке:',
    readyAbout: 'По записям вашей организации. Имитация ответа ни один пункт не закрывает.',
    words: {
      runRefused: 'Сервер отказался запускать проверки.',
      serverRefused: 'Сервер ответил отказом.',
      unreachable: 'Сервер недоступен.',
      running: 'Проверки выполняются.',
      ended: 'Проверки завершены: {status}. Стоимость — {cost}.',
      done: 'готово',
      open: 'не готово',
      linked: 'По этой ссылке отчёт виден всем до {day}.',
      takenBack: 'Ссылка больше ничего не показывает.',
    },
  },
};

/** What the results of checks are called, live and in reports. */
interface CheckTexts {
  readonly tableName: string;
  readonly check: string;
  readonly result: string;
  readonly time: string;
  readonly cost: string;
  readonly seen: string;
  readonly statuses: Readonly<Record<CheckStatus, string>>;
  readonly runStatuses: Readonly<Record<RunStatus, string>>;
  readonly simulated: string;
  /** What figures are followed by. */
  readonly ms: string;
  readonly rub: string;
  readonly description: (code: CheckCode) => string;
}

/** What each check shows, in Russian. */
const CHECKS_RU: Readonly<Record<CheckCode, string>> = {
  auth: 'Ключ принят, и ответ говорит, чей он.',
  models: 'В списке моделей есть та, которую запрашивают.',
  chat: 'На запрос чата приходит сообщение и расход токенов.',
  streaming: 'Потоковый ответ приходит по частям и заканчивается [DONE].',
  embeddings: 'Текст превращается в числовой вектор.',
  tool_calls: 'Обязательная функция вызвана, её аргументы — правильный JSON.',
  error_format: 'Заведомо неверный запрос отклонён так, как описано в документации.',
};

/** What the results of checks are called, by language. */
export const CHECK_TEXTS: InLanguages<CheckTexts> = {
  en: {
    tableName: 'Live checks',
    check: 'Check',
    result: 'Result',
    time: 'Time',
    cost: 'Cost',
    seen: 'What was seen',
    statuses: { pass: 'pass', fail: 'fail', skipped: 'skipped' },
    runStatuses: {
      passed: 'passed',
      passed_simulated: 'passed on simulated answers',
      failed: 'failed',
      stopped: 'stopped',
    },
    simulated: 'simulated',
    ms: 'ms',
    rub: 'RUB',
    description: (code) => CHECKS.find(code)?.description ?? '',
  },
  ru: {
    tableName: 'Живые проверки',
    check: 'Проверка',
    result: 'Результат',
    time: 'Время',
    cost: 'Стоимость',
    seen: 'Что получено',
    statuses: { pass: 'пройдена', fail: 'не пройдена', skipped: 'пропущена' },
    runStatuses: {
      passed: 'пройдены',
      passed_simulated: 'пройдены, но ответы имитировались',
      failed: 'не пройдены',
      stopped: 'прерваны',
    },
    simulated: 'имитация',
    ms: 'мс',
    rub: '₽',
    description: (code) => CHECKS_RU[code],
  },
};

/** How a check ended; one that a simulated model answered says so. */
export function resultOf(
  { status, simulated }: { readonly status: CheckStatus; readonly simulated: boolean },
  language: Language,
): string {
  const { statuses, simulated: word } = CHECK_TEXTS[language];
  return simulated ? `${statuses[status]} (${word})` : statuses[status];
}
