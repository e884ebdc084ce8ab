import { CAPABILITIES } from '../../../catalog/providers/vocabulary.js';
import {
  code,
  defaulting,
  fieldTable,
  flag,
  integer,
  json,
  list,
  object,
  optional,
  text,
  toldIn,
  type ValuesOf,
} from '../../../kernel/fields/field.js';
import { USAGE_OPERATIONS } from '../../../money/billing/vocabulary.js';
import { reportSaid } from './report-phrases.js';
import { DEBUG_BOUNDS, DEBUG_VERDICTS, DEBUG_WARNINGS, PATCH_OPERATIONS } from './vocabulary.js';

const NAME = { max: 200 } as const;

/** A request that failed, as far as its sender tells it. */
export const DEBUG_INPUT = fieldTable(
  'RequestDebugInput',
  'A request that failed, as far as its sender tells it. Nothing of it is kept or executed.',
  {
    operation: defaulting(code(USAGE_OPERATIONS, 'What was asked for; chat by default.'), 'chat'),
    request: optional(
      json(
        'The body that failed, at most 262,144 characters of JSON. Texts may be shortened, and ' +
          'messages left out where promptTokens states their size.',
      ),
    ),
    model: optional(text('The model that was named, where the body is not given.', NAME)),
    metadata: optional(json('The metadata of the request, where the body is not given.')),
    status: optional(integer('The HTTP status of the failure.', { min: 100, max: 599 })),
    errorCode: optional(text('The code of the failure, as in `error.code`.', NAME)),
    error: optional(json('The failure as it was answered: the code, or the whole envelope.')),
    promptTokens: optional(
      integer('Tokens of the prompt, where its texts are shortened or left out.', {
        min: 0,
        max: DEBUG_BOUNDS.promptTokensMax,
      }),
    ),
  },
);

/** What is asked of a debugging. */
export type DebugQuestion = ValuesOf<typeof DEBUG_INPUT.fields>;

const NORMALIZED = fieldTable(
  'NormalizedRequest',
  'A request as the stages of the gateway read it, without its texts.',
  {
    operation: code(USAGE_OPERATIONS, 'What it asks for.'),
    model: text('The model that it names.'),
    resolvedModel: text('What the name stands for: the target of an alias, else the same name.'),
    automatic: flag('True where the gateway chooses the model.'),
    stream: flag('True where the answer is to be streamed.'),
    messages: integer('Messages of the conversation; for embeddings, texts.'),
    tools: integer('Tools that the model may call.'),
    needs: list(code(CAPABILITIES, 'A capability.'), 'What a model must be able to do for it.'),
    promptTokensAbout: integer('Tokens of the prompt: as stated, else a low guess by its size.'),
    outputTokensMax: optional(integer('Answer tokens that it allows; null leaves it open.')),
    choices: integer('Answers that it asks for, each of which is billed.'),
    feature: optional(text('The feature that reports group it by.')),
    environment: optional(text('The environment that reports group it by.')),
    clientId: optional(text('The client that reports group it by.')),
    otherMetadata: list(text('A name.'), 'Further names in its metadata, in their order.'),
    membersUnread: list(text('A name.'), 'Members that the gateway forwards without reading.'),
  },
);

/** A request as the stages read it. */
export type NormalizedRequest = ValuesOf<typeof NORMALIZED.fields>;

const WARNING = fieldTable('RequestDebugWarning', 'Something to be known of a request.', {
  code: code(DEBUG_WARNINGS, 'What it is about.'),
  path: text('The field, dotted, as the request has it; empty for the request as a whole.', {
    min: 0,
  }),
  message: toldIn(text('What is wrong, or what follows from it.'), reportSaid),
  near: list(text('A name.'), 'Names that may be meant, best first.'),
});

/** Something to be known of a request. */
export type Warning = ValuesOf<typeof WARNING.fields>;

const EXPLANATION = fieldTable('RequestDebugExplanation', 'What the catalogue says of an error.', {
  code: text('The code of the error.'),
  status: integer('The HTTP status it is answered with.'),
  stated: flag('True for the error that was stated; false for one that the stages raise now.'),
  cause: text('Why it happens.'),
  fix: list(text('A step.'), 'What to do about it.'),
  docUrl: text('Its page, at the address that the caller used.'),
});

/** What the catalogue says of an error. */
export type Explanation = ValuesOf<typeof EXPLANATION.fields>;

const OPERATION = fieldTable('JsonPatchStep', 'One operation of a patch by RFC 6902.', {
  op: code(PATCH_OPERATIONS, 'What the operation does with the value.'),
  path: text('Where: a JSON Pointer (RFC 6901) into the request.', { min: 0 }),
  value: optional(json('What is put there; null for a removal.')),
});

/** One operation of a patch. */
export type Operation = ValuesOf<typeof OPERATION.fields>;

/** What a debugging says. */
export const DEBUG_RESULT = fieldTable(
  'RequestDebug',
  'Why a request failed, and the smallest change that makes it pass. With a credential, rates, ' +
    'funds and budgets of a named model are judged as they are at this moment; the next may be ' +
    'another. What the router would choose for gw:auto is not decided ahead.',
  {
    verdict: code(DEBUG_VERDICTS, 'What it comes to.'),
    reason: toldIn(text('The verdict in a sentence.'), reportSaid),
    normalized: optional(
      object(NORMALIZED, 'The request as the gateway reads it, patched where it must be.'),
    ),
    warnings: list(object(WARNING, 'A warning.'), 'Everything to be known of the request.'),
    explanations: list(object(EXPLANATION, 'An explanation.'), 'Cause and fix of its errors.'),
    patch: list(
      object(OPERATION, 'An operation.'),
      'The smallest change by which the request passes, in order; no part of it can be left out.',
    ),
    valuesChanged: integer('Single values of the request that the patch changes, adds or loses.'),
  },
);

/** What a debugging says. */
export type DebugResult = ValuesOf<typeof DEBUG_RESULT.fields>;
