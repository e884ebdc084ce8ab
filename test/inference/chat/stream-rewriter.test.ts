import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEvents, writeEvent } from '../../../src/inference/chat/event-text.js';
import { MaskingRewriter } from '../../../src/inference/chat/stream-rewriter.js';

import { Vault } from '../../../src/inference/firewall/mask.js';
import {
  DEFAULT_MODES,
  FINDING_CLASSES,
  type FirewallModes,
} from '../../../src/kernel/firewall/vocabulary.js';

const MASK = Object.fromEntries(FINDING_CLASSES.map(({ code }) => [code, 'mask'])) as FirewallModes;
const DETECT = { ...DEFAULT_MODES, secret: 'detect' } as const;
const PHONE = '+7 912 345-67-89';
const NAME = 'O"Hara@corp.ru';

function vaultOfClient(): Vault {
  const vault = new Vault();
  vault.placeholderFor('phone', PHONE);
  vault.placeholderFor('email', NAME);
  return vault;
}

type Json = { [name: string]: unknown };
type Choice = Json & { index: number; delta?: Json };

const SAID =
  'Звоните [[GW_PHONE_1]] или пишите [[GW_EMAIL_1]], но не на [[GW_PHONE_7]] и не [[1]].';
const READ = `Звоните ${PHONE} или пишите ${NAME}, но не на [[GW_PHONE_7]] и не [[1]].`;
const CALLED = '{"to":"[[GW_PHONE_1]]","[[GW_EMAIL_1]]":["[[GW_EMAIL_1]]"]}';

/** What a client makes of the chunks: the texts of each place, put together. */
function assembled(chunks: readonly Json[]): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (typeof value === 'string') texts.set(path, (texts.get(path) ?? '') + value);
    else if (Array.isArray(value)) {
      for (const element of value) {
        const { index } = (element ?? {}) as Json;
        add(`${path}.${typeof index === 'number' ? index : '*'}`, element);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) add(`${path}.${name}`, member);
    }
  };
  for (const { choices } of chunks) {
    for (const { index, delta, logprobs } of choices as Choice[]) {
      add(`${index}`, delta);
      for (const name of ['content', 'refusal']) {
        const entries = ((logprobs as Json | null)?.[name] ?? []) as Json[];
        for (const { token, bytes } of entries) {
          add(`${index}.tokens.${name}`, token);
          const read = Buffer.from((bytes as number[] | null) ?? []).toString('latin1');
          texts.set(`${index}.bytes.${name}`, (texts.get(`${index}.bytes.${name}`) ?? '') + read);
        }
      }
    }
  }
  return texts;
}

function passed(chunks: readonly Json[], vault = vaultOfClient(), modes: FirewallModes = DETECT) {
  const rewriter = new MaskingRewriter('public', modes, vault);
  const events = chunks.map((chunk) => rewriter.push(writeEvent(chunk)));
  const written = Buffer.concat([...events, rewriter.flush()]);
  return { chunks: parseEvents(written) as Json[], text: written.toString(), rewriter };
}

const chunk = (choice: Choice): Json => ({ id: 'c', model: 'own', choices: [choice] });

/** A text cut at random places. */
const cut = (text: string) =>
  fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 40 }).map((places) => {
    const edges = [0, ...places.sort((left, right) => left - right), text.length];
    return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
  });

const tokenEntry = (token: string) => ({
  token,
  bytes: [...Buffer.from(token)],
  logprob: -0.5,
  top_logprobs: [
    { token: '[[GW_X', bytes: [], logprob: -1 },
    { token: 'так', bytes: [], logprob: -2 },
  ],
});

