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
  },
  listing_limit_reached: {
    status: 409,
    type: 'conflict_error',
    message: 'An organization has at most {listingsMax} listings.',
    cause: 'The organization has that many listings, in whatever status.',
    fix: ['Use a listing that there is.'],
  },
  certification_review_open: {
    status: 409,
    type: 'conflict_error',
    message: 'The review {id} of this badge is open already.',
    cause: 'A badge of a listing or tool is reviewed once at a time.',
    fix: ['Decide the open review with POST /v1/gw/certification/reviews/{id}/gates.'],
  },
  certification_undecided: {
    status: 409,
    type: 'conflict_error',
    message: 'The review {id} is not decided yet, so there is no receipt of it.',
    cause: 'A receipt is sealed by the decision.',
    fix: ['Submit the passed gates with POST /v1/gw/certification/reviews/{id}/gates.'],
  },
  certification_self_review: {
    status: 403,
    type: 'permission_error',
    message: 'Who started a review does not decide it: {reason}.',
    cause:
      'The reviewer is another member than the one who started the review, or who answers for ' +
      'the key that did, as long as there is another one.',
    fix: ['Let another owner, admin or security member submit the gates.'],
  },
} as const satisfies Record<string, ErrorRow>;
