import type { JsonObject } from '../../kernel/json.js';
import type { Findings } from './findings.js';
import { ANYTHING, about, either, FLAG, object, oneOf, text, whole } from './shape.js';
import { DATA_CLASS_SHAPE } from './stated-class.js';

/** Bounds of `metadata`. */
const METADATA_BOUNDS = { lengthMax: 512, jsonCharsMax: 16_384 } as const;

/** A version of a prompt package, by its number. */
export const PROMPT_VERSION = whole(1, 1_000_000);

const LABEL = text({ max: METADATA_BOUNDS.lengthMax });

/**
 * `metadata`. The gateway reads the members that are named, so that a wrong type of theirs is a
 * fault: what reports group by must not vanish silently.
 */
export const METADATA = about(
  'For the gateway: reports group by feature, environment and client_id. Providers see it only ' +
    'where the operator configures that. At most 16,384 characters of JSON.',
  object(
    'an object',
    {
      feature: LABEL,
      environment: LABEL,
      client_id: LABEL,
      session_id: about(
        'The session of an agent: budgets and anomaly rules of agent_session read it.',
        LABEL,
      ),
      agent_session: about('The same as session_id, which holds where both are named.', LABEL),
      workspace_id: about(
        'The workspace under which the request is made, as the header x-gw-workspace says it; ' +
          'user_id and department then say who asks, and its policy holds.',
        LABEL,
      ),
      data_class: about(
        'The least class of the data: the highest class that request, key, project, workspace, ' +
          'prompt and firewall say decides about routes, cache and exploration. The body itself ' +
          'may have it, too, as may the header x-gw-data-class; the highest holds. A name or a ' +
          'place that nobody reads is refused.',
        DATA_CLASS_SHAPE,
      ),
      writes: about(
        'Whether the answer is used to change something: then it comes from no cache and is kept ' +
          'in none.',
        either(FLAG, oneOf('true', 'false')),
      ),
      cache_control: about(
        'What the header cache-control says, for clients without headers: no-cache asks a ' +
          'provider and keeps its answer, no-store reads and keeps none.',
        LABEL,
      ),
      prompt_key: about('In chat: the prompt that fills the request.', LABEL),
      prompt_version: about(
        'In chat: the version of that prompt, if not production.',
        either(PROMPT_VERSION, text({ min: 1, max: 7 })),
      ),
    },
    { others: ANYTHING, rule: limitSize },
  ),
);

/** It is kept with the usage of the request, so that it must not be a document. */
function limitSize(metadata: JsonObject, found: Findings): void {
  const { jsonCharsMax } = METADATA_BOUNDS;
  if (JSON.stringify(metadata).length <= jsonCharsMax) return;
  found.add('out_of_range', `must be at most ${jsonCharsMax} characters of JSON`);
}
