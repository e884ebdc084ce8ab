import { type Html, html } from '../../kernel/html.js';
import type { InLanguages } from '../../kernel/language/languages.js';
import type { Place } from './layout-texts.js';

/** A destination of the start page. */
type Destination = Exclude<Place, '/'>;

/** What the start page says. */
interface LandingTexts {
  readonly title: string;
  readonly heading: string;
  readonly idea: string;
  readonly sdkAddress: string;
  readonly credential: string;
  readonly firstRequest: string;
  readonly steps: string;
  readonly ask: string;
  readonly receipts: Html;
  readonly next: string;
  readonly programs: string;
  readonly destinations: Readonly<Record<Destination, { name: string; about: string }>>;
}

/** What the start page says, by language. */
export const LANDING: InLanguages<LandingTexts> = {
  en: {
    title: 'LLM gateway',
    heading: 'One address for language models, billed in rubles',
    idea:
      'Chat, embeddings and models on the chat-completions wire: a client moves here by ' +
      'changing its base address and its key. Behind it stand policies, budgets, a data ' +
      'firewall, routing with fallbacks, and a prepaid ledger that provably equals the usage. ' +
      'Everything is one GraphQL API; the REST paths are named operations of it.',
    sdkAddress: 'SDK base address',
    credential: 'Credential',
    firstRequest: 'First request',
    steps:
      'Four steps in a shell. Registering makes an organization, a project, a ruble account and ' +
      'you as its owner; pasted again, it logs you in.',
    ask: 'Ask. gw:auto lets the gateway choose the model.',
    receipts: html`The answer carries <code>gw_routing</code>, <code>gw_slo</code> and
<code>gw_firewall</code>: which model was chosen and why, how long it took, and what the firewall
found. In other stacks:`,
    next: 'Where to go on',
    programs: 'For programs and agents',
    destinations: {
      '/docs': { name: 'API reference', about: 'Every REST path, to read and to try.' },
      '/graphiql': { name: 'GraphQL explorer', about: 'Every type, query and subscription.' },
      '/docs/errors': { name: 'Errors', about: 'Every code, its cause and what to do.' },
      '/docs/access': { name: 'Access', about: 'What each role and each type of key may do.' },
      '/cockpit': { name: 'Migration cockpit', about: 'Live checks with your own key.' },
    },
  },
  ru: {
    title: 'LLM-шлюз',
    heading: 'Языковые модели по одному адресу, с оплатой в рублях',
    idea:
      'Чат, эмбеддинги и список моделей в привычном формате chat completions: чтобы перейти ' +
      'сюда, клиенту достаточно сменить базовый адрес и ключ. За этим адресом — политики, ' +
      'бюджеты, фильтр персональных данных и секретов, маршрутизация с запасными моделями и ' +
      'предоплаченный счёт, ' +
      'который доказуемо сходится с расходом. Всё это — один API на GraphQL, а пути REST — его ' +
      'именованные операции.',
    sdkAddress: 'Базовый адрес для SDK',
    credential: 'Авторизация',
    firstRequest: 'Первый запрос',
    steps:
      'Четыре шага в командной строке. При регистрации создаются организация, проект и рублёвый ' +
      'счёт, а вы становитесь владельцем. Если выполнить команды ещё раз, они просто войдут в ' +
      'вашу учётную запись.',
    ask: 'Задайте вопрос. С gw:auto модель выберет шлюз.',
    receipts: html`В ответе есть <code>gw_routing</code>, <code>gw_slo</code> и
<code>gw_firewall</code>: какая модель выбрана и почему, сколько времени занял ответ и что нашёл
фильтр данных. То же на других языках и платформах:`,
    next: 'Что дальше',
    programs: 'Для программ и агентов',
    destinations: {
      '/docs': { name: 'Справочник API', about: 'Все пути REST: прочитать и сразу попробовать.' },
      '/graphiql': { name: 'Обозреватель GraphQL', about: 'Все типы, запросы и подписки.' },
      '/docs/errors': { name: 'Ошибки', about: 'Все коды: в чём причина и что делать.' },
      '/docs/access': { name: 'Доступ', about: 'Что разрешено каждой роли и каждому виду ключа.' },
      '/cockpit': {
        name: 'Проверка миграции',
        about: 'Живые проверки шлюза вашим ключом.',
      },
    },
  },
};
