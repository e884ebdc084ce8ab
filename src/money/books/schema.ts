import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { outputOf } from '../../graph/table-types.js';
import { booksStatus } from './service.js';
import { BOOKS_STATUS } from './tables.js';

builder.queryField('booksStatus', (t) =>
  t.field({
    type: outputOf(BOOKS_STATUS),
    description:
      'How the books of all organizations stand, and what is wrong in them. For administrators ' +
      'of the platform alone.',
    authScopes: { can: 'profile.read' },
    complexity: 20,
    resolve: (_root, _args, ctx) => booksStatus(authorized(ctx)),
  }),
);
