import type { StatedError } from '../../kernel/errors/row.js';

/** Exceptions from budgets. */
export const BUDGET_ERRORS = {
  budget_not_set: {
    status: 422,
    message: 'The policy "{policy}" has no budget for a {period}.',
    cause: 'An exception adds to a cap, and the policy caps no such period or is switched off.',
    fix: ['Read the budgets of the policy with GET /v1/gw/policies.', 'Ask for another period.'],
    ru: {
      message: 'В политике «{policy}» нет бюджета на этот период: {period}.',
      cause:
        'Исключение добавляется к пределу, а политика не ограничивает такой период или ' +
        'выключена.',
      fix: ['Прочитайте бюджеты политики через GET /v1/gw/policies.', 'Выберите другой период.'],
    },
  },
  budget_exceptions_waiting: {
    status: 409,
    message: '{count} exceptions from the budget "{budget}" wait for a decision already.',
    cause: 'The queue takes so many undecided exceptions for one budget and period.',
    fix: ['Have what waits decided: GET /v1/gw/approvals with kind=budget_exception.'],
    ru: {
      message: 'Решения уже ждёт {count|исключение|исключения|исключений} из бюджета «{budget}».',
      cause:
        'Для одного бюджета и периода очередь принимает ограниченное число нерешённых ' +
        'исключений.',
      fix: ['Добейтесь решения по ожидающим: GET /v1/gw/approvals с kind=budget_exception.'],
    },
  },
  approval_rejected: {
    status: 403,
    message: 'The approval that this request waited for was rejected: {reason}.',
    cause: 'The request did not fit a budget, and a member refused an exception from it.',
    fix: ['Speak to who decided: GET /v1/gw/approvals/{id} with the approval_id of the error.'],
    ru: {
      message: 'Разрешение, которого ждал этот запрос, отклонено: {reason}.',
      cause: 'Запрос не помещался в бюджет, и участник отказал в исключении.',
      fix: [
        'Поговорите с тем, кто принял решение: GET /v1/gw/approvals/{id} с approval_id из ' +
          'ошибки.',
      ],
    },
  },
  approval_wait_timeout: {
    status: 402,
    message:
      'The request does not fit the budget "{budget}", and nobody decided about an exception ' +
      'within {seconds} seconds.',
    cause: 'The request waited for an approval as long as its gw_approval.wait_seconds allowed.',
    fix: [
      'Ask a member with the right approvals.decide to watch the queue, and repeat the request.',
      'Ask ahead with POST /v1/gw/policies/{id}/budget-exceptions.',
    ],
    ru: {
      message:
        'Запрос не помещается в бюджет «{budget}», и за {seconds|секунду|секунды|секунд} ' +
        'никто не решил, разрешить ли исключение.',
      cause: 'Запрос ждал разрешения столько, сколько позволил gw_approval.wait_seconds.',
      fix: [
        'Попросите участника с правом approvals.decide следить за очередью и повторите запрос.',
        'Попросите заранее через POST /v1/gw/policies/{id}/budget-exceptions.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
