import {
  ANYTHING,
  about,
  complete,
  either,
  list,
  nullable,
  object,
  oneOf,
  tagged,
  text,
} from './shape.js';

const NAME = text({ min: 1 });

/** A text among the parts of a content. */
export const TEXT_PART = complete('a text part', { text: text() });

const IMAGE = object(
  'an object with url',
  {
    url: about('An https address, or a data: address with the image in base64.', NAME),
    detail: oneOf('auto', 'low', 'high', 'original'),
  },
  { required: ['url'] },
);

const SOUND = complete('an object with data and format', {
  data: about('The sound in base64.', NAME),
  format: about('wav, mp3 or what else the provider takes.', NAME),
});

const FILE = object(
  'an object with file_data or file_id',
  { file_data: NAME, file_id: NAME, filename: text() },
  { someOf: ['file_data', 'file_id'] },
);

/** A part of a content. Providers have kinds of their own, which pass. */
const PART = tagged(
  'a content part',
  {
    text: TEXT_PART,
    refusal: complete('a refusal part', { refusal: text() }),
    image_url: complete('an image part', { image_url: IMAGE }),
    input_audio: complete('a sound part', { input_audio: SOUND }),
    file: complete('a file part', { file: FILE }),
  },
  { pass: true },
);

const CONTENT = about(
  'A text or a list of content parts.',
  either(text(), list('a list of content parts', PART, { min: 1 })),
);

/** What an assistant said may be a list of no parts beside its tool calls. */
const SAID = about(
  'A text or a list of content parts.',
  either(text(), list('a list of content parts', PART)),
);

const FUNCTION_CALL = complete('an object with name and arguments', {
  name: NAME,
  arguments: about('JSON as a text.', text()),
});

const CUSTOM_CALL = complete('an object with name and input', { name: NAME, input: text() });

/** A tool call of an earlier answer. */
const TOOL_CALL = tagged(
  'a tool call',
  {
    function: complete('a call of a function', { id: NAME, function: FUNCTION_CALL }),
    custom: complete('a call of a custom tool', { id: NAME, custom: CUSTOM_CALL }),
  },
  { pass: true },
);

const TOLD = object('a message', { content: CONTENT, name: text() }, { required: ['content'] });

const ASSISTANT = object(
  'a message of the assistant',
  {
    content: SAID,
    name: text(),
    refusal: text(),
    tool_calls: list('a list of tool calls', TOOL_CALL),
    function_call: FUNCTION_CALL,
    audio: complete('an object with id', { id: NAME }),
    reasoning_content: text(),
    reasoning: ANYTHING,
  },
  {
    someOf: [
      'content',
      'tool_calls',
      'function_call',
      'refusal',
      'audio',
      'reasoning_content',
      'reasoning',
    ],
  },
);

const TOOL = complete('a message of a tool', {
  content: CONTENT,
  tool_call_id: about('The call that it answers.', NAME),
});

const FUNCTION = complete('a message of a function', { content: nullable(CONTENT), name: NAME });

/** A message; each role has its own members. */
export const MESSAGE = tagged(
  'an object with role and content',
  {
    system: TOLD,
    developer: TOLD,
    user: TOLD,
    assistant: ASSISTANT,
    tool: TOOL,
    function: FUNCTION,
  },
  { tag: 'role', pass: false, as: TOLD },
);
