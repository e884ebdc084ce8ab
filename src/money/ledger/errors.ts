import type { StatedError } from '../../kernel/errors/row.js';

/** Money and caps that a request would pass. */
export const LEDGER_ERRORS = {
  insufficient_balance: {
    status: 402,
    message:
      'The balance does not cover this request: {available} RUB are free, and it can cost ' +
      '{required} RUB even with a short answer. Top up the account, or send a shorter prompt or ' +
      'a lower max_tokens.',
    cause:
      'The balance, less what open requests hold, is not enough for the prompt with an answer of ' +
      '256 tokens, or of max_tokens where that is less. Where more is free, the limit of the ' +
      'answer is lowered to what it pays for instead of refusing.',
    fix: ['Top up the account.', 'Send a shorter prompt or a lower max_tokens.'],
    ru: {
      message:
        'На балансе не хватает средств: свободно {available} ₽, а запрос даже с коротким ' +
        'ответом может стоить {required} ₽. Пополните счёт, сократите промпт или уменьшите ' +
        'max_tokens.',
      cause:
        'Баланса за вычетом того, что удерживают открытые запросы, не хватает на промпт с ' +
        'ответом в 256 токенов или в max_tokens, если это меньше. Когда свободно больше, ' +
        'предел ответа снижается до оплаченного, и запрос выполняется.',
      fix: ['Пополните счёт.', 'Сократите промпт или уменьшите max_tokens.'],
    },
  },
  budget_exhausted: {
    status: 402,
    message: 'The budget "{budget}" is spent: {spent} of {cap} RUB.',
    cause: 'A policy or a budget by scope caps spending for this period, and the cap is reached.',
    fix: [
      'Ask for an exception with POST /v1/gw/policies/{id}/budget-exceptions.',
      'Send gw_approval: {"wait_seconds": 300} with a chat request: it asks by itself, waits, ' +
        'and goes on when a member approves.',
      'Raise the cap of a policy with PATCH /v1/gw/policies/{id}, that of a scope with POST ' +
        '/v1/gw/finops/budgets, or wait for the next period.',
    ],
    ru: {
      message: 'Бюджет «{budget}» исчерпан: потрачено {spent} из {cap} ₽.',
      cause: 'Политика или бюджет области ограничивает расходы за период, и предел достигнут.',
      fix: [
        'Попросите исключение через POST /v1/gw/policies/{id}/budget-exceptions.',
        'Добавьте в запрос чата gw_approval: {"wait_seconds": 300}: он сам попросит ' +
          'разрешения, подождёт и продолжится, когда участник одобрит.',
        'Поднимите предел политики через PATCH /v1/gw/policies/{id}, предел области — ' +
          'через POST /v1/gw/finops/budgets, или дождитесь следующего периода.',
      ],
    },
  },
  budget_too_small: {
    status: 402,
    message:
      'The budget "{budget}" is not spent, but too small for this request: {left} of {cap} RUB ' +
      'are left, and it can cost {required} RUB even with a short answer. Raise the cap, or send ' +
      'a shorter prompt or a lower max_tokens.',
    cause:
      'What is left of the budget does not cover the prompt with an answer of 256 tokens, or of ' +
      'max_tokens where that is less.',
    fix: [
      'Raise the cap with PATCH /v1/gw/policies/{id}, or ask for an exception.',
      'Send a shorter prompt or a lower max_tokens.',
    ],
    ru: {
      message:
        'Бюджет «{budget}» ещё не исчерпан, но для этого запроса мал: осталось {left} из ' +
        '{cap} ₽, а запрос даже с коротким ответом может стоить {required} ₽. Поднимите ' +
        'предел, сократите промпт или уменьшите max_tokens.',
      cause:
        'Остатка бюджета не хватает на промпт с ответом в 256 токенов или в max_tokens, если ' +
        'это меньше.',
      fix: [
        'Поднимите предел через PATCH /v1/gw/policies/{id} или попросите исключение.',
        'Сократите промпт или уменьшите max_tokens.',
      ],
    },
  },
  budget_reserved: {
    status: 402,
    message: 'The budget "{budget}" is not spent, but open requests hold the rest of it.',
    cause: 'Requests in flight reserve their upper estimate until they settle.',
    fix: ['Retry when the open requests are done.', 'Lower max_tokens to reserve less.'],
    ru: {
      message: 'Бюджет «{budget}» ещё не исчерпан, но его остаток удерживают открытые запросы.',
      cause:
        'Выполняемые запросы резервируют верхнюю оценку своей стоимости до окончательного ' +
        'расчёта.',
      fix: [
        'Повторите, когда открытые запросы завершатся.',
        'Уменьшите max_tokens, чтобы резервировать меньше.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
