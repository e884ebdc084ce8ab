import type { StatedError } from '../../kernel/errors/row.js';

/** What ephemeral tokens and throttled keys are refused with. */
export const ABUSE_ERRORS = {
  ephemeral_token_expired: {
    status: 401,
    message: 'The ephemeral token has expired.',
    cause: 'Its time to live is over. A stream that began in time was answered to its end.',
    fix: ['Issue a new token: POST /v1/gw/abuse/ephemeral-tokens.'],
    ru: {
      message: 'Срок временного токена истёк.',
      cause: 'Время жизни токена вышло. Поток, начатый вовремя, был доведён до конца.',
      fix: ['Выпустите новый токен: POST /v1/gw/abuse/ephemeral-tokens.'],
    },
  },
  ephemeral_token_spent: {
    status: 403,
    message: 'The ephemeral token has made all of its {limit} requests.',
    cause: 'max_requests of the token is reached; validations by a broker count too.',
    fix: ['Issue a new token: POST /v1/gw/abuse/ephemeral-tokens.'],
    ru: {
      message: 'Временный токен исчерпал свои {limit|запрос|запроса|запросов}.',
      cause: 'Достигнут max_requests токена; проверки токена посредником тоже считаются.',
      fix: ['Выпустите новый токен: POST /v1/gw/abuse/ephemeral-tokens.'],
    },
  },
  ephemeral_scope_exceeded: {
    status: 403,
    message: 'An ephemeral token of the scope {scope} may not ask for {operation}.',
    cause: 'The scope of the token decides what it may ask for.',
    fix: ['Issue a token of another scope; GET /v1/gw/abuse/reference lists what each may do.'],
    ru: {
      message: 'Временному токену с областью {scope} операция {operation} недоступна.',
      cause: 'Область токена определяет, о чём он может просить.',
      fix: [
        'Выпустите токен с другой областью; что разрешает каждая, перечисляет GET ' +
          '/v1/gw/abuse/reference.',
      ],
    },
  },
  key_throttled: {
    status: 429,
    message: 'The key is throttled to {limit} requests a minute.',
    cause: 'An abuse incident has throttled the key, or the key that issued the token.',
    fix: [
      'Wait for `retry-after`.',
      'Lift the throttle: POST /v1/gw/abuse/actions/{id}/undo with the action of the incident.',
    ],
    ru: {
      message: 'Скорость ключа ограничена: не больше {limit|запроса|запросов|запросов} в минуту.',
      cause: 'Инцидент злоупотребления замедлил ключ или ключ, выпустивший этот токен.',
      fix: [
        'Подождите время из `retry-after`.',
        'Снимите ограничение: POST /v1/gw/abuse/actions/{id}/undo с действием этого инцидента.',
      ],
    },
  },
  key_action_final: {
    status: 409,
    message: 'The action {action} cannot be undone: {reason}',
    cause: 'A revoked key does not come back, and a rotation stands when its grace is over.',
    fix: ['Create a new key: POST /api-keys.'],
    ru: {
      message: 'Действие {action} нельзя отменить: {reason}',
      cause:
        'Отозванный ключ не возвращается, а замена ключа окончательна, когда льготный срок ' +
        'вышел.',
      fix: ['Создайте новый ключ: POST /api-keys.'],
    },
  },
  key_action_impossible: {
    status: 409,
    message: 'The key cannot be acted on by {action}: {reason}',
    cause: 'Only keys and tokens that work can be throttled or revoked; only keys can be rotated.',
    fix: ['Record the incident without the action.'],
    ru: {
      message: 'К ключу нельзя применить действие {action}: {reason}',
      cause:
        'Замедлить или отозвать можно только работающий ключ или токен; заменить — только ' +
        'ключ.',
      fix: ['Запишите инцидент без этого действия.'],
    },
  },
} as const satisfies Record<string, StatedError>;
