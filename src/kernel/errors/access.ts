import type { StatedError } from './row.js';

/** What every operation may be refused for. */
export const ACCESS_ERRORS = {
  missing_credential: {
    status: 401,
    message: 'No credential was sent. Put `Authorization: Bearer <key or token>` on the request.',
    cause:
      'The operation needs a bearer credential and the header is missing or of another scheme.',
    fix: [
      'Create a key with POST /api-keys or log in with POST /auth/login, and send it as bearer.',
    ],
    ru: {
      message:
        'Запрос пришёл без ключа и без токена. Добавьте заголовок `Authorization: Bearer ' +
        '<ключ или токен>`.',
      cause: 'Операции нужны данные доступа, а заголовка нет или в нём указана другая схема.',
      fix: [
        'Создайте ключ через POST /api-keys или войдите через POST /auth/login и передайте ' +
          'полученное значение в заголовке.',
      ],
    },
  },
  workspace_caller_confined: {
    status: 403,
    message:
      '{source} belongs to the workspace {workspace}, and this operation reads or changes what ' +
      'belongs to the whole organization.',
    cause:
      'A workspace is a boundary for its keys and members, also for reading. They keep what ' +
      'concerns their own requests and the keys and rows of their workspace. Ledger, reports, ' +
      'policies, members, receipts, the audit trail and feeds are for callers outside all ' +
      'workspaces.',
    fix: [
      'Use a key of no workspace, or log in as a member of none.',
      'See what the caller may do: GET /me lists its permissions.',
      'Take the key out of the workspace: PATCH /api-keys/{id} with workspace_id null.',
    ],
    ru: {
      message:
        'Операция читает или меняет то, что принадлежит всей организации, а вызывающий ' +
        '({source}) относится к рабочему пространству {workspace}.',
      cause:
        'Рабочее пространство ограничивает свои ключи и участников, в том числе при чтении. Им ' +
        'доступны собственные запросы, а также ключи и записи своего пространства. Книга ' +
        'проводок, отчёты, политики, участники, квитанции, журнал аудита и ленты доступны тем, ' +
        'кто не относится ни к одному пространству.',
      fix: [
        'Возьмите ключ без пространства или войдите как участник вне пространств.',
        'Посмотрите, что доступно: GET /me перечисляет права вызывающего.',
        'Выведите ключ из пространства: PATCH /api-keys/{id} с workspace_id, равным null.',
      ],
    },
  },
  permission_denied: {
    status: 403,
    message: '{principal} may not do this; it needs the permission {permission}.',
    cause: 'The role of the member or the type of the key does not carry the permission.',
    fix: ['See the table of roles and key types in the docs; use a credential that carries it.'],
    ru: {
      message: 'Недостаточно прав ({principal}): нужно право {permission}.',
      cause: 'Роль участника или тип ключа не включает это право.',
      fix: [
        'Посмотрите таблицу ролей и типов ключей в документации и используйте ключ или ' +
          'токен с нужным правом.',
      ],
    },
  },
  second_factor_enrollment_required: {
    status: 403,
    message: 'The organization requires a second factor. Enrol one, then everything works.',
    cause:
      'The member has no second factor, and an owner or admin of the organization requires it.',
    fix: [
      'Call the mutation authSecondFactorEnroll, add the secret to an authenticator and confirm ' +
        'it with authSecondFactorConfirm; this session then has its rights.',
    ],
    ru: {
      message: 'Организация требует второй фактор. Подключите его, и всё заработает.',
      cause:
        'У участника нет второго фактора, а владелец или администратор организации его требует.',
      fix: [
        'Вызовите мутацию authSecondFactorEnroll, добавьте секрет в приложение-аутентификатор и ' +
          'подтвердите его через authSecondFactorConfirm: права появятся в этом же входе.',
      ],
    },
  },
  platform_admin_required: {
    status: 403,
    message: 'Only administrators of the platform may do this.',
    cause:
      'The operator of this server names its administrators by their ids in GW_PLATFORM_ADMINS.',
    fix: ['Ask the operator of this server.'],
    ru: {
      message: 'Это действие доступно только администраторам платформы.',
      cause:
        'Оператор сервера перечисляет администраторов по их идентификаторам в ' +
        'GW_PLATFORM_ADMINS.',
      fix: ['Обратитесь к оператору этого сервера.'],
    },
  },
  tenant_suspended: {
    status: 403,
    message: 'The organization is suspended.',
    cause: 'An operator suspended the organization.',
    fix: ['Contact support.'],
    ru: {
      message: 'Работа организации приостановлена.',
      cause: 'Организацию приостановил оператор.',
      fix: ['Обратитесь в поддержку.'],
    },
  },
} as const satisfies Record<string, StatedError>;
