import type { CheckCode } from '../../../delivery/cockpit/vocabulary.js';
import { CHECKS } from '../../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../../kernel/html.js';
import type { InLanguages } from '../../../kernel/language/languages.js';

/** The texts of the migration cockpit; those of its script stand in the script. */
interface CockpitTexts {
  readonly title: string;
  readonly about: (baseUrl: string) => Html;
  readonly key: string;
  readonly noScript: (baseUrl: string) => Html;
  readonly labels: { readonly key: string; readonly model: string; readonly run: string };
  readonly heads: readonly string[];
  readonly checks: Readonly<Record<CheckCode, string>>;
}

const described = CHECKS.rows.map(({ code, description }) => [code, description] as const);

/** The texts of the migration cockpit. */
export const COCKPIT: InLanguages<CockpitTexts> = {
  en: {
    title: 'Migration cockpit',
    about: (baseUrl) => html`Checks through this server, with your own key, what a client of the
chat-completions wire relies on. Its base address is <code>${baseUrl}/v1</code>. The checks are real
requests and billed as ordinary traffic, under the feature <code>gw_cockpit</code>.`,
    key:
      'The key stays in this page: it is sent with the requests, kept nowhere, and forgotten ' +
      'when the page is closed.',
    noScript: (baseUrl) => html`The page needs JavaScript. Without it, your key runs the same checks
by <code>POST ${baseUrl}/v1/gw/migration/cockpit</code>.`,
    labels: { key: 'Key or access token', model: 'Model', run: 'Run the checks' },
    heads: ['Check', 'Result', 'Time', 'Cost', 'What was seen'],
    checks: Object.fromEntries(described) as Record<CheckCode, string>,
  },
  ru: {
    title: 'Проверка подключения',
    about: (baseUrl) => html`Проверяет через этот сервер, с вашим собственным ключом, всё, на что
полагается клиент протокола chat completions. Его базовый адрес — <code>${baseUrl}/v1</code>.
Проверки — настоящие запросы и оплачиваются как обычные; в отчётах они отмечены как
<code>gw_cockpit</code>.`,
    key:
      'Ключ остаётся на этой странице: он передаётся с запросами, нигде не сохраняется и ' +
      'забывается, когда страница закрыта.',
    noScript: (baseUrl) => html`Для этой страницы нужен JavaScript. Без него те же проверки
выполнит с вашим ключом <code>POST ${baseUrl}/v1/gw/migration/cockpit</code>.`,
    labels: { key: 'Ключ или токен доступа', model: 'Модель', run: 'Запустить проверки' },
    heads: ['Проверка', 'Результат', 'Время', 'Стоимость', 'Что получено'],
    checks: {
      auth: 'Ключ принят, и сервер говорит, чей он.',
      models: 'В списке моделей есть та, которую запрашивают.',
      chat: 'На запрос чата приходят сообщение и расход.',
      streaming: 'Потоковый ответ приходит частями и завершается [DONE].',
      embeddings: 'Текст превращается в вектор чисел.',
      tool_calls: 'Обязательная функция вызвана, и её аргументы — JSON.',
      error_format: 'Намеренно неверный запрос отклонён в описанной форме.',
    },
  },
};
