import type { StatedError } from '../../kernel/errors/row.js';

/** What budgets by scope refuse beyond the codes of the ledger. */
export const SCOPE_BUDGET_ERRORS = {
  budget_approval_required: {
    status: 402,
    message:
      'The request may cost {required} RUB, which does not fit the budget "{budget}": {spent} of ' +
      '{cap} RUB are spent and {held} RUB held by open requests. What goes beyond needs an ' +
      'approval.',
    cause:
      'The budget says on_cap_reached: require_approval. An exception waits in the approval ' +
      'queue; where the error has an approval_id, it is that one.',
    fix: [
      'Have the approval decided: POST /v1/gw/approvals/{id}/approve, then repeat the request.',
      'Send gw_approval: {"wait_seconds": 300} with a chat request: it waits, and goes on ' +
        'when a member approves.',
      'Raise hard_cap with POST /v1/gw/finops/budgets.',
    ],
    ru: {
      message:
        'Запрос может стоить {required} ₽ и не помещается в бюджет «{budget}»: потрачено ' +
        '{spent} из {cap} ₽, ещё {held} ₽ удерживают открытые запросы. Сверх бюджета нужно ' +
        'разрешение.',
      cause:
        'У бюджета задано on_cap_reached: require_approval. Исключение ждёт в очереди ' +
        'решений; если в ошибке есть approval_id, это оно.',
      fix: [
        'Добейтесь решения: POST /v1/gw/approvals/{id}/approve, затем повторите запрос.',
        'Добавьте в запрос чата gw_approval: {"wait_seconds": 300}: он подождёт и ' +
          'продолжится, когда участник одобрит.',
        'Поднимите hard_cap через POST /v1/gw/finops/budgets.',
      ],
    },
  },
  budget_degrade_unusable: {
    status: 402,
    message:
      'The request does not fit the budget "{budget}", and its cheaper route {route} cannot take ' +
      'it: ' +
      '{reason}',
    cause:
      'The budget says on_cap_reached: degrade. The route that it names was asked and refused: ' +
      'by the policy, the data class, its capabilities or its window.',
    fix: [
      'Name another route in degrade_to with POST /v1/gw/finops/budgets.',
      'Raise hard_cap with POST /v1/gw/finops/budgets, or wait for the next period.',
    ],
    ru: {
      message:
        'Запрос не помещается в бюджет «{budget}», а его более дешёвый маршрут {route} ' +
        'принять запрос не может: {reason}',
      cause:
        'У бюджета задано on_cap_reached: degrade. Названный в нём маршрут отказал: из-за ' +
        'политики, класса данных, возможностей или окна.',
      fix: [
        'Назовите в degrade_to другой маршрут через POST /v1/gw/finops/budgets.',
        'Поднимите hard_cap через POST /v1/gw/finops/budgets или дождитесь следующего периода.',
      ],
    },
  },
  budget_premium_restricted: {
    status: 402,
    message:
      'The budget "{budget}" stands on the step {step} of its ladder, which keeps premium models ' +
      'out: {reason}',
    cause:
      'The budget says ladder: true, and so much of its cap is spent that models of a premium ' +
      'quality tier answer no more. GET /v1/gw/unit-economics/reference lists steps and tiers.',
    fix: [
      'Name a model of another quality tier, or gw:auto, which keeps premium models out.',
      'Raise hard_cap with POST /v1/gw/finops/budgets, or wait for the next period.',
    ],
    ru: {
      message:
        'Бюджет «{budget}» находится на ступени {step} своей лестницы, где премиальные ' +
        'модели недоступны: {reason}',
      cause:
        'У бюджета задано ladder: true, и потрачена такая его часть, что модели премиального ' +
        'уровня больше не отвечают. Ступени и уровни перечислены в GET ' +
        '/v1/gw/unit-economics/reference.',
      fix: [
        'Назовите модель другого уровня качества или gw:auto, который премиальные модели ' +
          'не берёт.',
        'Поднимите hard_cap через POST /v1/gw/finops/budgets или дождитесь следующего периода.',
      ],
    },
  },
  budget_batch_only: {
    status: 402,
    message:
      'The budget "{budget}" stands on the step {step} of its ladder, which answers only ' +
      'requests that can wait.',
    cause:
      'The budget says ladder: true, and so much of its cap is spent that a request has to say ' +
      'that nobody waits for it. It is streamed, or its metadata.interaction_class is neither ' +
      'DEFERRABLE nor BATCH.',
    fix: [
      'Send "metadata": {"interaction_class": "BATCH"} without stream for work that can wait.',
      'Raise hard_cap with POST /v1/gw/finops/budgets, or wait for the next period.',
    ],
    ru: {
      message:
        'Бюджет «{budget}» находится на ступени {step} своей лестницы, где выполняются ' +
        'только запросы, которые могут подождать.',
      cause:
        'У бюджета задано ladder: true, и потрачена такая его часть, что запрос должен ' +
        'сообщить: его никто не ждёт. Он идёт потоком, или его metadata.interaction_class — ' +
        'не DEFERRABLE и не BATCH.',
      fix: [
        'Для работы, которая может подождать, передайте "metadata": {"interaction_class": ' +
          '"BATCH"} без stream.',
        'Поднимите hard_cap через POST /v1/gw/finops/budgets или дождитесь следующего периода.',
      ],
    },
  },
  budget_read_only: {
    status: 402,
    message:
      'The budget "{budget}" stands on the step {step} of its ladder, which refuses requests ' +
      'with tools.',
    cause:
      'The budget says ladder: true, and so much of its cap is spent that nothing may be changed ' +
      'any more: a request that offers tools can act on the world.',
    fix: [
      'Send the request without tools and functions.',
      'Raise hard_cap with POST /v1/gw/finops/budgets, or wait for the next period.',
    ],
    ru: {
      message:
        'Бюджет «{budget}» находится на ступени {step} своей лестницы, где запросы с ' +
        'инструментами не принимаются.',
      cause:
        'У бюджета задано ladder: true, и потрачена такая его часть, что ничего больше ' +
        'нельзя менять: запрос с инструментами может воздействовать на внешний мир.',
      fix: [
        'Отправьте запрос без tools и functions.',
        'Поднимите hard_cap через POST /v1/gw/finops/budgets или дождитесь следующего периода.',
      ],
    },
  },
  budget_hard_stop: {
    status: 402,
    message:
      'The budget "{budget}" stands on the last step of its ladder: every request is refused.',
    cause: 'The budget says ladder: true, and all of its cap is spent.',
    fix: ['Raise hard_cap with POST /v1/gw/finops/budgets, or wait for the next period.'],
    ru: {
      message:
        'Бюджет «{budget}» находится на последней ступени своей лестницы: отклоняется каждый ' +
        'запрос.',
      cause: 'У бюджета задано ladder: true, и он потрачен целиком.',
      fix: [
        'Поднимите hard_cap через POST /v1/gw/finops/budgets или дождитесь следующего периода.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
