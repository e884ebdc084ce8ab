import {
  ANYTHING,
  about,
  complete,
  either,
  FLAG,
  list,
  object,
  oneOf,
  tagged,
  text,
} from './shape.js';

const NAME = text({ min: 1 });

const FUNCTION = object(
  'an object with name',
  {
    name: NAME,
    description: text(),
    parameters: about('The arguments as a JSON Schema.', object('a JSON Schema', {})),
    strict: FLAG,
  },
  { required: ['name'] },
);

const GRAMMAR = complete('an object with definition and syntax', {
  definition: NAME,
  syntax: oneOf('lark', 'regex'),
});

const CUSTOM = object(
  'an object with name',
  {
    name: NAME,
    description: text(),
    format: tagged(
      'an object with type',
      {
        text: object('a text format', {}),
        grammar: complete('a grammar format', { grammar: GRAMMAR }),
      },
      { pass: false },
    ),
  },
  { required: ['name'] },
);

/** A tool. Providers have kinds of their own, which pass. */
const TOOL = tagged(
  'a tool',
  {
    function: complete('a function tool', { function: FUNCTION }),
    custom: complete('a custom tool', { custom: CUSTOM }),
  },
  { pass: true },
);

const NAMED = complete('an object with name', { name: NAME });

const ALLOWED = complete('an object with mode and tools', {
  mode: oneOf('auto', 'required'),
  tools: list('a list of tools', object('a tool', {})),
});

/** `tools`. */
export const TOOLS = about('What the model may call.', list('a list of tools', TOOL));

/** `tool_choice`. */
export const TOOL_CHOICE = about(
  'Which tool is called: none, auto, required, or an object that names it.',
  either(
    oneOf('none', 'auto', 'required'),
    tagged(
      'an object that names a tool',
      {
        function: complete('a named function', { function: NAMED }),
        custom: complete('a named tool', { custom: NAMED }),
        allowed_tools: complete('allowed tools', { allowed_tools: ALLOWED }),
      },
      { pass: true },
    ),
  ),
);

/** `functions`, the older form of `tools`. */
export const FUNCTIONS = list('a list of functions', FUNCTION);

/** `function_call`, the older form of `tool_choice`. */
export const FUNCTION_CHOICE = either(oneOf('none', 'auto'), NAMED);

const JSON_SCHEMA = object(
  'an object with name and schema',
  {
    name: NAME,
    description: text(),
    schema: about('The answer as a JSON Schema.', object('a JSON Schema', {})),
    strict: FLAG,
  },
  { required: ['name', 'schema'] },
);

const VENDOR_FORMAT = object('a format of the provider', {});

/** `response_format`: the kinds of the wire, and those that servers of open models add. */
export const RESPONSE_FORMAT = about(
  'What the answer is: a text, JSON, or JSON by a schema.',
  tagged(
    'an object with type',
    {
      text: object('a text', {}),
      json_object: object('a JSON object', {}),
      json_schema: complete('a schema', { json_schema: JSON_SCHEMA }),
      grammar: VENDOR_FORMAT,
      regex: VENDOR_FORMAT,
      structural_tag: VENDOR_FORMAT,
    },
    { pass: false },
  ),
);

const PLACE = object('a place', {
  country: text(),
  region: text(),
  city: text(),
  timezone: text(),
});

/** `web_search_options`. */
export const WEB_SEARCH = object('an object', {
  search_context_size: oneOf('low', 'medium', 'high'),
  user_location: tagged(
    'an object with type',
    {
      approximate: complete('a place', { approximate: PLACE }),
    },
    { pass: false },
  ),
});

/** Options that the wire has as an object whose members only the provider reads. */
export const PROVIDER_OPTIONS = object('an object', {}, { others: ANYTHING });
