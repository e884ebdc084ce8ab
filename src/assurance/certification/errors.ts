import type { ErrorRow } from '../../kernel/errors/row.js';

/** Listings and badges. */
export const CERTIFICATION_ERRORS = {
  listing_without_badge: {
    status: 409,
    type: 'conflict_error',
    message: 'The listing {id} has no badge in force, so it cannot be published.',
    cause: 'A listing is public only while at least one of its badges is certified and unexpired.',
    fix: [
      'Start a review with POST /v1/gw/certification/reviews and let a reviewer decide it.',
      'Renew a badge that has expired, was revoked or was superseded by a new tool contract.',
    ],
    ru: {
      message: 'У карточки {id} нет действующего знака, поэтому её нельзя опубликовать.',
      cause:
        'Карточка открыта для всех, только пока хотя бы один её знак подтверждён и не ' +
        'просрочен.',
      fix: [
        'Начните проверку через POST /v1/gw/certification/reviews и дождитесь решения ' +
          'проверяющего.',
        'Обновите знак, который просрочен, отозван или заменён новым контрактом инструмента.',
      ],
    },
  },
  listing_halted: {
    status: 409,
    type: 'conflict_error',
    message: 'The listing {id} is {measure} by an operator, so it cannot be published.',
    cause:
      'Operators take listings out of the marketplace; measure_reason of the listing says why.',
    fix: [
      'Write to the operator of this server about a suspended listing.',
      'A revoked listing stays so: create another one.',
    ],
    ru: {
      message: 'Оператор перевёл карточку {id} в состояние {measure}, её нельзя опубликовать.',
      cause: 'Операторы убирают карточки с витрины; причина — в measure_reason карточки.',
      fix: [
        'По приостановленной карточке обратитесь к оператору этого сервера.',
        'Отозванная карточка не возвращается: создайте другую.',
      ],
    },
  },
  listing_limit_reached: {
    status: 409,
    type: 'conflict_error',
    message: 'An organization has at most {listingsMax} listings.',
    cause: 'The organization has that many listings, in whatever status.',
    fix: ['Use a listing that there is.'],
    ru: {
      message: 'В организации может быть не больше {listingsMax|карточки|карточек|карточек}.',
      cause: 'Столько карточек в организации уже есть, в любых состояниях.',
      fix: ['Используйте одну из имеющихся карточек.'],
    },
  },
  certification_review_open: {
    status: 409,
    type: 'conflict_error',
    message: 'The review {id} of this badge is open already.',
    cause: 'A badge of a listing or tool is reviewed once at a time.',
    fix: ['Decide the open review with POST /v1/gw/certification/reviews/{id}/gates.'],
    ru: {
      message: 'Проверка {id} этого знака уже идёт.',
      cause: 'Знак карточки или инструмента проверяют по одному разу одновременно.',
      fix: ['Решите идущую проверку через POST /v1/gw/certification/reviews/{id}/gates.'],
    },
  },
  certification_undecided: {
    status: 409,
    type: 'conflict_error',
    message: 'The review {id} is not decided yet, so there is no receipt of it.',
    cause: 'A receipt is sealed by the decision.',
    fix: ['Submit the passed gates with POST /v1/gw/certification/reviews/{id}/gates.'],
    ru: {
      message: 'По проверке {id} ещё нет решения, поэтому квитанции тоже нет.',
      cause: 'Квитанцию запечатывает решение.',
      fix: ['Передайте пройденные этапы через POST /v1/gw/certification/reviews/{id}/gates.'],
    },
  },
  certification_self_review: {
    status: 403,
    type: 'permission_error',
    message: 'Who started a review does not decide it: {reason}.',
    cause:
      'The reviewer is another member than the one who started the review, or who answers for ' +
      'the key that did, as long as there is another one.',
    fix: ['Let another owner, admin or security member submit the gates.'],
    ru: {
      message: 'Кто начал проверку, тот по ней не решает: {reason}.',
      cause:
        'Проверяет не тот участник, который начал проверку или отвечает за начавший её ключ, ' +
        '— если в организации есть другой.',
      fix: ['Пусть этапы передаст другой участник с ролью owner, admin или security.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
