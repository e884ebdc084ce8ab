import type { ErrorRow } from '../../kernel/errors/row.js';

/** Events, signals and partner attributions. */
export const REVENUE_ERRORS = {
  revenue_event_reused: {
    status: 409,
    type: 'conflict_error',
    message: 'The reference {externalRef} names the event {id}: {eventType} of {accountRef}.',
    cause: 'An event with an external reference is recorded once, and never changed.',
    fix: [
      'Nothing has to be done where it is the same event.',
      'Give another event a reference of its own.',
    ],
    ru: {
      message: 'Внешний номер {externalRef} занят событием {id}: {eventType}, {accountRef}.',
      cause: 'Событие с внешним номером записывается один раз и не меняется.',
      fix: [
        'Если это то же событие, делать ничего не нужно.',
        'Дайте другому событию собственный внешний номер.',
      ],
    },
  },
  revenue_signal_resolved: {
    status: 409,
    type: 'conflict_error',
    message: 'The signal {id} is closed already, as {status}.',
    cause: 'A signal is closed once; another request came first.',
    fix: ['Read the signal; a new one is derived from new events.'],
    ru: {
      message: 'Сигнал {id} уже закрыт: {status}.',
      cause: 'Сигнал закрывают один раз; другой запрос успел раньше.',
      fix: ['Прочитайте сигнал; новый появится из новых событий.'],
    },
  },
  partner_attribution_claimed: {
    status: 409,
    type: 'conflict_error',
    message: 'The client {clientRef} is claimed for the source {source} by the attribution {id}.',
    cause: 'A client is attributed once for each source, whichever partner claims it.',
    fix: [
      'Nothing has to be done where it is the same claim.',
      'Name another source where the partner did something else for the client.',
    ],
    ru: {
      message: 'Клиент {clientRef} уже закреплён по источнику {source} записью {id}.',
      cause: 'По каждому источнику клиент закрепляется один раз, какой бы партнёр его ни заявил.',
      fix: [
        'Если это та же заявка, делать ничего не нужно.',
        'Назовите другой источник, если партнёр сделал для клиента что-то ещё.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
