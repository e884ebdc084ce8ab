/**
 * Where a request is not read by the firewall, because nothing that a person could read leaves
 * from there. Whatever is not listed here is inspected: names of members, texts and numbers at any
 * depth, JSON inside of texts included.
 */
export const UNREAD_POSITIONS = [
  {
    code: 'model_name',
    positions: 'model',
    description:
      "The gateway writes the provider's own name of the model there; what the client wrote does " +
      'not leave.',
  },
  {
    code: 'wire_name',
    positions: 'names of members',
    description:
      'A name that the wire itself has, such as messages or temperature, compared with a closed ' +
      'list. Any other name is read.',
  },
  {
    code: 'closed_value',
    positions: 'any text',
    description:
      'A word of the wire, such as user, text or json_schema, compared as a whole with a closed ' +
      'list. Any other text is read, whichever member it stands in.',
  },
  {
    code: 'short_number',
    positions: 'any number',
    description:
      'A number of fewer than nine digits before its decimal point: no identifier is that short. ' +
      'Longer ones are read as the text that they leave as.',
  },
  {
    code: 'seed',
    positions: 'seed',
    description: 'An integer by contract, drawn at random. A text in its place is read.',
  },
  {
    code: 'token_array',
    positions: 'input of embeddings',
    description:
      'A list of numbers, or of such lists: tokens, which the client has encoded. Each has fewer ' +
      'than nine digits; with a longer number all of them are read.',
  },
  {
    code: 'binary',
    positions:
      'data: addresses, and members that are called data, file_data, b64_json, signature, ' +
      'thought_signature or encrypted_content',
    description:
      'Images, sound, files and sealed reasoning in base64, where the value is well-formed, has ' +
      'at least 64 characters and no row of ten digits that stands alone, and its bytes are no ' +
      'text. A file that is text (UTF-8, UTF-16, Windows-1251) is decoded and read; masked, it ' +
      'is encoded again.',
  },
] as const;

/** Names of members that the wire has, so that they can hold nothing of a client's. */
export const WIRE_NAMES: ReadonlySet<string> = new Set(
  (
    'model messages role content name refusal tool_calls tool_call_id function_call function ' +
    'arguments custom input id type text image_url url detail input_audio data format file ' +
    'file_data file_id filename audio voice stream stream_options include_usage temperature ' +
    'top_p top_k min_p n max_tokens max_completion_tokens presence_penalty frequency_penalty ' +
    'repetition_penalty logit_bias logprobs top_logprobs stop seed user tools tool_choice ' +
    'parallel_tool_calls functions description parameters strict response_format json_schema ' +
    'schema properties required items enum additionalProperties reasoning_effort reasoning ' +
    'reasoning_content service_tier store metadata modalities prediction verbosity ' +
    'web_search_options encoding_format dimensions safety_identifier prompt_cache_key index'
  ).split(' '),
);

/** Words of the wire that stand for themselves. */
export const CLOSED_VALUES: ReadonlySet<string> = new Set(
  (
    'system developer user assistant tool function text input_text output_text refusal image_url ' +
    'input_image input_audio file input_file custom auto none required any json_object ' +
    'json_schema object string number integer boolean array null low medium high minimal default ' +
    'flex priority audio content float base64'
  ).split(' '),
);

const NUMBER_READ_FROM = 100_000_000;

/**
 * A number that may be an identifier as the text that it leaves as; undefined for any other one.
 * Beyond 2^53 it is the number that JSON makes of it: its last digits are lost.
 */
export function readableNumber(value: number): string | undefined {
  if (value < NUMBER_READ_FROM && value > -NUMBER_READ_FROM) return undefined;
  return Math.abs(value) < 1e21 ? String(value) : undefined;
}
