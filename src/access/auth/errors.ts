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
    message: 'The access token is not valid: {reason}.',
    cause: 'The token is expired, of another issuer, or its member left the organization.',
    fix: ['Log in again with POST /auth/login, or use the refresh token.'],
    ru: {
      message: 'Токен доступа недействителен: {reason}.',
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
  login_throttled: {
    status: 429,
    message: 'Too many failed logins. Try again in {seconds} s.',
    cause: 'Failed logins are limited by e-mail and by address.',
    fix: ['Wait for the time in `retry-after`, then try again.'],
    ru: {
      message: 'Слишком много неудачных попыток входа. Попробуйте снова через {seconds} с.',
      cause: 'Число неудачных попыток ограничено для адреса почты и для сетевого адреса.',
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
