import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { RewrittenStream } from '../../../src/inference/chat/rewritten-stream.js';
import { MaskingRewriter } from '../../../src/inference/chat/stream-rewriter.js';
import { inspectRequestApart } from '../../../src/inference/firewall/apart/apart.js';
import { ScanThread, ScanTooLong } from '../../../src/inference/firewall/apart/scan-thread.js';
import { AT_ONCE_MAX, isHeavy } from '../../../src/inference/firewall/apart/weight.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { Vault } from '../../../src/inference/firewall/mask.js';
import { withOwnClasses } from '../../../src/kernel/firewall/modes.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const ASKER = { owner: 'one' };
const MASKING = withOwnClasses({ ...DEFAULT_MODES, card: 'mask', email: 'mask' }, [
  { name: 'project', words: ['Синий кит'], patterns: [], mode: 'mask', dataClass: 'C2' },
]);

/** A thread that answers with the text that it is given, or never. */
const ECHO = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ text }) => {
    while (text === 'never') {}
    parentPort.postMessage({ kind: 'done', result: text });
  });`;

function echoing(budgetMs: number) {
  const thread = new ScanThread(() => new Worker(ECHO, { eval: true }), budgetMs);
  const vault = new Vault().packed();
  const modes = { modes: DEFAULT_MODES, rules: [] };
  return (text: string, owner: string) =>
    thread.run({ kind: 'said', text, modes, vault }, { owner }) as Promise<unknown>;
}

describe('the thread that scans', () => {
  it('ends what takes too long with itself, and does what comes then', async () => {
    const run = echoing(2_000);
    const [never, next] = await Promise.allSettled([run('never', 'a'), run('next', 'a')]);
    expect(never).toEqual({ status: 'rejected', reason: new ScanTooLong() });
    expect(next).toEqual({ status: 'fulfilled', value: 'next' });
  });
});

describe('a body that is scanned apart', () => {
  const row = 'Карта 4111 1111 1111 1111, a.petrov@example.ru, Синий кит. ';

  it('is read as it is read at once, values and own classes of the policy included', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: row.repeat(500) }] };
    expect(isHeavy(body, MASKING)).toBe(true);
    const { vault, ...apart } = await inspectRequestApart(body, MASKING, undefined, ASKER);
    const { vault: own, ...here } = inspectRequest(body, MASKING);
    expect(apart).toEqual(here);
    expect(vault.packed()).toEqual(own.packed());
    expect(vault.valueOf('[[GW_CARD_1]]')).toBe('4111 1111 1111 1111');
    expect(vault.owns('email', 'A.PETROV@example.ru')).toBe(true);
  });

  it('is the one that was given where nothing changes', async () => {
    const body = { input: 'nothing here' };
    const found = await inspectRequestApart(body, DEFAULT_MODES, undefined, ASKER);
    expect(found.body).toBe(body);
    expect(found.vault.isEmpty).toBe(true);
  });
});

describe('what is scanned at once', () => {
  it.each([
    ['a long English text', 'The quick brown fox jumps over the lazy dog. '.repeat(5_000), false],
    ['as long a text with a card', `${'The fox. '.repeat(25_000)}4111 1111 1111 1111`, true],
    ['many short texts', Array.from({ length: 3_000 }, () => 'hello'), true],
    ['what is encoded', { file_data: 'QUJD'.repeat(AT_ONCE_MAX) }, true],
  ])('is little: %s', (_, value, isTooMuch) => {
    expect(isHeavy(value, DEFAULT_MODES)).toBe(isTooMuch);
  });
});

describe('a stream that becomes too much', () => {
  it('goes on apart and says the same as one that is rewritten here', async () => {
    const vault = new Vault();
    const placeholder = vault.placeholderFor('card', '4111 1111 1111 1111');
    const event = (content: string) =>
      Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    const texts = [
      `Ваша карта ${placeholder.slice(0, 6)}`,
      `${placeholder.slice(6)} и mail b.ivanov@exam`,
      `ple.ru ${'12 34 '.repeat(20_000)} a.pet`,
      `rov@example.ru ${placeholder}`,
    ];
    const here = new MaskingRewriter('public', MASKING, vault);
    const whole = [...texts.map((text) => here.push(event(text))), here.flush()];
    const stream = new RewrittenStream({
      publicModel: 'public',
      modes: MASKING,
      vault,
      asker: ASKER,
    });
    const parts: Buffer[] = [];
    for (const text of texts) parts.push(await stream.push(event(text), 1));
    parts.push(await stream.flush());
    expect(parts.map(String)).toEqual(whole.map(String));
    expect(stream.found()).toEqual(here.found());
    stream.end();
  });
});
