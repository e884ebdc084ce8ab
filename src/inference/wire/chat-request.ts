import { EXCEPTION_BOUNDS } from '../../access/budgets/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { APPROVAL_WAIT, approvalWaitFaults } from '../approval-request.js';
import { CONTEXT } from './context.js';
import { Findings } from './findings.js';
import { MESSAGE, TEXT_PART } from './message.js';
import { METADATA, PROMPT_VERSION } from './metadata.js';
import {
  ANYTHING,
  about,
  complete,
  either,
  FLAG,
  list,
  number,
  object,
  type Shape,
  tagged,
  text,
  whole,
} from './shape.js';
import { checkStatedClass } from './stated-class.js';
import {
  FUNCTION_CHOICE,
  FUNCTIONS,
  PROVIDER_OPTIONS,
  RESPONSE_FORMAT,
  TOOL_CHOICE,
  TOOLS,
  WEB_SEARCH,
} from './tools.js';

const TOKENS_MAX = 10_000_000;
const CHOICES_MAX = 16;

const APPROVAL: Shape = {
  ...about(
    'Where a budget is exhausted, ask for an exception and wait for the decision instead of ' +
      'being refused. The answer begins when a member approves; no provider sees this member. ' +
      'The request keeps its place among the concurrent ones while it waits, and the time that ' +
      'it waited is no part of its latency.',
    object(
      'an object with wait_seconds',
      {
        wait_seconds: about(
          'How long to wait at most.',
          whole(APPROVAL_WAIT.secondsMin, APPROVAL_WAIT.secondsMax),
        ),
        reason: about(
          'What the decider reads; by default, that a chat request waits.',
          text({ max: EXCEPTION_BOUNDS.reason.lengthMax }),
        ),
      },
      { required: ['wait_seconds'] },
    ),
  ),
  check: (value, found) => found.faults.push(...approvalWaitFaults(value)),
};

/** The prompt stage has read and checked it before the rest of the body is. */
const PROMPT: Shape = {
  ...about(
    'Fills the request by a prompt of the organization: its messages stand before `messages`, ' +
      'and model, temperature, max_tokens and response_format are filled where they are left ' +
      'out. No provider sees this member. Instead, metadata.prompt_key and ' +
      'metadata.prompt_version may name a prompt whose variables all have defaults.',
    object(
      'an object with key',
      {
        key: about('The prompt_key of the package.', text()),
        version: about(
          'A version of the package in any state but retired; one that a later version ' +
            'superseded still serves. Left out, the version in production.',
          PROMPT_VERSION,
        ),
        variables: about('The values of the variables, by their names.', object('an object', {})),
      },
      { required: ['key'] },
    ),
  ),
  check: ANYTHING.check,
};

const LIMITS = {
  max_tokens: whole(1, TOKENS_MAX),
  max_completion_tokens: whole(1, TOKENS_MAX),
  n: about('Choices; each is billed.', whole(1, CHOICES_MAX)),
  stop: about(
    'Texts that end the answer.',
    either(text(), list('a list of 1 to 16 texts', text(), { min: 1, max: 16 })),
  ),
};

const SAMPLING = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  seed: whole(-(2 ** 63), 2 ** 63),
  logit_bias: object('an object of numbers by token', {}, { others: number(-100, 100) }),
  logprobs: FLAG,
  top_logprobs: whole(0, 20),
};

const SPEECH = complete('an object with format and voice', {
  format: text({ min: 1 }),
  voice: either(text({ min: 1 }), object('an object with id', { id: text() })),
});

const PREDICTED = complete('a predicted content', {
  content: either(text(), list('a list of text parts', TEXT_PART)),
});

const ANSWER_FORM = {
  response_format: RESPONSE_FORMAT,
  modalities: list('a list of modalities', text({ min: 1 }), { min: 1 }),
  audio: SPEECH,
  prediction: tagged('an object with type', { content: PREDICTED }, { pass: false }),
  reasoning_effort: about('none, minimal, low, medium, high, or the provider’s own.', text()),
  verbosity: text(),
};

const DELIVERY = {
  stream: about('True for server-sent events.', FLAG),
  stream_options: object('an object', { include_usage: FLAG, include_obfuscation: FLAG }),
  service_tier: text(),
  store: FLAG,
  user: text(),
  safety_identifier: text(),
  prompt_cache_key: text(),
  prompt_cache_retention: text(),
  prompt_cache_options: PROVIDER_OPTIONS,
  moderation: PROVIDER_OPTIONS,
  web_search_options: WEB_SEARCH,
};

const CALLING = {
  tools: TOOLS,
  tool_choice: TOOL_CHOICE,
  parallel_tool_calls: FLAG,
  functions: FUNCTIONS,
  function_call: FUNCTION_CHOICE,
};

/**
 * A request of the chat-completions wire, as the clients' own types have it. Members that are not
 * listed pass unread. Both the checks and the published schema are made of this table.
 */
export const CHAT_REQUEST = object(
  'a JSON object',
  {
    model: about(
      'A model id, an alias of your organization or gw:auto. It may be left out where a prompt ' +
        'has model variants.',
      text(),
    ),
    messages: about(
      'The conversation; it may be empty or left out where a prompt is used.',
      list('a list with at least one message', MESSAGE),
    ),
    ...DELIVERY,
    ...SAMPLING,
    ...LIMITS,
    ...CALLING,
    ...ANSWER_FORM,
    metadata: METADATA,
    gw_approval: APPROVAL,
    gw_context: CONTEXT,
    gw_prompt: PROMPT,
  },
  { rule: checkStatedClass },
);

/**
 * Every fault of a chat body that a prompt has filled, or that asks for none. `added` messages at
 * its beginning are the prompt's.
 */
export function chatFaults(body: JsonObject, added: number): Findings['faults'] {
  const found = new Findings(added);
  requireFilled(body, found);
  CHAT_REQUEST.check(body, found);
  found.addHalves(body);
  return found.faults;
}

function requireFilled({ model, messages }: JsonObject, found: Findings): void {
  if (model == null || model === '') {
    found.addOf('model', 'missing', 'must name a model, such as "gw:auto"');
  }
  if (messages == null || (Array.isArray(messages) && messages.length === 0)) {
    found.addOf('messages', 'missing', 'must be a list with at least one message');
  }
}
