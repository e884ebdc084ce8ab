import { WEBHOOK_LIMITS } from '../../actions/webhook-endpoints/vocabulary.js';
import { flag, text, type ValuesOf } from '../../kernel/fields/field.js';
import { ANSWER_HOURS_MAX } from '../../money/ledger/create-ledger.js';
import { KEY_HOURS } from '../../records/idempotency-statements.js';
import { CACHE_SECONDS_MAX } from '../../routing/workloads/records.js';

/** What is said of one thing that the gateway keeps. */
export const RETENTION_FIELDS = {
  code: text('The thing that is kept.'),
  title: text('The thing, in Russian.'),
  content: flag('Whether texts of requests or answers can be in it.'),
  period: text('How long it is kept, in Russian.'),
  condition: text('When it comes to be, in Russian.'),
  enforcedIn: text('The file that holds the period.'),
} as const;

const HOUR_SECONDS = 3_600;

/** Everything that outlives a request, with the periods that the code itself reads. */
export const RETENTION: readonly ValuesOf<typeof RETENTION_FIELDS>[] = [
  {
    code: 'usage_metadata',
    title: 'Строки использования и проводки',
    content: false,
    period: 'не удаляются: изменение и удаление отвергает база данных',
    condition: 'каждый вызванный запрос',
    enforcedIn: 'prisma/schema/money.prisma',
  },
  {
    code: 'keyed_answers',
    title: 'Ответ под ключом идемпотентности, запечатан секретом сервера',
    content: true,
    period: `${KEY_HOURS} ч, ответ чата не дольше ${ANSWER_HOURS_MAX} ч`,
    condition: 'только если клиент прислал Idempotency-Key',
    enforcedIn: 'src/records/idempotency-statements.ts',
  },
  {
    code: 'response_cache',
    title: 'Кеш ответов моделей',
    content: true,
    period: `срок контракта нагрузки, не дольше ${CACHE_SECONDS_MAX / HOUR_SECONDS} ч`,
    condition: 'только если организация опубликовала контракт нагрузки с кешем',
    enforcedIn: 'src/routing/workloads/records.ts',
  },
  {
    code: 'webhook_deliveries',
    title: 'Доставки вебхуков с их содержимым (метаданные событий)',
    content: false,
    period: `${WEBHOOK_LIMITS.retentionDays} дней после завершения`,
    condition: 'только если организация завела вебхук',
    enforcedIn: 'src/actions/webhook-endpoints/worker/retention.ts',
  },
  {
    code: 'tool_calls',
    title: 'Вызовы инструментов: аргументы и ответ вызванной системы',
    content: true,
    period: 'не удаляются: это доказательство действия',
    condition: 'только если организация вызывает инструменты',
    enforcedIn: 'prisma/schema/actions.prisma',
  },
  {
    code: 'own_material',
    title: 'Собственные материалы: промпты, образцы, прогоны сценариев, наборы оценки',
    content: true,
    period: 'не удаляются: версии только добавляются',
    condition: 'только если организация их записала или запустила',
    enforcedIn: 'prisma/schema/prompts.prisma',
  },
  {
    code: 'audit_trail',
    title: 'Журнал изменений управления: хеши, без содержимого',
    content: false,
    period: 'не удаляется: изменение и удаление отвергает база данных',
    condition: 'каждое изменение управления',
    enforcedIn: 'src/records/audit-trail.ts',
  },
];
