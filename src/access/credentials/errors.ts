import type { StatedError } from '../../kernel/errors/row.js';

/** What changes of the own credentials are refused for. */
export const CREDENTIAL_ERRORS = {
  invalid_password_reset: {
    status: 400,
    message:
      'The link for a new password was used, has expired or was replaced. Ask for a new one.',
    cause: 'Its token is unknown, was used, has expired, or a newer one was issued for the member.',
    fix: [
      'Ask for a new one with the mutation authPasswordResetRequest, or ask an owner or admin of ' +
        'the organization to issue one.',
    ],
    ru: {
      message:
        'Ссылка для нового пароля уже использована, просрочена или заменена другой. ' +
        'Запросите новую.',
      cause:
        'Её токен неизвестен, уже использован или просрочен, либо участнику выдана более новая ' +
        'ссылка.',
      fix: [
        'Запросите новую мутацией authPasswordResetRequest или попросите её у владельца или ' +
          'администратора организации.',
      ],
    },
  },
  second_factor_exists: {
    status: 409,
    message: 'The member has a second factor already. Remove it before you enrol another one.',
    cause: 'A second factor was enrolled and confirmed before.',
    fix: ['Remove it with the mutation authSecondFactorRemove first, then enrol another one.'],
    ru: {
      message: 'У участника уже есть второй фактор. Отключите его, прежде чем подключать другой.',
      cause: 'Второй фактор был подключён и подтверждён раньше.',
      fix: ['Сначала отключите его мутацией authSecondFactorRemove, затем подключите другой.'],
    },
  },
  second_factor_missing: {
    status: 409,
    message: 'The member has no such second factor.',
    cause: 'None was enrolled, or the one that was enrolled is not confirmed, or is already.',
    fix: ['Enrol one with the mutation authSecondFactorEnroll, and confirm it.'],
    ru: {
      message: 'У участника нет такого второго фактора.',
      cause: 'Он не подключён, либо ещё не подтверждён, либо уже подтверждён.',
      fix: ['Подключите его мутацией authSecondFactorEnroll и подтвердите.'],
    },
  },
} as const satisfies Record<string, StatedError>;
