import type { JsonObject } from '../../kernel/json.js';
import { ITEMS_MAX, PRIORITIES, TOKENS_MAX } from '../../routing/workloads/vocabulary.js';
import {
  CONTEXT_CHARS_MAX,
  CONTEXT_ID_LENGTH_MAX,
  CONTEXT_POSITIONS,
  CONTEXT_ROLES,
} from '../context/vocabulary.js';
import type { Findings } from './findings.js';
import { about, list, NOTHING, object, oneOf, type Shape, text, whole } from './shape.js';

const BLOCK = object(
  'an object with id, text and priority',
  {
    id: about(
      'What you call the block; the receipt names it so.',
      text({ min: 1, max: CONTEXT_ID_LENGTH_MAX }),
    ),
    text: about('The text of the block; it is kept as it is or not at all.', text({ min: 1 })),
    priority: about(
      'How much it is needed: a MUST block is never dropped.',
      oneOf(...PRIORITIES.codes),
    ),
    value: about('What keeping it is worth; by its priority where it is left out.', whole(1, 10)),
  },
  { required: ['id', 'text', 'priority'], others: NOTHING },
);

/** `gw_context`: blocks of which those are sent that fit the window of the model. */
export const CONTEXT: Shape = about(
  'Blocks of which the gateway sends those that fit the window of the model beside the messages ' +
    'and the answer: every MUST block, and the most valuable of the others. They become one ' +
    'message, in the given order. What was kept and dropped, and why, stands in gw_context of ' +
    'the answer; a dropped block goes nowhere. No provider sees this member.',
  object(
    'an object with blocks',
    {
      blocks: about(
        'The blocks, in the order in which they shall stand.',
        list(`a list of 1 to ${ITEMS_MAX} blocks`, BLOCK, { min: 1, max: ITEMS_MAX }),
      ),
      tokens_max: about(
        'The most tokens that the kept blocks may take; by default, what the window leaves.',
        whole(1, TOKENS_MAX),
      ),
      role: about('Who says the message; system by default.', oneOf(...CONTEXT_ROLES.codes)),
      position: about(
        'Where it stands; before the last message of the user by default.',
        oneOf(...CONTEXT_POSITIONS.codes),
      ),
    },
    { required: ['blocks'], others: NOTHING, rule: blocksTogether },
  ),
);

/** What no block breaks by itself: each id stands once, and all texts together are bounded. */
function blocksTogether({ blocks }: JsonObject, found: Findings): void {
  if (!Array.isArray(blocks)) return;
  const ids = new Set<unknown>();
  let chars = 0;
  found.enter('blocks');
  for (const [index, block] of (blocks as (JsonObject | null)[]).entries()) {
    const { id, text: said } = block ?? {};
    if (typeof said === 'string') chars += said.length;
    if (typeof id !== 'string') continue;
    if (ids.has(id)) {
      found.enter(index);
      found.addOf('id', 'invalid', 'must be another id than those of the blocks before');
      found.leave();
    }
    ids.add(id);
  }
  if (chars > CONTEXT_CHARS_MAX) {
    found.add('out_of_range', `must have at most ${CONTEXT_CHARS_MAX} characters together`);
  }
  found.leave();
}
