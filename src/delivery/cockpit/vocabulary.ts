import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

const GET = { method: 'GET', billed: false } as const;
const POST = { method: 'POST', billed: true, needs: 'auth' } as const;
const CHAT = { ...POST, path: '/v1/chat/completions' } as const;

/**
 * The checks in the order in which they run. `path` is what is called, `billed` says whether a
 * passing check costs anything, `needs` names the check without which this one is skipped.
 */
export const CHECKS = vocabulary('MigrationCheckCode', 'A live check of the migration cockpit.', [
  {
    code: 'auth',
    description: 'The credential is accepted and says whose it is.',
    ...GET,
    path: '/me',
    needs: null,
  },
  {
    code: 'models',
    description: 'The list of models holds the model that is asked for.',
    ...GET,
    path: '/v1/models',
    needs: 'auth',
  },
  { code: 'chat', description: 'A chat completion comes back with a message and usage.', ...CHAT },
  {
    code: 'streaming',
    description: 'A streamed answer comes in chunks and ends with [DONE].',
    ...CHAT,
  },
  {
    code: 'embeddings',
    description: 'A text becomes a vector of numbers.',
    ...POST,
    path: '/v1/embeddings',
  },
  {
    code: 'tool_calls',
    description: 'A function that must be called is called with arguments that are JSON.',
    ...CHAT,
  },
  {
    code: 'error_format',
    description: 'A request that is wrong on purpose is refused in the documented form.',
    ...CHAT,
    billed: false,
  },
]);

/** A check. */
export type CheckCode = CodeOf<typeof CHECKS>;

/** How a check ended. */
export const CHECK_STATUSES = vocabulary('MigrationCheckStatus', 'How a check ended.', [
  { code: 'pass', description: 'The answer is what a client relies on.' },
  { code: 'fail', description: 'It is not; message and fix say why.' },
  { code: 'skipped', description: 'It was not run; the message says why.' },
]);

/** How a check ended. */
export type CheckStatus = CodeOf<typeof CHECK_STATUSES>;

/** How a run ended. */
export const RUN_STATUSES = vocabulary('MigrationCheckRunStatus', 'How a run of checks ended.', [
  { code: 'passed', description: 'No check failed, at least one passed, and none was simulated.' },
  {
    code: 'passed_simulated',
    description:
      'No check failed, but a simulated model answered: the wiring works, and nothing is shown ' +
      'about a real model.',
  },
  { code: 'failed', description: 'At least one check failed.' },
  { code: 'stopped', description: 'The client went away before every check had run.' },
]);

/** How a run ended. */
export type RunStatus = CodeOf<typeof RUN_STATUSES>;

/** Why a request of a check had no answer. */
export const PROBE_FAILURES = vocabulary('MigrationProbeFailure', 'Why no answer came.', [
  { code: 'timeout', description: 'No whole answer came in time.' },
  { code: 'aborted', description: 'The client of the run went away.' },
  { code: 'too_large', description: 'The answer was larger than what is read of one.' },
  { code: 'connection', description: 'The connection to this server broke.' },
]);

/** Why a request of a check had no answer. */
export type ProbeFailure = CodeOf<typeof PROBE_FAILURES>;

/** What the feed of checks tells. */
export const CHECK_EVENTS = vocabulary('MigrationCheckEvent', 'What the feed of checks tells.', [
  { code: 'started', description: 'A run began; the payload names its checks.' },
  { code: 'checked', description: 'A check ended; the payload is its result.' },
  { code: 'finished', description: 'The run ended; the payload holds status and cost.' },
]);

/** The type of an event of the feed of checks. */
export type CheckEvent = CodeOf<typeof CHECK_EVENTS>;

/** Under which feature the checks stand in usage and reports. */
export const COCKPIT_FEATURE = 'gw_cockpit';
/** Characters of the name of a model. */
export const MODEL_LENGTH_MAX = 200;
/** How long one check may take, and how much of an answer is read. */
export const CHECK_MS_MAX = 60_000;
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** For how long the link to a report shows it. */
export const LINK_DAYS = 30;
/** A model that cannot exist, for the request that must be refused. */
export const NO_MODEL = 'gw-cockpit/no-such-model';
/** The function that the check of tools makes the model call. */
export const TOOL_NAME = 'report_weather';
