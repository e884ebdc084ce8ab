import { flag, text } from '../../kernel/fields/field.js';
import { contractKind } from '../../records/contract-kinds.js';

/** The longest name of a model that a client may send. */
export const ALIAS_LENGTH_MAX = 128;
/** Names that an organization may have at once, those that were removed among them. */
export const ALIASES_MAX = 500;

/** A model name of a client's code. */
export const ALIAS_NAME = text('The model name that your clients send.', { max: ALIAS_LENGTH_MAX });

/** What an alias stands for. */
export const ALIAS_TARGET = text(
  '`gw:auto`, a model that can be called, or `gw:route/` and the key of a route policy.',
  { max: 2 * ALIAS_LENGTH_MAX },
);

/** What a version of an alias says. */
export const ALIAS_FIELDS = {
  alias: ALIAS_NAME,
  target: ALIAS_TARGET,
  active: flag('False from the version on that removes the alias.'),
  shadowsModel: flag('Whether it stands for the name even where a model of that name is served.'),
} as const;

/** Model aliases of organizations: versions only grow, and a removed one is a version too. */
export const MODEL_ALIASES = contractKind({
  kind: 'model_alias',
  type: 'ModelAlias',
  description: 'A version of what a model name of your code stands for.',
  body: ALIAS_FIELDS,
  key: 'alias',
  list: { field: 'modelAliases', permission: 'aliases.read', by: ['alias'] },
});
