import { text } from '../../kernel/fields/field.js';

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
