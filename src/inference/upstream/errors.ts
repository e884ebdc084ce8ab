import type { ErrorRow } from '../../kernel/errors/row.js';

/** Failures of the providers. */
export const UPSTREAM_ERRORS = {
  upstream_rejected: {
    status: 400,
    type: 'invalid_request_error',
    message: '{message}',
    cause: 'The provider refused the request as invalid. Nothing is charged.',
    fix: ['Correct the field that the message names.'],
    ru: {
      message: '{message}',
      cause: 'Провайдер отклонил запрос как некорректный. Ничего не списано.',
      fix: ['Исправьте поле, которое названо в сообщении.'],
    },
  },
  upstream_rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The providers of {model} are at their rate limit.',
    cause:
      'The last deployment of the fallback chain answered 429, or all did that did not fail ' +
      'otherwise, or one more request would pass the limits of those that are left. Nothing is ' +
      'charged.',
    fix: ['Retry after the time in `retry-after`, or allow more models.'],
    ru: {
      message: 'Провайдеры модели {model} достигли своего предела запросов.',
      cause:
        'Последнее развёртывание в цепочке ответило 429, или так ответили все, кто не ' +
        'отказал иначе, или ещё один запрос превысил бы пределы оставшихся. Ничего не ' +
        'списано.',
      fix: ['Повторите через время из `retry-after` или разрешите больше моделей.'],
    },
  },
  upstream_failed: {
    status: 502,
    type: 'upstream_error',
    message: 'The provider failed: {reason}.',
    cause: 'Every deployment in the fallback chain failed. Nothing is charged.',
    fix: ['Retry; add a fallback model to the route.'],
    ru: {
      message: 'Сбой провайдера: {reason}.',
      cause: 'Отказали все развёртывания в цепочке. Ничего не списано.',
      fix: ['Повторите; добавьте в маршрут запасную модель.'],
    },
  },
  upstream_unavailable: {
    status: 503,
    type: 'upstream_error',
    message: 'No provider of {model} is available now.',
    cause: 'The circuit breakers of all deployments are open. Nothing is charged.',
    fix: ['Retry after the time in `retry-after`, or allow more models.'],
    ru: {
      message: 'Сейчас недоступен ни один провайдер модели {model}.',
      cause: 'Предохранители всех развёртываний разомкнуты. Ничего не списано.',
      fix: ['Повторите через время из `retry-after` или разрешите больше моделей.'],
    },
  },
  upstream_timeout: {
    status: 504,
    type: 'upstream_error',
    message: 'The provider did not answer within {seconds} s.',
    cause:
      'A deadline passed before the first byte, between chunks, or in all. Nothing undelivered ' +
      'is charged.',
    fix: ['Retry; ask for less output, or stream the answer.'],
    ru: {
      message: 'Провайдер не ответил за {seconds} с.',
      cause:
        'Срок истёк до первого байта, между частями ответа или в целом. За недоставленное ' +
        'ничего не списано.',
      fix: ['Повторите; попросите ответ короче или получайте его потоком.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
