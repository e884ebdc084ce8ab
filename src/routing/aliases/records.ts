import { flag } from '../../kernel/fields/field.js';
import { contractKind } from '../../records/contract-kinds.js';
import { ALIAS_NAME, ALIAS_TARGET } from './fields.js';

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
