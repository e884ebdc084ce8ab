import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { DRY_RUN_DAYS } from '../policies/vocabulary.js';
import { BOUNDARY_BOUNDS, BOUNDARY_CALLERS, BOUNDARY_REASONS } from './vocabulary.js';

/** What a dry run of a boundary supposes. */
export const BOUNDARY_QUESTION = {
  required: optional(
    flag('Whether every request would need a workspace; the setting in force unless stated.'),
  ),
  keyId: optional(uuid('A key that would belong to `workspaceId`, with all that it has made.')),
  memberId: optional(uuid('A member who would belong to `workspaceId`, with the keys it owns.')),
  projectId: optional(uuid('A project whose requests would be made under `workspaceId`.')),
  workspaceId: optional(
    uuid('The workspace of that key, member or project; none where it is left out.'),
  ),
} as const;

const STATEMENT = fieldTable('WorkspaceStatement', 'Something that names a workspace.', {
  source: text('What names it: a key, a member, a project or the request itself.'),
  workspaceId: text('The workspace that it names.'),
});

const CALLER = fieldTable('WorkspaceBoundaryCaller', 'Requests that would have been refused.', {
  kind: code(BOUNDARY_CALLERS, 'Whether a key or a member has made them.'),
  callerId: uuid('The id of the key or member.'),
  name: optional(text('The name of the key; null for members.')),
  projectId: uuid('The project that they were made in.'),
  reason: code(BOUNDARY_REASONS, 'The error that they would have been refused with.'),
  contradiction: list(
    object(STATEMENT, 'One of the two.'),
    'The two that name different workspaces; empty where no workspace is named.',
  ),
  requests: integer('How many requests.'),
  firstAt: instant('When the first of them was made.'),
  lastAt: instant('When the last of them was made.'),
});

/** What a boundary would have refused. */
export const BOUNDARY_EFFECT = fieldTable(
  'WorkspaceBoundaryEffect',
  `The requests of the last ${DRY_RUN_DAYS} days that would have been refused, judged by the ` +
    'rule that live requests are judged by. Nothing is written.',
  {
    from: instant('Begin of the window.'),
    to: instant('End of the window.'),
    complete: flag(
      `False where the window has more than ${BOUNDARY_BOUNDS.requestsMax} requests or ` +
        `${BOUNDARY_BOUNDS.groupsMax} callers: the newest requests and the busiest callers are ` +
        'judged.',
    ),
    requests: integer('Requests that were judged.'),
    refused: integer('Requests that would have been refused.'),
    callers: list(
      object(CALLER, 'Requests of one caller that would have been refused for one reason.'),
      `Who would have been refused, most requests first; at most ${BOUNDARY_BOUNDS.shownMax}.`,
    ),
    provenance: code(PROVENANCES, 'Where the figures come from.'),
  },
);
