import {
  code,
  defaulting,
  fieldTable,
  integer,
  list,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../../kernel/fields/field.js';
import { DOCUMENT_LINK } from '../documents.js';
import { SNIPPET_CHECKS, STACK_DEFAULT, STACK_LENGTH_MAX } from '../vocabulary.js';

/** What may be asked of a quickstart. */
export const QUICKSTART_QUESTION = {
  stack: defaulting(
    text('A stack of the reference, by its code or one of its other names; curl by default.', {
      max: STACK_LENGTH_MAX,
    }),
    STACK_DEFAULT,
  ),
} as const;

const STEP = fieldTable('QuickstartStep', 'One step on the way to the first answer.', {
  number: integer('Its place, counted from 1.'),
  title: text('What is done in this step.'),
  note: optional(text('What is to be known of it; null where the title says all.')),
  command: optional(text('What a shell runs; null where nothing is to be run.')),
});

/** The way to the first answer in one stack. */
export const QUICKSTART = fieldTable(
  'Quickstart',
  'The way to the first answer in one stack, at the address that the caller used.',
  {
    stack: text('The code of the stack.'),
    description: text('What the stack is made of.'),
    language: text('The language of the snippet.'),
    baseUrl: text('The address that the caller used; snippet and steps carry it.'),
    sdkBaseUrl: text('The base address for clients of the chat-completions wire.'),
    file: text('What to save the snippet as.'),
    snippet: text('A first request, complete; it reads the key from GW_API_KEY.'),
    check: code(SNIPPET_CHECKS, 'How the tests of the gateway check the snippet.'),
    steps: list(object(STEP, 'A step.'), 'From no account to the first answer, in order.'),
    agentDocs: list(
      object(DOCUMENT_LINK, 'A document.'),
      'What an agent reads: each is text, and made from the running server.',
    ),
  },
);

/** The way to the first answer in one stack. */
export type Quickstart = ValuesOf<typeof QUICKSTART.fields>;
