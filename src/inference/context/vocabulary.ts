import { vocabulary } from '../../kernel/vocabulary.js';

/** Where the kept blocks are placed. */
export const CONTEXT_POSITIONS = vocabulary(
  'ChatContextPosition',
  'Where the kept blocks are placed in the conversation.',
  [
    {
      code: 'before_last_user',
      description: 'Before the last message of the user; at the end where there is none.',
    },
    { code: 'start', description: 'Before every other message, those of a prompt included.' },
  ],
);

/** Who says the message of the kept blocks. */
export const CONTEXT_ROLES = vocabulary(
  'ChatContextRole',
  'Who says the message of the kept blocks.',
  [
    { code: 'system', description: 'The application, as instructions are said.' },
    { code: 'user', description: 'The user, for models that take one system message alone.' },
  ],
);

/** The most characters of all blocks together, so that counting their tokens stays bounded. */
export const CONTEXT_CHARS_MAX = 500_000;
/** The longest id of a block. */
export const CONTEXT_ID_LENGTH_MAX = 128;
/** What is left for an answer without a stated limit: of the window at most this share. */
export const OUTPUT_SHARE_MAX = 0.25;
/** Left free in any window, since providers frame messages in ways of their own. Tokens. */
export const SAFETY_TOKENS = 128;
/** Left free beside that, as a share of the window, since encodings of models differ. */
export const SAFETY_SHARE = 0.01;
/** What frames the definitions of tools. Tokens. */
export const TOOLS_SAFETY_TOKENS = 512;
