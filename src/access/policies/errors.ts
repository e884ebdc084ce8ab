import type { StatedError } from '../../kernel/errors/row.js';

/** What a policy of the organization forbids. */
export const POLICY_ERRORS = {
  model_not_allowed: {
    status: 403,
    message: 'The model {model} is not on the allow-list of the policy "{policy}".',
    cause:
      'A policy of the project names the models that may be used, and this is not one of them.',
    fix: ['Use one of the models of GET /v1/models.', 'Extend allowed_models of the policy.'],
    ru: {
      message: 'Модели {model} нет в списке разрешённых политики «{policy}».',
      cause:
        'Политика проекта перечисляет модели, которыми можно пользоваться, и этой среди них ' +
        'нет.',
      fix: ['Используйте одну из моделей GET /v1/models.', 'Дополните allowed_models политики.'],
    },
  },
  data_route_forbidden: {
    status: 403,
    message: 'No permitted data route serves this request: {reason}.',
    cause: 'The policy or the class of the data allows only routes inside Russia.',
    fix: [
      'Choose a model whose route is inside, or gw:auto, which does so by itself.',
      'If it is content that was not read, set its kind to allow in firewall_unread of the policy.',
    ],
    ru: {
      message: 'Нет разрешённого маршрута данных для этого запроса: {reason}.',
      cause: 'Политика или класс данных допускает только маршруты внутри России.',
      fix: [
        'Выберите модель с маршрутом внутри России или gw:auto, который делает это сам.',
        'Если причина — непрочитанное содержимое, разрешите его вид в firewall_unread политики.',
      ],
    },
  },
  firewall_blocked: {
    status: 403,
    message: 'The firewall blocked the request: {classes}.',
    cause: 'The text holds a class of data whose mode in the policy is block.',
    fix: ['Remove the data, or set the mode of the class to mask.'],
    ru: {
      message: 'Межсетевой экран данных остановил запрос: {classes}.',
      cause: 'В тексте есть класс данных, для которого в политике задан режим block.',
      fix: ['Уберите эти данные или задайте для класса режим mask.'],
    },
  },
  content_unread: {
    status: 403,
    message: 'The policy refuses content that the firewall cannot read: {content}.',
    cause:
      'The request carries content that nothing reads, and firewall_unread of a policy says ' +
      'refuse for its kind.',
    fix: [
      'Leave the content out, or send its text instead.',
      'Set the kind in firewall_unread of the policy to rf_only.',
    ],
    ru: {
      message: 'Политика не пропускает содержимое, которое межсетевой экран не читает: {content}.',
      cause:
        'В запросе есть содержимое, которое никто не проверяет, а firewall_unread политики ' +
        'велит такие запросы отклонять.',
      fix: [
        'Уберите это содержимое или передайте его текст.',
        'Задайте для этого вида в firewall_unread политики значение rf_only.',
      ],
    },
  },
  rate_limit_requests: {
    status: 429,
    message: 'More than {limit} requests a minute.',
    cause: 'The policy of the project limits requests per minute.',
    fix: ['Wait for `retry-after`; spread the requests, or raise rpm in the policy.'],
    ru: {
      message: 'Больше {limit|запроса|запросов|запросов} в минуту.',
      cause: 'Политика проекта ограничивает число запросов в минуту.',
      fix: ['Подождите время из `retry-after`; распределите запросы или поднимите rpm в политике.'],
    },
  },
  rate_limit_tokens: {
    status: 429,
    message: 'More than {limit} tokens a minute.',
    cause: 'The policy of the project limits tokens per minute.',
    fix: ['Wait for `retry-after`; send less, or raise tpm in the policy.'],
    ru: {
      message: 'Больше {limit|токена|токенов|токенов} в минуту.',
      cause: 'Политика проекта ограничивает число токенов в минуту.',
      fix: ['Подождите время из `retry-after`; передавайте меньше или поднимите tpm в политике.'],
    },
  },
  rate_limit_concurrency: {
    status: 429,
    message: 'More than {limit} requests at the same time.',
    cause: 'The policy of the project limits concurrent requests.',
    fix: ['Wait for one of the running requests, or raise concurrency in the policy.'],
    ru: {
      message: 'Больше {limit|запроса|запросов|запросов} одновременно.',
      cause: 'Политика проекта ограничивает число одновременных запросов.',
      fix: ['Дождитесь завершения одного из запросов или поднимите concurrency в политике.'],
    },
  },
  policy_version_conflict: {
    status: 409,
    message: 'The policy changed: it is at version {version} now.',
    cause: 'The change was made against an older version.',
    fix: ['Read the policy again and repeat the change on it.'],
    ru: {
      message: 'Политика изменилась: сейчас у неё версия {version}.',
      cause: 'Изменение сделано для более старой версии.',
      fix: ['Прочитайте политику заново и повторите изменение.'],
    },
  },
} as const satisfies Record<string, StatedError>;
