import type { StatedError } from '../../kernel/errors/row.js';

/** Who is asking: credentials, logins and invites. */
export const AUTH_ERRORS = {
  invalid_api_key: {
    status: 401,
    message: 'The API key is not valid.',
    cause:
      'The key is misspelt (its checksum does not fit), unknown or belongs to a closed ' +
      'organization.',
    fix: ['Copy the key again; a lost key cannot be shown, create a new one with POST /api-keys.'],
    ru: {
      message: 'Ключ API недействителен.',
      cause:
        'Ключ написан с ошибкой (не сходится контрольная сумма), неизвестен или принадлежит ' +
        'закрытой организации.',
      fix: [
        'Скопируйте ключ ещё раз; потерянный ключ показать нельзя, создайте новый через ' +
          'POST /api-keys.',
      ],
    },
  },
  unusable_credential: {
    status: 401,
    message:
      'The credential cannot be used: {sent}. Put `Authorization: Bearer <key or token>` on the ' +
      'request, or the key into `x-api-key`.',
    cause: 'Something was sent as credential that is no key and no token of this gateway.',
    fix: [
      'Create a key with POST /api-keys; it begins with gw_sk_. Send it as bearer, or in ' +
        '`x-api-key` or `api-key`.',
    ],
    ru: {
      message:
        'Эти данные доступа не подходят: {sent}. Передайте `Authorization: Bearer <ключ или ' +
        'токен>` или ключ в заголовке `x-api-key`.',
      cause: 'Вместо ключа или токена этого шлюза передано что-то другое.',
      fix: [
        'Создайте ключ через POST /api-keys, он начинается с gw_sk_. Передайте его как Bearer ' +
          'или в заголовке `x-api-key` либо `api-key`.',
      ],
    },
  },
  conflicting_credentials: {
    status: 400,
    message:
      'Two different credentials were sent. Send one of `Authorization`, `x-api-key` and ' +
      '`api-key`, or the same in each.',
    cause: 'The headers name different callers, and the gateway chooses none of them.',
    fix: ['Remove the header that your client or a proxy has added.'],
    ru: {
      message:
        'Переданы два разных ключа. Оставьте один из заголовков `Authorization`, `x-api-key` и ' +
        '`api-key` или передайте в них одно и то же.',
      cause: 'Заголовки указывают на разных отправителей, и шлюз не выбирает между ними.',
      fix: ['Уберите заголовок, который добавил ваш клиент или прокси.'],
    },
  },
  api_key_revoked: {
    status: 401,
    message: 'The API key was revoked.',
    cause: 'A member or a service key revoked it; revocation takes effect at once on every node.',
    fix: ['Create a new key with POST /api-keys and replace the old one.'],
    ru: {
      message: 'Ключ API отозван.',
      cause: 'Его отозвал участник или сервисный ключ; отзыв действует сразу на всех узлах.',
      fix: ['Создайте новый ключ через POST /api-keys и замените им старый.'],
    },
  },
  invalid_token: {
    status: 401,
    message: 'The token is not valid: {reason}.',
    cause: 'The token is expired, of another issuer, or its member left the organization.',
    fix: ['Log in again with POST /auth/login, or use the refresh token.'],
    ru: {
      message: 'Токен недействителен: {reason}.',
      cause: 'Срок токена истёк, он выдан другим сервером, или участник покинул организацию.',
      fix: ['Войдите снова через POST /auth/login или используйте токен обновления.'],
    },
  },
  invalid_login: {
    status: 401,
    message: 'E-mail or password is wrong.',
    cause: 'No member has this pair of e-mail and password.',
    fix: ['Check both; ask an owner of your organization for an invite if you have no account.'],
    ru: {
      message: 'Неверный адрес почты или пароль.',
      cause: 'Участника с такой парой адреса и пароля нет.',
      fix: [
        'Проверьте и то и другое; если учётной записи нет, попросите приглашение у ' +
          'владельца организации.',
      ],
    },
  },
  second_factor_required: {
    status: 401,
    message: 'A code of the second factor is needed: send it as `code`.',
    cause: 'E-mail and password are right, and the member has a second factor.',
    fix: ['Log in again with `code`: a code of the authenticator, or a recovery code.'],
    ru: {
      message: 'Нужен код второго фактора: передайте его в поле `code`.',
      cause: 'Адрес почты и пароль верны, и у участника подключён второй фактор.',
      fix: ['Войдите снова с полем `code`: код из аутентификатора или код восстановления.'],
    },
  },
  invalid_second_factor: {
    status: 401,
    message: 'The code of the second factor is wrong or was used. Take the next one.',
    cause: 'It is wrong or of another time, or it was used: each code works once.',
    fix: ['Wait for the next code of the authenticator, or use another recovery code.'],
    ru: {
      message: 'Код второго фактора неверен или уже использован. Возьмите следующий.',
      cause: 'Код неверен, относится к другому времени или уже использован: он действует один раз.',
      fix: ['Дождитесь следующего кода аутентификатора или возьмите другой код восстановления.'],
    },
  },
  second_factor_locked: {
    status: 429,
    message:
      'Too many wrong codes of the second factor. Try again in {seconds} s, or use a recovery ' +
      'code.',
    cause: 'Wrong codes of a member are limited, on all nodes together.',
    fix: ['Wait for the time in `retry-after`, or log in with a recovery code.'],
    ru: {
      message:
        'Слишком много неверных кодов второго фактора. Попробуйте через {seconds} с или возьмите ' +
        'код восстановления.',
      cause: 'Число неверных кодов участника ограничено, сразу на всех узлах.',
      fix: ['Подождите время из `retry-after` или войдите с кодом восстановления.'],
    },
  },
  login_throttled: {
    status: 429,
    message: 'Too many failed logins. Try again in {seconds} s.',
    cause: 'Failed logins are limited by e-mail and address together, and by each alone.',
    fix: ['Wait for the time in `retry-after`, then try again.'],
    ru: {
      message: 'Слишком много неудачных попыток входа. Попробуйте снова через {seconds} с.',
      cause:
        'Число неудачных попыток ограничено для адреса почты вместе с сетевым адресом и для ' +
        'каждого из них отдельно.',
      fix: ['Подождите время из `retry-after`, затем попробуйте снова.'],
    },
  },
  registration_throttled: {
    status: 429,
    message: 'Too many registrations from this address. Try again in {seconds} s.',
    cause: 'Registrations and acceptances of invites are limited by address.',
    fix: ['Wait for the time in `retry-after`, then try again.'],
    ru: {
      message: 'Слишком много регистраций с этого адреса. Попробуйте снова через {seconds} с.',
      cause: 'Число регистраций и принятых приглашений с одного сетевого адреса ограничено.',
      fix: ['Подождите время из `retry-after`, затем попробуйте снова.'],
    },
  },
  email_taken: {
    status: 409,
    message: 'This e-mail cannot be registered.',
    cause: 'An account with this e-mail exists.',
    fix: ['Log in with it, or register with another e-mail.'],
    ru: {
      message: 'Этот адрес почты зарегистрировать нельзя.',
      cause: 'Учётная запись с этим адресом уже есть.',
      fix: ['Войдите с этим адресом или зарегистрируйтесь с другим.'],
    },
  },
  invalid_invite: {
    status: 400,
    message: 'The invite is not valid.',
    cause:
      'The invite token is unknown, was used, was withdrawn, has expired or is for another e-mail.',
    fix: ['Ask an owner or admin of the organization for a new invite.'],
    ru: {
      message: 'Приглашение недействительно.',
      cause:
        'Токен приглашения неизвестен, уже использован, отозван, просрочен или выдан на ' +
        'другой адрес почты.',
      fix: ['Попросите новое приглашение у владельца или администратора организации.'],
    },
  },
} as const satisfies Record<string, StatedError>;
