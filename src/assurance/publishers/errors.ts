import type { StatedError } from '../../kernel/errors/row.js';

/** Identities of publishers. */
export const PUBLISHER_ERRORS = {
  publisher_claim_closed: {
    status: 409,
    message: 'The claim {id} is {status}: nothing more can become of it.',
    cause: 'A claim that expired, was denied, withdrawn or revoked is not opened again.',
    fix: ['Make a new claim with POST /v1/gw/marketplace/publisher-identities.'],
    ru: {
      message: 'Заявка {id} в состоянии {status}: с ней уже ничего нельзя сделать.',
      cause: 'Просроченную, отклонённую, снятую или отозванную заявку снова не открывают.',
      fix: ['Подайте новую заявку через POST /v1/gw/marketplace/publisher-identities.'],
    },
  },
  publisher_claim_open: {
    status: 409,
    message: 'The organization has claimed the domain {domain} already: see {id}.',
    cause: 'A domain is claimed once at a time by an organization.',
    fix: ['Use the claim that there is, or withdraw it first.'],
    ru: {
      message: 'Организация уже заявила домен {domain}: см. {id}.',
      cause: 'Организация заявляет домен по одному разу одновременно.',
      fix: ['Используйте имеющуюся заявку или сначала снимите её.'],
    },
  },
  publisher_claim_limit_reached: {
    status: 409,
    message: 'An organization has at most {claimsMax} open claims.',
    cause: 'The organization has that many claims that are not denied, withdrawn or revoked.',
    fix: ['Withdraw a claim that is no longer needed.'],
    ru: {
      message: 'В организации может быть не больше {claimsMax|заявки|заявок|заявок} сразу.',
      cause: 'Столько неотклонённых, неснятых и неотозванных заявок в организации уже есть.',
      fix: ['Снимите заявку, которая больше не нужна.'],
    },
  },
  publisher_claim_without_domain: {
    status: 409,
    message: 'The claim {id} names no domain, so no record can prove it.',
    cause: 'A record of the domain is the only proof that an organization brings by itself.',
    fix: ['Claim a domain, or wait for the decision of an operator.'],
    ru: {
      message: 'В заявке {id} нет домена, поэтому записью её не подтвердить.',
      cause: 'Сама организация может подтвердить себя только записью в своём домене.',
      fix: ['Подайте заявку с доменом или дождитесь решения оператора.'],
    },
  },
  publisher_check_too_soon: {
    status: 429,
    message: 'The record of the claim {id} was looked for less than {seconds} seconds ago.',
    cause: 'Name servers are asked about a claim at most once in that time.',
    fix: ['Wait that long, then verify again.'],
    ru: {
      message: 'Запись по заявке {id} искали меньше {seconds|секунды|секунд|секунд} назад.',
      cause: 'Серверы имён спрашивают о заявке не чаще одного раза за это время.',
      fix: ['Подождите и повторите проверку.'],
    },
  },
  publisher_own_decision: {
    status: 403,
    message: 'An operator does not approve the claim of their own organization.',
    cause: 'A publisher is verified by others, never by its own members.',
    fix: ['Let an administrator of the platform from another organization decide.'],
    ru: {
      message: 'Оператор не одобряет заявку собственной организации.',
      cause: 'Издателя подтверждают другие, а не его собственные участники.',
      fix: ['Пусть решит администратор платформы из другой организации.'],
    },
  },
  publisher_name_taken: {
    status: 409,
    message: 'The publisher name {name} belongs to a verified publisher of another organization.',
    cause: 'Names are compared without case, quotes, form of organization, and look-alike letters.',
    fix: [
      'Use another name.',
      'If the name is yours, claim it with POST /v1/gw/marketplace/publisher-identities and let ' +
        'an operator decide.',
    ],
    ru: {
      message: 'Имя издателя {name} принадлежит подтверждённому издателю другой организации.',
      cause: 'Имена сравнивают без регистра, кавычек, правовой формы и похожих букв.',
      fix: [
        'Возьмите другое имя.',
        'Если имя ваше, заявите его через POST /v1/gw/marketplace/publisher-identities и ' +
          'дождитесь решения оператора.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