/** The ways in which a piece of text may stand in a delta, with what it is. */
const WAYS: readonly (readonly [path: string, said: string, delta: (piece: string) => Json])[] = [
  ['content', SAID, (piece) => ({ content: piece })],
  ['refusal', SAID, (piece) => ({ refusal: piece })],
  ['reasoning_content', SAID, (piece) => ({ reasoning_content: piece })],
  ['reasoning', SAID, (piece) => ({ reasoning: piece })],
  ['thoughts.deep', SAID, (piece) => ({ thoughts: { deep: piece } })],
  ['audio.transcript', SAID, (piece) => ({ audio: { transcript: piece } })],
  ['content.*.text', SAID, (piece) => ({ content: [{ type: 'text', text: piece }] })],
  [
    'reasoning_details.3.text',
    SAID,
    (piece) => ({ reasoning_details: [{ index: 3, type: 'reasoning.text', text: piece }] }),
  ],
  ['function_call.arguments', CALLED, (piece) => ({ function_call: { arguments: piece } })],
  ...[0, 1, 5].map(
    (index) =>
      [
        `tool_calls.${index}.function.arguments`,
        CALLED,
        (piece: string) => ({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ] as const,
  ),
  [
    'tool_calls.2.custom.input',
    SAID,
    (piece) => ({ tool_calls: [{ index: 2, custom: { input: piece } }] }),
  ],
  [
    'tool_calls.4.function.name',
    'call_[[GW_PHONE_1]]',
    (piece) => ({ tool_calls: [{ index: 4, function: { name: piece } }] }),
  ],
];

/** Several texts in several choices, each in its own pieces, in any order between them. */
const stream = fc
  .array(
    fc
      .tuple(fc.nat(2), fc.constantFrom(...WAYS))
      .chain(([index, [path, said, delta]]) =>
        cut(said).map((pieces) => ({ index, path, said, delta, pieces })),
      ),
    { minLength: 1, maxLength: 6 },
  )
  .chain((given) => {
    const texts = [...new Map(given.map((text) => [`${text.index}.${text.path}`, text])).values()];
    // The shapes of `content` do not mix within one choice.
    const fit = texts.filter(
      ({ index, path }) =>
        path !== 'content.*.text' ||
        !texts.some((other) => other.index === index && other.path === 'content'),
    );
    const turns = fit.flatMap(({ pieces }, at) => pieces.map(() => at));
    return fc.shuffledSubarray(turns, { minLength: turns.length }).map((order) => ({ fit, order }));
  });

describe('a stream whose request was masked', () => {
  it('reads as the whole answer would, at any split of any text of any choice', () => {
    fc.assert(
      fc.property(stream, fc.boolean(), ({ fit, order }, ends) => {
        const left = fit.map(({ pieces }) => [...pieces]);
        const chunks = order.map((at) => {
          const { index, delta } = fit[at] as (typeof fit)[number];
          return chunk({ index, delta: delta(left[at]?.shift() ?? ''), finish_reason: null });
        });
        if (ends) chunks.push(chunk({ index: 0, delta: {}, finish_reason: 'stop' }));
        const read = assembled(passed(chunks).chunks);
        for (const { index, path, said } of fit) {
          const text = read.get(`${index}.${path}`) ?? '';
          if (path.endsWith('arguments')) {
            expect(JSON.parse(text)).toEqual({ to: PHONE, [NAME]: [NAME] });
          } else expect(text).toBe(said === SAID ? READ : `call_${PHONE}`);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has log probabilities that read as its text, whatever the tokens are', () => {
    fc.assert(
      fc.property(cut(SAID), fc.constantFrom(DETECT, MASK), (tokens, modes) => {
        const chunks = tokens.map((token) =>
          chunk({
            index: 0,
            delta: { content: token },
            logprobs: { content: [tokenEntry(token)], refusal: null },
          }),
        );
        chunks.push(chunk({ index: 0, delta: {}, logprobs: null as never, finish_reason: 'stop' }));
        const { chunks: shown, text } = passed(chunks, vaultOfClient(), modes);
        const read = assembled(shown);
        expect(read.get('0.content')).toBe(READ);
        expect(read.get('0.tokens.content')).toBe(READ);
        expect(Buffer.from(read.get('0.bytes.content') ?? '', 'latin1').toString()).toBe(READ);
        expect(text).not.toMatch(/GW_(?:PHONE|EMAIL)_1/);
        expect(text).not.toContain('[[GW_X');
      }),
      { numRuns: 200 },
    );
  });

  it('shows no value of the model in log probabilities that a policy masks in the text', () => {
    const said = 'Его почта ivan@corp.ru, телефон +7 495 000-11-22, и это всё, что я о нём знаю.';
    fc.assert(
      fc.property(cut(said), (tokens) => {
        const chunks = tokens.map((token) =>
          chunk({
            index: 0,
            delta: { content: token },
            logprobs: { content: [tokenEntry(token)] },
          }),
        );
        const read = assembled(passed(chunks, new Vault(), MASK).chunks);
        expect(read.get('0.content')).toBe(
          'Его почта [email], телефон [phone], и это всё, что я о нём знаю.',
        );
        expect(read.get('0.tokens.content')).toBe(read.get('0.content'));
      }),
    );
  });

  it('joins the tokens of one value in one entry and leaves the others alone', () => {
    const tokens = ['Звоните', ' [[', 'GW', '_PHONE', '_1', ']].', ' Ждём'];
    const chunks = tokens.map((token) =>
      chunk({ index: 0, delta: { content: token }, logprobs: { content: [tokenEntry(token)] } }),
    );
    const shown = passed(chunks).chunks.flatMap(({ choices }) =>
      (choices as Json[]).flatMap(({ logprobs }) => (logprobs as Json).content as Json[]),
    );
    const alternatives = [{ token: 'так', bytes: [], logprob: -2 }];
    const value = ` ${PHONE}.`;
    expect(shown).toEqual([
      { ...tokenEntry('Звоните'), top_logprobs: alternatives },
      { token: value, bytes: [...Buffer.from(value)], logprob: -2.5, top_logprobs: [] },
      { ...tokenEntry(' Ждём'), top_logprobs: alternatives },
    ]);
  });

  it('is read in every other member too: ids, annotations and what a vendor adds', () => {
    const delta = {
      role: 'assistant',
      tool_calls: [
        {
          index: 0,
          id: 'call_[[GW_PHONE_1]]',
          type: 'function',
          function: { name: 'find', arguments: '' },
        },
      ],
      annotations: [
        { type: 'url_citation', url_citation: { title: 'о [[GW_PHONE_1]]', start_index: 3 } },
        { type: 'url_citation', url_citation: { title: 'об [[GW_EMAIL_1]]' } },
      ],
    };
    const given = { id: 'c', x: '[[GW_EMAIL_1]]', model: 'own', choices: [{ index: 0, delta }] };
    const { chunks } = passed([given]);
    expect(chunks).toEqual([
      {
        id: 'c',
        x: NAME,
        model: 'public',
        choices: [
          {
            index: 0,
            delta: {
              ...delta,
              tool_calls: [{ ...delta.tool_calls[0], id: `call_${PHONE}` }],
              annotations: [
                { type: 'url_citation', url_citation: { title: `о ${PHONE}`, start_index: 3 } },
                { type: 'url_citation', url_citation: { title: `об ${NAME}` } },
              ],
            },
          },
        ],
      },
    ]);
  });

  it('passes names of tools, ids and roles at once under a policy that masks answers', () => {
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'find', arguments: '' },
    };
    const given = chunk({
      index: 0,
      delta: { role: 'assistant', tool_calls: [call] },
      finish_reason: null,
    });
    expect(passed([given], new Vault(), MASK).chunks).toEqual([{ ...given, model: 'public' }]);
  });

  it('has what the model says itself counted and masked in all of its texts', () => {
    const said = 'Его почта ivan@corp.ru';
    const { chunks, rewriter } = passed(
      [chunk({ index: 0, delta: { reasoning_content: said, audio: { transcript: said } } })],
      new Vault(),
      MASK,
    );
    const read = assembled(chunks);
    expect(read.get('0.reasoning_content')).toBe('Его почта [email]');
    expect(read.get('0.audio.transcript')).toBe('Его почта [email]');
    expect(rewriter.found()).toEqual({
      findings: [{ class: 'email', count: 2, confidence: 'confirmed' }],
      masked: [{ class: 'email', count: 2 }],
    });
  });
});
