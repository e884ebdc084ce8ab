import {
  KEY_TYPES,
  type KeyType,
  PERMISSIONS,
  type Permission,
  ROLES,
  type Role,
} from '../../../graph/permissions.js';
import { type Html, html } from '../../../kernel/html.js';
import type { InLanguages } from '../../../kernel/language/languages.js';

/** The texts of the page of access: a permission without its sentence does not compile. */
interface AccessTexts {
  readonly title: string;
  readonly about: Html;
  readonly holders: string;
  readonly members: string;
  readonly keys: string;
  readonly permission: string;
  readonly yes: string;
  readonly no: string;
  readonly who: Readonly<Record<Role | KeyType, string>>;
  permissions(): Readonly<Record<Permission, string>>;
}

const RUSSIAN: Readonly<Record<Permission, string>> = {
  'billing.seal': 'Выдавать квитанции о целостности расчётов и закрывать месяцы.',
  'usage.read': 'Читать события расхода.',
  'billing.read': 'Читать баланс и книгу учёта.',
  'billing.top_up': 'Пополнять счёт вручную, если сервер это разрешает.',
  'receipts.read': 'Читать и проверять запечатанные квитанции.',
  'anomalies.read': 'Читать ленту аномалий.',
  'audit.read': 'Читать журнал аудита.',
  'approvals.read': 'Читать очередь одобрений и её ленту.',
  'approvals.decide': 'Одобрять или отклонять то, что ждёт решения.',
  'readiness.read': 'Читать готовность организации к рабочей нагрузке.',
  'value.read': 'Читать события ценности, отдачу по сценариям и портфель.',
  'value.record': 'Записывать деловые результаты работы ИИ.',
  'partner.read': 'Читать условия клиентов партнёра, наценки и отчёты для клиентов.',
  'partner.write': 'Публиковать условия, по которым партнёр выставляет счета клиенту.',
  'adaptive_routing.read':
    'Читать контракты маршрутизации, аварийные выключатели, квитанции маршрутов и портфель.',
  'adaptive_routing.write':
    'Публиковать контракты маршрутизации, решать о маршрутах и сообщать исходы ответов.',
  'adaptive_routing.switch': 'Переключать аварийный выключатель маршрутизатора.',
  'workloads.read':
    'Читать контракты нагрузок, квитанции преобразований и планы обработки документов.',
  'workloads.write': 'Публиковать контракты нагрузок и запечатывать преобразования.',
  'routing.read': 'Читать политики маршрутов, карты качества моделей, решения и портфель.',
  'routing.write': 'Публиковать политики маршрутов и карты качества моделей, решать о маршрутах.',
  'aliases.read': 'Читать имена, под которыми организация вызывает модели.',
  'aliases.write': 'Давать модели или gw:auto имя, принятое в вашем коде.',
  'integrations.read': 'Читать действия интеграций и квитанции; ключ агента видит только свои.',
  'integrations.run': 'Просматривать заранее и выполнять действия интеграций.',
  'webhooks.read': 'Читать адреса, которым сообщают о событиях, и что им доставлено.',
  'webhooks.write': 'Задавать адреса для событий, менять их секреты и повторять доставку.',
  'tools.read': 'Читать инструменты, вызовы и квитанции; ключ агента видит только свои вызовы.',
  'tools.write': 'Регистрировать инструменты и менять их секреты подписи.',
  'tools.run': 'Просматривать заранее и запрашивать действия инструментов и отменять их.',
  'migration.read': 'Читать миграции с других провайдеров и их проверки.',
  'migration.write': 'Создавать миграции, сканировать код, сравнивать, переключать и откатывать.',
  'blueprints.read': 'Читать запуски и развёртывания шаблонов.',
  'blueprints.run': 'Сохранять манифесты шаблонов, запускать их в песочнице и развёртывать.',
  'profile.read': 'Читать свой профиль, организацию и её проекты.',
  'projects.write': 'Создавать проекты.',
  'members.read': 'Просматривать участников и открытые приглашения.',
  'members.write': 'Приглашать участников, отзывать приглашения, менять роли и удалять участников.',
  'policies.read': 'Читать политики и их версии.',
  'policies.write': 'Создавать и менять политики.',
  'budgets.request': 'Просить исключение из бюджета.',
  'keys.read': 'Просматривать ключи API; сам ключ показывается только один раз, при создании.',
  'keys.write': 'Создавать и отзывать ключи API.',
  'organization.write': 'Менять то, как организация принимает решения: правило четырёх глаз.',
  'inference.run': 'Вызывать модели: чат и эмбеддинги.',
  'models.read': 'Просматривать модели, которые разрешает политика проекта.',
  'unit_economics.read': 'Читать события затрат, их полноту и утечки, квитанции FinOps.',
  'unit_economics.write': 'Записывать события затрат и счета, запечатывать квитанции FinOps.',
  'finops.read': 'Читать бюджеты областей, прогнозы, квитанции затрат и правила аномалий.',
  'finops.write':
    'Задавать бюджеты областей и правила аномалий, записывать прогнозы и квитанции затрат.',
  'reports.read':
    'Читать отчёты о расходе: стоимость, уровень сервиса, отклонения и что можно кэшировать.',
  'prompts.read': 'Читать пакеты промптов, их версии и квитанции, политики контекста.',
  'prompts.write':
    'Создавать, проверять, продвигать и откатывать промпты; создавать политики контекста.',
  'pricing.read': 'Читать книгу цен: планы, расчёты и квитанции по ним.',
  'pricing.write': 'Публиковать планы книги цен и запечатывать расчёты.',
  'commercial.read':
    'Читать гипотезы о готовности платить, доли выигранных сделок и коммерческие квитанции.',
  'commercial.write': 'Записывать гипотезы и исходы сделок, запечатывать коммерческие квитанции.',
};

