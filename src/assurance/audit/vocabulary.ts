import { KEYED_MUTATIONS } from '../../graph/keeping.js';
import { vocabulary } from '../../kernel/vocabulary.js';

/** The forms in which the trail is exported. */
export const EXPORT_FORMATS = vocabulary('AuditExportFormat', 'A form of an export.', [
  { code: 'ndjson', description: 'One JSON object a line, under the names of the reference.' },
  { code: 'cef', description: 'Common Event Format, one event a line, as a SIEM reads it.' },
]);

/** Mutations that change nothing that is managed: logins and calls of models. */
const NOT_RECORDED: ReadonlySet<string> = new Set([
  'authLogin',
  'authRefresh',
  'chatComplete',
  'chatCompletionCreate',
  'embeddingsCreate',
]);

/** Decisions are recorded by what was decided, whichever mutation decided. */
const DECISIONS: ReadonlySet<string> = new Set([
  'approvalDecide',
  'toolCallApprove',
  'toolCallReject',
]);

/** What is recorded beside the mutations, under a name of its own. */
const OTHER_KINDS = [
  { code: 'approvalApprove', description: 'Approves what waits for a decision.' },
  { code: 'approvalReject', description: 'Rejects what waits for a decision.' },
  { code: 'migrationCutoverExecute', description: 'Carries out a cutover that was approved.' },
] as const;

/**
 * Every kind of event: the mutations that change something managed, as modules have registered
 * them, and what is recorded by its outcome.
 * @param described what the schema says of a mutation
 */
export function auditKinds(described: (mutation: string) => string) {
  const mutations = [...KEYED_MUTATIONS.keys()].filter(
    (name) => !NOT_RECORDED.has(name) && !DECISIONS.has(name),
  );
  const rows = mutations.map((code) => ({ code, description: described(code) }));
  return [...rows, ...OTHER_KINDS].sort((one, other) => (one.code < other.code ? -1 : 1));
}

/** What an exported event says, in the order of its line. */
export const EXPORT_FIELDS = [
  { code: 'id', description: 'The id of the event.' },
  { code: 'tenant_id', description: 'The organization.' },
  { code: 'position', description: 'Its place in the chain of the organization, from 1.' },
  { code: 'actor_kind', description: 'Whether a member (`user`) or a key (`api_key`) acted.' },
  { code: 'actor_id', description: 'The member or key that acted.' },
  { code: 'action', description: 'What was done, one of the kinds.' },
  { code: 'subject', description: 'The type of what was changed.' },
  { code: 'subject_id', description: 'What was changed.' },
  { code: 'before_hash', description: 'SHA-256 of the object before, by RFC 8785; or null.' },
  { code: 'after_hash', description: 'SHA-256 of the object after, by RFC 8785; or null.' },
  { code: 'request_id', description: 'The request that did it.' },
  { code: 'created_at', description: 'When the change was recorded, in UTC with milliseconds.' },
  { code: 'previous_hash', description: 'The chain hash of the position before; or null.' },
  { code: 'chain_hash', description: 'The hash of this line by the chain rule.' },
] as const;

/** The most events that one export holds. */
export const EXPORT_MAX = 10_000;
/** As many events as an export holds that states no number. */
export const EXPORT_DEFAULT = 1_000;
