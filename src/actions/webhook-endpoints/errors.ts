import type { ErrorRow } from '../../kernel/errors/row.js';

/** Endpoints that are told of events. */
export const WEBHOOK_ERRORS = {
  webhook_endpoint_limit_reached: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The organization has {endpointsMax} webhook endpoints, the most that it can have.',
    cause: 'Paused and disabled endpoints count too.',
    fix: ['Remove an endpoint that is not needed, or change the URL of one.'],
    ru: {
      message:
        'В организации уже {endpointsMax|адрес|адреса|адресов} для вебхуков — больше нельзя.',
      cause: 'Приостановленные и отключённые адреса тоже считаются.',
      fix: ['Удалите ненужный адрес или измените URL одного из имеющихся.'],
    },
  },
  webhook_endpoint_inactive: {
    status: 409,
    type: 'conflict_error',
    message: 'The webhook endpoint {id} is {status}, so a test would not be sent.',
    cause: 'Nothing is sent to an endpoint that is paused or disabled.',
    fix: ['Resume the endpoint, then test it.'],
    ru: {
      message: 'Адрес вебхуков {id} неактивен ({status}), поэтому проверка не была бы отправлена.',
      cause: 'На приостановленный или отключённый адрес ничего не отправляется.',
      fix: ['Возобновите адрес, затем проверьте его.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
