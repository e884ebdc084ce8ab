/**
 * The checks in the order in which they run. `path` is what is called, `billed` says whether a
 * passing check costs anything, `needs` names the check without which this one is skipped.
 */
export const CHECKS = [
  {
    code: 'auth',
    description: 'The credential is accepted and says whose it is.',
    method: 'GET',
    path: '/me',
    billed: false,
    needs: null,
  },
  {
    code: 'models',
    description: 'The list of models holds the model that is asked for.',
    method: 'GET',
    path: '/v1/models',
    billed: false,
    needs: 'auth',
  },
  {
    code: 'chat',
    description: 'A chat completion comes back with a message and usage.',
    method: 'POST',
    path: '/v1/chat/completions',
    billed: true,
    needs: 'auth',
  },
  {
    code: 'streaming',
    description: 'A streamed answer comes in chunks and ends with [DONE].',
    method: 'POST',
    path: '/v1/chat/completions',
    billed: true,
    needs: 'auth',
  },
  {
    code: 'embeddings',
    description: 'A text becomes a vector of numbers.',
    method: 'POST',
    path: '/v1/embeddings',
    billed: true,
    needs: 'auth',
  },
  {
    code: 'tool_calls',
    description: 'A function that must be called is called with arguments that are JSON.',
    method: 'POST',
    path: '/v1/chat/completions',
    billed: true,
    needs: 'auth',
  },
  {
    code: 'error_format',
    description: 'A request that is wrong on purpose is refused in the documented form.',
    method: 'POST',
    path: '/v1/chat/completions',
    billed: false,
    needs: 'auth',
  },
] as const;

/** A check. */
export type CheckCode = (typeof CHECKS)[number]['code'];

/** How a check ended. */
export const CHECK_STATUSES = [
  { code: 'pass', description: 'The answer is what a client relies on.' },
  { code: 'fail', description: 'It is not; message and fix say why.' },
  { code: 'skipped', description: 'It was not run; the message says why.' },
] as const;

/** How a check ended. */
export type CheckStatus = (typeof CHECK_STATUSES)[number]['code'];

/** How a run ended. */
export const RUN_STATUSES = [
  { code: 'passed', description: 'No check failed, at least one passed, and none was simulated.' },
  {
    code: 'passed_simulated',
    description:
      'No check failed, but a simulated model answered: the wiring works, and nothing is shown ' +
      'about a real model.',
  },
  { code: 'failed', description: 'At least one check failed.' },
  { code: 'stopped', description: 'The client went away before every check had run.' },
] as const;

/** How a run ended. */
export type RunStatus = (typeof RUN_STATUSES)[number]['code'];

/** What the feed of checks tells. */
export const CHECK_EVENTS = [
  { code: 'started', description: 'A run began; the payload names its checks.' },
  { code: 'checked', description: 'A check ended; the payload is its result.' },
  { code: 'finished', description: 'The run ended; the payload holds status and cost.' },
] as const;

/** The type of an event of the feed of checks. */
export type CheckEvent = (typeof CHECK_EVENTS)[number]['code'];

/** Under which feature the checks stand in usage and reports. */
export const COCKPIT_FEATURE = 'gw_cockpit';
/** Characters of the name of a model. */
export const MODEL_LENGTH_MAX = 200;
/** How long one check may take, and how much of an answer is read. */
export const CHECK_MS_MAX = 60_000;
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** A model that cannot exist, for the request that must be refused. */
export const NO_MODEL = 'gw-cockpit/no-such-model';
/** The function that the check of tools makes the model call. */
export const TOOL_NAME = 'report_weather';
