import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { KEY_TYPES } from '../../graph/permissions.js';
import { argsOf, storedFields, typed } from '../../graph/table-types.js';
import { code, integer, list, optional, text, uuid } from '../../kernel/fields/field.js';
import { type KeyTree, readKeyTree, type TreeKey } from './tree.js';
import { KEY_BOUNDS, KEY_MAKERS, KEY_OUTLIVING_CAUSES, KEY_STATUSES } from './vocabulary.js';

const TreeKeyType = builder.objectRef<TreeKey>('ApiKeyTreeNode').implement({
  description: 'A key in the tree of who made whom.',
  fields: (t) =>
    storedFields(t, {
      id: uuid('The id of the key; not the key itself.'),
      name: text('What the key is for.'),
      keyType: code(KEY_TYPES, 'What the key may do.'),
      status: code(KEY_STATUSES, 'Whether the key works.'),
      madeBy: uuid('The member or key that made it.'),
      madeByKind: code(KEY_MAKERS, 'Which of both made it.'),
      distance: integer('1 for a key that a member made, 2 for what that has made, and so on.'),
      descendants: integer('How many keys work of all that it has made, tokens left out.'),
      outlivesId: optional(
        uuid(
          'The nearest key that led to this one, which works, and has ended or was replaced by ' +
            'an incident; null without one.',
        ),
      ),
      outlivesBecause: optional(
        code(KEY_OUTLIVING_CAUSES, 'How that one ended; null without one.'),
      ),
    }),
});

const KeyTreeType = builder.objectRef<KeyTree>('ApiKeyTree').implement({
  description: 'The keys that work, with every key that led to one of them, revoked or not.',
  fields: (t) =>
    storedFields(t, {
      count: integer('How many keys the tree has.'),
      keys: list(
        typed(TreeKeyType, 'A key.'),
        `The keys, each behind the one that made it; at most ${KEY_BOUNDS.treeShownMax}.`,
      ),
    }),
});

builder.queryField('apiKeyTree', (t) =>
  t.field({
    type: KeyTreeType,
    description:
      'The tree of keys: which key made which. It has the keys that work and all that led to ' +
      'them, so a revoked maker of a working key is seen.',
    authScopes: { can: 'keys.read' },
    complexity: { field: 10, multiplier: 1 },
    args: argsOf(t, {
      keyId: optional(uuid('Only the line of this key: what led to it and what it led to.')),
    }),
    resolve: (_root, { keyId }, ctx) => readKeyTree(authorized(ctx), keyId),
  }),
);