/** The texts of the page of access. */
export const ACCESS: InLanguages<AccessTexts> = {
  en: {
    title: 'Access',
    about: html`A caller is a member with a role, known by an access token, or an API key with a
type. Each operation asks for one permission; REST and GraphQL ask the same table, which is this
one. Programs read it as <code>accessTable</code>.`,
    holders: 'Roles and key types',
    members: 'Members, by role',
    keys: 'API keys, by type',
    permission: 'Permission',
    yes: 'yes',
    no: 'no',
    who: described([...ROLES.rows, ...KEY_TYPES.rows]),
    // Modules add their rows after this file is read.
    permissions: () =>
      described(Object.entries(PERMISSIONS).map(([code, row]) => ({ code, ...row }))),
  },
  ru: {
    title: 'Права доступа',
    about: html`К шлюзу обращается участник с ролью, которого узнают по токену доступа, или ключ
API своего типа. Каждой операции нужно одно право; REST и GraphQL сверяются с одной и той же
таблицей — с этой. Программы читают её как <code>accessTable</code>.`,
    holders: 'Роли и типы ключей',
    members: 'Участники по ролям',
    keys: 'Ключи API по типам',
    permission: 'Право',
    yes: 'да',
    no: 'нет',
    who: {
      owner: 'Всё; в организации остаётся хотя бы один владелец.',
      admin: 'Всё, кроме назначения владельцев.',
      security: 'Ключи, политики, инструменты, одобрения и журнал аудита.',
      finance: 'Деньги, книга учёта, расход и отчёты.',
      developer: 'Вызывает модели, управляет ключами, промптами, инструментами и миграциями.',
      viewer: 'Читает, ничего не меняет.',
      standard: 'Всё, кроме участников, одобрений и ключей.',
      agent: 'Вызывает модели и запрашивает действия; для ИИ-агентов.',
      service: 'То же, что standard, и управление ключами; для рабочей среды.',
    },
    permissions: () => RUSSIAN,
  },
};

/** The sentences of rows by their codes. */
function described<Code extends string>(
  rows: readonly { readonly code: string; readonly description: string }[],
): Readonly<Record<Code, string>> {
  const entries = rows.map(({ code, description }) => [code, description]);
  return Object.fromEntries(entries) as Record<Code, string>;
}
