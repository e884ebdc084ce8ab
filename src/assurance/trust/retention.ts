import { WEBHOOK_LIMITS } from '../../actions/webhook-endpoints/vocabulary.js';
import { flag, list, text, type ValuesOf } from '../../kernel/fields/field.js';
import { ANSWER_HOURS_MAX } from '../../money/ledger/create-ledger.js';
import { KEY_HOURS } from '../../records/idempotency-statements.js';
import { MONTHS_KEPT, MONTHS_KEPT_MIN } from '../../records/months.js';
import { CACHE_SECONDS_MAX } from '../../routing/workloads/records.js';

/** What is said of one thing that the gateway keeps. */
export const RETENTION_FIELDS = {
  code: text('The thing that is kept.'),
  title: text('The thing, in Russian.'),
  content: flag('Whether texts of requests or answers can be in it.'),
  period: text('How long it is kept, and what ends it earlier, in Russian.'),
  condition: text('When it comes to be, in Russian.'),
  enforcedIn: text('The file that holds the period.'),
  tables: list(text('A table.'), 'The tables of the database that hold it; empty for none.'),
} as const;

const CACHE_HOURS_MAX = CACHE_SECONDS_MAX / 3_600;

/** Rows that the operator drops by whole months. */
function byMonths(word: keyof typeof MONTHS_KEPT): string {
  const [months, least] = [MONTHS_KEPT[word], MONTHS_KEPT_MIN[word]];
  return (
    `хранятся месяцами; оператор может удалить месяц старше ${months} месяцев ` +
    `(по его решению — меньше, но не меньше ${least})`
  );
}

const UNTIL_ERASED = 'содержимое — пока владелец не сотрёт персональные данные организации';
const ERASED_EARLIER = 'стирание персональных данных организации удаляет раньше';

/** Everything of requests, answers and actions that outlives them, with what ends it. */
export const RETENTION: readonly ValuesOf<typeof RETENTION_FIELDS>[] = [
  {
    code: 'usage_metadata',
    title: 'Строки использования: метаданные, метки вызывающего, отпечаток промпта',
    content: false,
    period: `${byMonths('usage')}; изменение и удаление строки отвергает база данных`,
    condition: 'каждый вызванный запрос',
    enforcedIn: 'src/records/months.ts',
    tables: ['usage_event'],
  },
  {
    code: 'ledger_lines',
    title: 'Проводки',
    content: false,
    period: 'не удаляются: изменение и удаление отвергает база данных',
    condition: 'каждое движение денег',
    enforcedIn: 'prisma/schema/money.prisma',
    tables: ['ledger_entry'],
  },
  {
    code: 'feed_events',
    title: 'События лент: метаданные',
    content: false,
    period: byMonths('events'),
    condition: 'события одобрений, аномалий, вебхуков и проверок миграции',
    enforcedIn: 'src/records/months.ts',
    tables: ['feed_event'],
  },
  {
    code: 'keyed_answers',
    title: 'Ответ под ключом идемпотентности, запечатан секретом сервера',
    content: true,
    period: `${KEY_HOURS} ч, ответ чата не дольше ${ANSWER_HOURS_MAX} ч; ${ERASED_EARLIER}`,
    condition: 'только если клиент прислал Idempotency-Key',
    enforcedIn: 'src/records/idempotency-statements.ts',
    tables: ['idempotency_record', 'keyed_outcome', 'kept_answer'],
  },
  {
    code: 'response_cache',
    title: 'Кеш ответов моделей',
    content: true,
    period: `срок контракта нагрузки, не дольше ${CACHE_HOURS_MAX} ч; ${ERASED_EARLIER}`,
    condition: 'только если организация опубликовала контракт нагрузки с кешем',
    enforcedIn: 'src/routing/workloads/records.ts',
    tables: [],
  },
  {
    code: 'webhook_deliveries',
    title: 'Доставки вебхуков: событие и ответ вашего адреса',
    content: true,
    period:
      `${WEBHOOK_LIMITS.retentionDays} дней после завершения, не больше ` +
      `${WEBHOOK_LIMITS.endedMax} на адрес; ${ERASED_EARLIER} завершённые и все ответы`,
    condition: 'только если организация завела вебхук',
    enforcedIn: 'src/actions/webhook-endpoints/vocabulary.ts',
    tables: ['webhook_delivery'],
  },
  {
    code: 'tool_calls',
    title: 'Вызовы инструментов: аргументы и ответ вызванной системы',
    content: true,
    period: `${UNTIL_ERASED}; строка вызова не удаляется: это доказательство действия`,
    condition: 'только если организация вызывает инструменты',
    enforcedIn: 'prisma/schema/actions.prisma',
    tables: ['tool_call'],
  },
  {
    code: 'integrations',
    title: 'Действия во внешних системах: предпросмотры, изменения, состояние записей',
    content: true,
    period: `${UNTIL_ERASED}; строка действия не удаляется`,
    condition: 'только если организация меняет записи внешних систем',
    enforcedIn: 'prisma/schema/actions.prisma',
    tables: ['integration_preview', 'integration_action', 'integration_record'],
  },
  {
    code: 'approvals',
    title: 'Одобрения: что было показано тому, кто решает',
    content: true,
    period: `${UNTIL_ERASED}; решение не удаляется`,
    condition: 'только если действие ждало решения человека',
    enforcedIn: 'prisma/schema/records.prisma',
    tables: ['approval'],
  },
  {
    code: 'receipts',
    title: 'Квитанции действий во внешних системах и сценариев',
    content: true,
    period: `${UNTIL_ERASED}; квитанция и её хеш не удаляются`,
    condition: 'каждое действие во внешней системе, каждый шаг и прогон сценария',
    enforcedIn: 'src/platform/database/sealed-columns.ts',
    tables: ['sealed_receipt'],
  },
  {
    code: 'own_material',
    title: 'Собственные материалы: образцы промптов, наборы оценки, прогоны сценариев',
    content: true,
    period: `${UNTIL_ERASED}; версии и прогоны не удаляются`,
    condition: 'только если организация их записала или запустила',
    enforcedIn: 'prisma/schema/prompts.prisma',
    tables: ['prompt_version', 'prompt_case_set', 'blueprint_run', 'blueprint_run_underway'],
  },
  {
    code: 'own_configuration',
    title: 'Шаблоны промптов, политики и контракты',
    content: true,
    period: 'не удаляются, и стирание персональных данных их не трогает: версии добавляются',
    condition: 'только если организация их записала',
    enforcedIn: 'prisma/schema/prompts.prisma',
    tables: ['prompt_version', 'policy_version', 'contract_version'],
  },
  {
    code: 'audit_trail',
    title: 'Журнал изменений управления: хеши, без содержимого',
    content: false,
    period: 'не удаляется: изменение и удаление отвергает база данных',
    condition: 'каждое изменение управления',
    enforcedIn: 'src/records/audit-trail.ts',
    tables: ['audit_event', 'audit_link'],
  },
];
