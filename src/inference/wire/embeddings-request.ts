import type { JsonObject } from '../../kernel/json.js';
import { Findings } from './findings.js';
import { METADATA } from './metadata.js';
import { about, either, list, object, oneOf, type Shape, text, whole } from './shape.js';
import { checkStatedClass } from './stated-class.js';

const INPUTS_MAX = 2_048;
const DIMENSIONS_MAX = 65_536;

const INPUT_TEXT = text({ min: 1 });
const TOKENS = list('a token array', whole(0, Number.MAX_SAFE_INTEGER), { min: 1 });

const INPUT: Shape = about(
  'A text, texts, a token array or token arrays.',
  either(
    INPUT_TEXT,
    list(`a list of 1 to ${INPUTS_MAX} texts`, INPUT_TEXT, { min: 1, max: INPUTS_MAX }),
    TOKENS,
    list(`a list of 1 to ${INPUTS_MAX} token arrays`, TOKENS, { min: 1, max: INPUTS_MAX }),
  ),
);

/** A request of the embeddings wire; members that are not listed pass unread. */
export const EMBEDDINGS_REQUEST = object(
  'a JSON object',
  {
    model: text({ min: 1 }),
    input: INPUT,
    encoding_format: oneOf('float', 'base64'),
    dimensions: whole(1, DIMENSIONS_MAX),
    user: text(),
    metadata: METADATA,
  },
  { required: ['model', 'input'], rule: checkStatedClass },
);

/** Every fault of an embeddings body. */
export function embeddingsFaults(body: JsonObject): Findings['faults'] {
  const found = new Findings();
  EMBEDDINGS_REQUEST.check(body, found);
  found.addHalves(body);
  return found.faults;
}
