import { type Html, html } from '../../../kernel/html.js';
import type { InLanguages } from '../../../kernel/language/languages.js';

/** The texts of the start page. */
interface LandingTexts {
  readonly title: string;
  readonly heading: string;
  readonly about: Html;
  readonly address: string;
  readonly credential: string;
  readonly first: string;
  readonly steps: string;
  readonly answer: Html;
  readonly further: string;
  /** The comments above the commands of the first request, and what the commands say. */
  readonly request: {
    readonly register: string;
    readonly organization: string;
    readonly key: string;
    readonly keyName: string;
    readonly topUp: string;
    readonly ask: string;
    readonly hello: string;
  };
  /** Where to go on, by path. */
  readonly destinations: Readonly<Record<Destination, readonly [name: string, about: string]>>;
}

type Destination =
  | '/docs'
  | '/graphiql'
  | '/docs/errors'
  | '/docs/access'
  | '/cockpit'
  | '/openapi.json'
  | '/schema.graphql'
  | '/llms.txt'
  | '/llms-full.txt';

/** The texts of the start page. */
export const LANDING: InLanguages<LandingTexts> = {
  en: {
    title: 'LLM gateway',
    heading: 'One address for language models, billed in rubles',
    about: html`Chat, embeddings and models on the chat-completions wire: a client moves here by
changing its base address and its key. Behind it stand policies, budgets, a data firewall, routing
with fallbacks, and a prepaid ledger that provably equals the usage. Everything is one GraphQL API;
the REST paths are named operations of it.`,
    address: 'SDK base address',
    credential: 'Credential',
    first: 'First request',
    steps:
      'Four steps in a shell. Registering makes an organization, a project, a ruble account and ' +
      'you as its owner.',
    answer: html`The answer carries <code>gw_routing</code>, <code>gw_slo</code> and
<code>gw_firewall</code>: which model was chosen and why, how long it took, and what the firewall
found.`,
    further: 'Where to go on',
    request: {
      register: 'Register. The answer holds an access token.',
      organization: 'My company',
      key: 'Create a key. Its value is shown this once.',
      keyName: 'first key',
      topUp: 'Top up by hand. A production server answers 403 here unless its operator allows it.',
      ask: 'Ask. gw:auto lets the gateway choose the model.',
      hello: 'Hello!',
    },
    destinations: {
      '/docs': ['API reference', 'Every REST path, to read and to try.'],
      '/graphiql': ['GraphQL explorer', 'Every type, query and subscription.'],
      '/docs/errors': ['Errors', 'Every code, its cause and what to do.'],
      '/docs/access': ['Access', 'What each role and each type of key may do.'],
      '/cockpit': ['Migration cockpit', 'Live checks with your own key.'],
      '/openapi.json': ['OpenAPI 3.1', 'The same for programs; also as YAML.'],
      '/schema.graphql': ['GraphQL schema', 'The schema as text.'],
      '/llms.txt': ['llms.txt', 'The short index for language models.'],
      '/llms-full.txt': ['llms-full.txt', 'All operations and the schema as text.'],
    },
  },
  ru: {
    title: 'Шлюз к языковым моделям',
    heading: 'Один адрес для языковых моделей, оплата в рублях',
    about: html`Чат, эмбеддинги и модели по протоколу chat completions: чтобы перейти сюда,
клиенту достаточно сменить базовый адрес и ключ. За этим адресом — политики, бюджеты, защита
данных, маршрутизация с запасными моделями и предоплаченный счёт, который доказуемо сходится с
расходом. Всё это — один API GraphQL; пути REST — его именованные операции.`,
    address: 'Базовый адрес SDK',
    credential: 'Ключ доступа',
    first: 'Первый запрос',
    steps:
      'Четыре шага в терминале. При регистрации создаются организация, проект, рублёвый счёт и ' +
      'вы — владелец организации.',
    answer: html`В ответе есть <code>gw_routing</code>, <code>gw_slo</code> и
<code>gw_firewall</code>: какая модель выбрана и почему, сколько времени занял ответ и что нашла
защита данных.`,
    further: 'Что дальше',
    request: {
      register: 'Зарегистрируйтесь. В ответе придёт токен доступа.',
      organization: 'Моя компания',
      key: 'Создайте ключ. Его значение показывается только один раз.',
      keyName: 'первый ключ',
      topUp: 'Пополните счёт вручную. Рабочий сервер ответит 403, если оператор это не разрешил.',
      ask: 'Задайте вопрос. С gw:auto модель выберет шлюз.',
      hello: 'Привет!',
    },
    destinations: {
      '/docs': ['Справочник API', 'Все пути REST: прочитать и попробовать.'],
      '/graphiql': ['Запросы GraphQL', 'Все типы, запросы и подписки.'],
      '/docs/errors': ['Ошибки', 'Все коды, их причины и что делать.'],
      '/docs/access': ['Права доступа', 'Что разрешено каждой роли и каждому типу ключа.'],
      '/cockpit': ['Проверка подключения', 'Живые проверки с вашим собственным ключом.'],
      '/openapi.json': ['OpenAPI 3.1', 'То же для программ; есть и в YAML.'],
      '/schema.graphql': ['Схема GraphQL', 'Схема текстом.'],
      '/llms.txt': ['llms.txt', 'Краткий указатель для языковых моделей.'],
      '/llms-full.txt': ['llms-full.txt', 'Все операции и схема текстом.'],
    },
  },
};
