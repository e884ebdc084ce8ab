import type { StatedError } from '../../kernel/errors/row.js';

/** What the limits of a key refuse, and changes of them. */
export const KEY_ERRORS = {
  former_secret_refused: {
    status: 403,
    message: 'The key has a newer secret, and the one that was sent may not rotate it.',
    cause: 'After a rotation the secret before works until its grace is over, and rotates nothing.',
    fix: ['Rotate the key with its present secret, or as a member: POST /api-keys/{id}/rotate.'],
    ru: {
      message: 'У ключа уже есть новый секрет, поэтому прежний не может его сменить.',
      cause: 'После смены прежний секрет действует до конца отсрочки, но сменить ключ не может.',
      fix: ['Смените ключ с нынешним секретом или от имени участника: POST /api-keys/{id}/rotate.'],
    },
  },
  key_address_not_allowed: {
    status: 403,
    message: 'The key "{key}" may not be used from {address}.',
    cause: 'The key, or one that has made it, names the addresses that it may be used from.',
    fix: [
      'Send the request from one of the addresses of the key.',
      'Extend allowed_addresses: PATCH /api-keys/{id}. Behind a proxy of your own the operator ' +
        'must name it in GW_TRUSTED_PROXIES.',
    ],
    ru: {
      message: 'Ключ «{key}» нельзя использовать с адреса {address}.',
      cause: 'У ключа или у ключа, который его создал, перечислены разрешённые адреса.',
      fix: [
        'Отправьте запрос с одного из адресов, разрешённых ключу.',
        'Дополните allowed_addresses: PATCH /api-keys/{id}. Если перед шлюзом стоит прокси, ' +
          'оператор должен указать его в GW_TRUSTED_PROXIES.',
      ],
    },
  },
  key_rate_limit_requests: {
    status: 429,
    message: 'More than {limit} requests a minute with this key.',
    cause: 'The key, or one that has made it, limits requests per minute.',
    fix: [
      'Wait for `retry-after`; spread the requests, or raise rpm of the key: PATCH ' +
        '/api-keys/{id}.',
    ],
    ru: {
      message: 'Больше {limit|запроса|запросов|запросов} в минуту с этим ключом.',
      cause: 'Число запросов в минуту ограничено у ключа или у ключа, который его создал.',
      fix: [
        'Подождите время из `retry-after`; распределите запросы или поднимите rpm ключа: PATCH ' +
          '/api-keys/{id}.',
      ],
    },
  },
  key_rate_limit_tokens: {
    status: 429,
    message: 'More than {limit} tokens a minute with this key.',
    cause: 'The key, or one that has made it, limits tokens per minute.',
    fix: ['Wait for `retry-after`; send less, or raise tpm of the key: PATCH /api-keys/{id}.'],
    ru: {
      message: 'Больше {limit|токена|токенов|токенов} в минуту с этим ключом.',
      cause: 'Число токенов в минуту ограничено у ключа или у ключа, который его создал.',
      fix: [
        'Подождите время из `retry-after`; передавайте меньше или поднимите tpm ключа: PATCH ' +
          '/api-keys/{id}.',
      ],
    },
  },
  key_changes_itself: {
    status: 403,
    message: 'A key changes neither its own limits nor those of a key that has made it.',
    cause: 'A limit that a key could lift by itself would be none.',
    fix: ['Change the key as a member, or with another service key.'],
    ru: {
      message: 'Ключ не меняет ни свои ограничения, ни ограничения ключа, который его создал.',
      cause: 'Ограничение, которое ключ может снять с себя сам, ничего не ограничивает.',
      fix: ['Измените ключ от имени участника или другим сервисным ключом.'],
    },
  },
  key_secrets_full: {
    status: 409,
    message: 'The key has {count} secrets that work; no more do at the same time.',
    cause: 'Each rotation leaves the secret before it working until its grace is over.',
    fix: [
      'Wait until a grace is over, or end the former secrets: DELETE ' +
        '/api-keys/{id}/former-secrets.',
    ],
    ru: {
      message: 'У ключа уже {count|действующий секрет|действующих секрета|действующих секретов}.',
      cause: 'После каждой замены прежний секрет действует, пока не выйдет льготный срок.',
      fix: [
        'Дождитесь конца льготного срока или завершите прежние секреты: DELETE ' +
          '/api-keys/{id}/former-secrets.',
      ],
    },
  },
  key_line_too_long: {
    status: 409,
    message: 'A line of keys, each made by the one before, has at most {count} keys.',
    cause: 'Each request of a key is bound by the limits of all keys that led to it.',
    fix: ['Make the key as a member, or with a key that stands nearer to the member.'],
    ru: {
      message:
        'Ключи создали друг друга по цепочке, а в ней не больше ' + '{count|ключа|ключей|ключей}.',
      cause: 'Каждый запрос ключа связан ограничениями всех ключей, которые к нему привели.',
      fix: ['Создайте ключ от имени участника или ключом, который ближе к участнику.'],
    },
  },
  key_ended: {
    status: 409,
    message: 'The key does not work any more: {reason}.',
    cause: 'A key that was revoked, has expired or was replaced stays so.',
    fix: ['Create a new key: POST /api-keys.'],
    ru: {
      message: 'Ключ больше не работает: {reason}.',
      cause: 'Отозванный, истёкший или заменённый ключ остаётся таким навсегда.',
      fix: ['Создайте новый ключ: POST /api-keys.'],
    },
  },
} as const satisfies Record<string, StatedError>;
