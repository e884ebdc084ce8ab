import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  firstEmbeddingsModel,
  judge,
  judgeSilence,
  runStatus,
} from '../../../src/delivery/cockpit/rules.js';
import {
  CHECK_STATUSES,
  CHECKS,
  type CheckCode,
} from '../../../src/delivery/cockpit/vocabulary.js';

const MODELS = { chat: 'gw:auto', embeddings: 'a/vectors' };

function seen(body: unknown, status = 200, contentType = 'application/json') {
  return { status, contentType, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

const CHAT = {
  model: 'a/chat',
  choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }],
  usage: { total_tokens: 9 },
};
const called = (name: string, given: string) => ({
  choices: [{ message: { tool_calls: [{ function: { name, arguments: given } }] } }],
});
const ERROR = {
  message: 'No.',
  type: 'not_found_error',
  param: null,
  code: 'model_not_found',
  request_id: 'r',
  doc_url: 'd',
};
const STREAM = [
  'data: {"model":"a","choices":[{"delta":{"content":"Hi"}}]}',
  '',
  'data: [DONE]',
  '',
];
const events = (lines: readonly string[]) => seen(lines.join('\n'), 200, 'text/event-stream');

const JUDGED: readonly (readonly [string, CheckCode, ReturnType<typeof seen>, string])[] = [
  ['a caller', 'auth', seen({ kind: 'api_key', role: 'agent' }), 'pass'],
  ['no caller', 'auth', seen({}), 'fail'],
  ['a list with the model', 'models', seen({ data: [{ id: 'gw:auto' }] }), 'pass'],
  ['a list without the model', 'models', seen({ data: [{ id: 'b' }] }), 'fail'],
  ['an empty list', 'models', seen({ data: [] }), 'fail'],
  ['a message with usage', 'chat', seen(CHAT), 'pass'],
  ['a message without usage', 'chat', seen({ ...CHAT, usage: undefined }), 'fail'],
  ['no choice', 'chat', seen({ ...CHAT, choices: [] }), 'fail'],
  ['a stream to its end', 'streaming', events(STREAM), 'pass'],
  ['a stream without [DONE]', 'streaming', events(STREAM.slice(0, 2)), 'fail'],
  ['a stream without content', 'streaming', events(STREAM.slice(2)), 'fail'],
  ['a stream that fails', 'streaming', events(['data: {"error":{"code":"x"}}']), 'fail'],
  ['no events', 'streaming', seen(CHAT), 'fail'],
  ['numbers', 'embeddings', seen({ data: [{ embedding: [0.1, 0.2] }] }), 'pass'],
  ['no numbers', 'embeddings', seen({ data: [{ embedding: ['a'] }] }), 'fail'],
  ['an empty vector', 'embeddings', seen({ data: [{ embedding: [] }] }), 'fail'],
  ['the function', 'tool_calls', seen(called('report_weather', '{"city":"Kazan"}')), 'pass'],
  ['another function', 'tool_calls', seen(called('other', '{"city":"Kazan"}')), 'fail'],
  ['arguments that are no JSON', 'tool_calls', seen(called('report_weather', '{')), 'fail'],
  ['a documented refusal', 'error_format', seen({ error: ERROR }, 404), 'pass'],
  ['no refusal', 'error_format', seen({ error: ERROR }, 200), 'fail'],
  ['a refusal without a code', 'error_format', seen({ error: { message: 'No.' } }, 404), 'fail'],
  ['an unknown code', 'error_format', seen({ error: { ...ERROR, code: 'x' } }, 404), 'fail'],
];

describe('a check passes on what a client relies on alone', () => {
  it.each(JUDGED)('%s: %s', (_name, code, answer, status) => {
    expect(judge(code, answer, MODELS).status).toBe(status);
  });

  it('whatever comes back, it is judged', () => {
    const codes = fc.constantFrom(...CHECKS.codes);
    const answers = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((json) => `data: ${json}\n\n`),
    );
    fc.assert(
      fc.property(codes, answers, fc.integer({ min: 200, max: 599 }), (code, text, status) => {
        const judged = judge(code, { status, contentType: 'text/event-stream', text }, MODELS);
        expect(['pass', 'fail']).toContain(judged.status);
        if (status >= 400 && code !== 'error_format') expect(judged.status).toBe('fail');
      }),
    );
  });

  it('a refusal shows the fix of the catalogue', () => {
    const error = { code: 'insufficient_balance', message: 'Too little.' };
    expect(judge('chat', seen({ error }, 402), MODELS)).toEqual({
      status: 'fail',
      message: 'Too little.',
      fix: 'Top up the account. Send a shorter prompt or a lower max_tokens.',
      evidence: { error_code: 'insufficient_balance' },
    });
  });

  it('silence is a failure', () => {
    expect(judgeSilence('timeout')).toEqual({
      status: 'fail',
      message: 'No whole answer came within 60 seconds.',
      fix: 'Run the checks again; if it persists, tell the operator of this server.',
      evidence: { failure: 'timeout' },
    });
  });
});

describe('what is asked', () => {
  it.each(CHECKS.rows.filter(({ billed }) => billed))(
    '$code stands under the feature gw_cockpit',
    ({ code }) => {
      expect(bodyOf(code, MODELS)?.metadata).toEqual({ feature: 'gw_cockpit' });
    },
  );

  it.each(CHECKS.rows.filter(({ method }) => method === 'GET'))('$code has no body', ({ code }) => {
    expect(bodyOf(code, MODELS)).toBeUndefined();
  });

  it('takes the first model of embeddings of the list', () => {
    const data = [
      { id: 'a', capabilities: ['text'] },
      { id: 'b', capabilities: ['embeddings'] },
      { id: 'c', capabilities: ['embeddings'] },
    ];
    expect(firstEmbeddingsModel(seen({ data }))).toBe('b');
    expect(firstEmbeddingsModel(seen({ data: [] }))).toBeUndefined();
  });
});

describe('a run', () => {
  it('has passed only where nothing failed and something passed', () => {
    const checks = fc.array(
      fc.record({
        status: fc.constantFrom(...CHECK_STATUSES.codes),
        simulated: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(checks, fc.boolean(), (given, isStopped) => {
        const status = runStatus(given, isStopped);
        const statuses = given.map((check) => check.status);
        const isPassed = !isStopped && statuses.includes('pass') && !statuses.includes('fail');
        const isSimulated = given.some(({ simulated }) => simulated);
        expect(status === 'passed').toBe(isPassed && !isSimulated);
        expect(status === 'passed_simulated').toBe(isPassed && isSimulated);
        if (isStopped) expect(status).toBe('stopped');
      }),
    );
  });
});
