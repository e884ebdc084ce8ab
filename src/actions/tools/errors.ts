import type { ErrorRow } from '../../kernel/errors/row.js';

/** Tools and their calls. */
export const TOOL_ERRORS = {
  tool_limit_reached: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The organization has {toolsMax} tools, which is the most that it can have.',
    cause: 'Every key that was ever registered counts as a tool.',
    fix: ['Register a new version under a key that exists already.'],
    ru: {
      message: 'В организации уже {toolsMax|инструмент|инструмента|инструментов} — больше нельзя.',
      cause: 'Каждый когда-либо зарегистрированный ключ считается инструментом.',
      fix: ['Зарегистрируйте новую версию под ключом, который уже есть.'],
    },
  },
  tool_without_endpoint: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The tool {toolKey} calls no endpoint, so it has no signing secret.',
    cause: 'Only tools with an endpoint_url sign what they send.',
    fix: ['Register the tool with an endpoint_url.'],
    ru: {
      message:
        'Инструмент {toolKey} не вызывает никакого адреса, поэтому у него нет секрета ' +
        'подписи.',
      cause: 'Подписывают свои запросы только инструменты с endpoint_url.',
      fix: ['Зарегистрируйте инструмент с endpoint_url.'],
    },
  },
  tool_call_without_approval: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The call {id} is {status} and never waited for an approval.',
    cause: 'The action policy allowed or blocked the call by itself.',
    fix: ['Read what waits in GET /v1/gw/tools/approvals.'],
    ru: {
      message: 'Вызов {id} в состоянии {status} и одобрения никогда не ждал.',
      cause: 'Политика действий сама разрешила или запретила этот вызов.',
      fix: ['Посмотрите, что ждёт решения, в GET /v1/gw/tools/approvals.'],
    },
  },
  tool_rollback_unavailable: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The call {id} cannot be undone: {reason}.',
    cause: 'Only an executed call can be undone, and only by a verb that the contract names.',
    fix: [
      'Register the tool with a compensating_verb for the verb.',
      'Read `rollback` in the receipt of the call before asking for it.',
    ],
    ru: {
      message: 'Вызов {id} нельзя отменить: {reason}.',
      cause:
        'Отменить можно только выполненный вызов и только действием, которое названо в ' +
        'контракте.',
      fix: [
        'Зарегистрируйте инструмент с compensating_verb для этого действия.',
        'Прежде чем просить отмену, прочитайте `rollback` в квитанции вызова.',
      ],
    },
  },
  tool_rollback_exists: {
    status: 409,
    type: 'conflict_error',
    message: 'The call {id} has been asked to be undone already.',
    cause: 'A call is undone once, unless the undoing was refused before it was executed.',
    fix: ['Read `rollback.call_id` in the receipt of the call.'],
    ru: {
      message: 'Отмену вызова {id} уже запросили.',
      cause: 'Вызов отменяют один раз, если только в отмене не отказали до её выполнения.',
      fix: ['Прочитайте `rollback.call_id` в квитанции вызова.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
