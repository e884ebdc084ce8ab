import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import type { InLanguages } from '../../kernel/language/languages.js';

/** What the texts for agents say, besides what they take from other tables. */
interface AgentTexts {
  readonly idea: string;
  readonly basics: readonly string[];
  readonly documents: string;
  readonly access: { readonly name: string; readonly about: string };
  readonly restOperations: string;
  readonly schema: string;
  readonly instructions: string;
  readonly firstRequest: string;
  readonly rulesHeading: string;
  readonly rules: readonly string[];
  readonly rights: string;
  readonly failing: string;
  readonly whenFailing: (page: string) => readonly string[];
  readonly next: string;
}

/** What the texts for agents say, by language. */
export const AGENTS: InLanguages<AgentTexts> = {
  en: {
    idea:
      'An LLM gateway whose only API is GraphQL; every REST path is one named GraphQL ' +
      'operation. Chat, embeddings and models follow the chat-completions wire, so an SDK client ' +
      'changes its base address and its key. Usage is billed in rubles against a prepaid ' +
      'double-entry ledger.',
    basics: [
      `- Base address: ${BASE_URL_PLACE}; of SDK clients: ${BASE_URL_PLACE}/v1`,
      '- Credential: `Authorization: Bearer <API key or access token>`, except on public paths',
      '- A key may stand in `x-api-key` or `api-key` instead',
      `- GraphQL: POST ${BASE_URL_PLACE}/graphql; subscriptions by graphql-ws or SSE on that path`,
      '- Failures: `{"error":{"message","type","param","code","request_id","doc_url"}}`',
      '- Messages of failures: English, or Russian where `Accept-Language` prefers it; codes stay',
      '- Pages and these texts: the same, or by `?lang=en` and `?lang=ru`',
      '- Lists: `limit` (1 to 200) and `cursor`; `next_cursor` of the answer is the next cursor',
      '- `Idempotency-Key` on a POST, PATCH or DELETE: a repeated one runs once, with the first ' +
        'answer',
    ],
    documents: 'Documents',
    access: { name: 'Access', about: 'What each role and key type may do.' },
    restOperations: 'REST operations',
    schema: 'GraphQL schema',
    instructions: 'Instructions for agents',
    firstRequest: 'The first request',
    rulesHeading: 'Rules',
    rules: [
      '- Read the key from the environment (`GW_API_KEY`), and never write it anywhere.',
      '- Send `metadata` with `feature`, `environment` and `client_id`: reports group cost by ' +
        'them.',
      '- Send an `Idempotency-Key` with whatever must not happen twice, and repeat it on a retry.',
      '- Name `gw:auto` to let the gateway choose a model; `gw_routing` of the answer says why.',
      '- Retry what is answered with 429 or 503 after `retry-after`; nothing else of 4xx.',
      '- Take every list to its end by `next_cursor` before you say that something is not there.',
      '- An action that answers `needs_approval` waits for a person: do not ask for it again.',
    ],
    rights: 'What a key of the type `agent` may do',
    failing: 'When a request fails',
    whenFailing: (page) => [
      `1. Read \`error.code\` and its page: \`${page}\`.`,
      `2. Ask \`POST ${BASE_URL_PLACE}/v1/gw/devex/debug\` with \`request\`, \`status\` and`,
      '   `error_code`: it answers cause, fix and the smallest JSON Patch that helps.',
      '3. Apply the patch, and send the request again. Nothing of a debugging is executed or ' +
        'billed.',
    ],
    next: 'Read next',
  },
  ru: {
    idea:
      'LLM-шлюз, единственный API которого — GraphQL; каждый путь REST — одна именованная ' +
      'операция GraphQL. Чат, эмбеддинги и список моделей работают в формате chat completions, ' +
      'поэтому клиенту SDK достаточно сменить базовый адрес и ключ. Расход оплачивается в рублях ' +
      'с предоплаченного счёта, который ведётся по двойной записи.',
    basics: [
      `- Базовый адрес: ${BASE_URL_PLACE}; для клиентов SDK: ${BASE_URL_PLACE}/v1`,
      '- Авторизация: `Authorization: Bearer <ключ API или токен доступа>`, кроме открытых путей',
      '- Вместо этого ключ можно передать в `x-api-key` или `api-key`',
      `- GraphQL: POST ${BASE_URL_PLACE}/graphql; подписки — через graphql-ws или SSE там же`,
      '- Ошибки: `{"error":{"message","type","param","code","request_id","doc_url"}}`',
      '- Сообщения об ошибках: на английском или, если так просит `Accept-Language`, на русском; ' +
        'коды всегда одни и те же',
      '- Страницы и эти тексты: так же, либо по `?lang=en` и `?lang=ru`',
      '- Списки: `limit` (от 1 до 200) и `cursor`; следующий курсор — `next_cursor` ответа',
      '- `Idempotency-Key` в POST, PATCH и DELETE: повтор выполняется один раз, ответ будет первым',
    ],
    documents: 'Документы',
    access: { name: 'Доступ', about: 'Что разрешено каждой роли и каждому виду ключа.' },
    restOperations: 'Операции REST',
    schema: 'Схема GraphQL',
    instructions: 'Инструкция для агентов',
    firstRequest: 'Первый запрос',
    rulesHeading: 'Правила',
    rules: [
      '- Берите ключ из окружения (`GW_API_KEY`) и никуда его не записывайте.',
      '- Передавайте `metadata` с полями `feature`, `environment` и `client_id`: по ним ' +
        'группируются затраты в отчётах.',
      '- Ко всему, что не должно случиться дважды, добавляйте `Idempotency-Key` и сохраняйте его ' +
        'при повторе.',
      '- Укажите модель `gw:auto`, и её выберет шлюз; почему так — в `gw_routing` ответа.',
      '- Повторяйте запрос после ответа 429 или 503, выждав `retry-after`; другие 4xx не ' +
        'повторяйте.',
      '- Прежде чем сказать, что чего-то нет, прочитайте список до конца по `next_cursor`.',
      '- Действие с ответом `needs_approval` ждёт решения человека: не запрашивайте его снова.',
    ],
    rights: 'Что может ключ вида `agent`',
    failing: 'Если запрос не прошёл',
    whenFailing: (page) => [
      `1. Прочитайте \`error.code\` и его страницу: \`${page}\`.`,
      `2. Обратитесь к \`POST ${BASE_URL_PLACE}/v1/gw/devex/debug\` с полями \`request\`,`,
      '   `status` и `error_code`: в ответе — причина, решение и наименьший JSON Patch, который',
      '   поможет.',
      '3. Примените его и повторите запрос. При отладке ничего не выполняется и не оплачивается.',
    ],
    next: 'Что читать дальше',
  },
};
