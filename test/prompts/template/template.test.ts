import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { toGatewayError } from '../../../src/kernel/errors/fail.js';
import {
  analyseTemplate,
  RENDERED_CHARS_MAX,
  renderMessages,
  SECTION_ROLES,
  SLOTS_MAX,
  TEMPLATE_CHARS_MAX,
} from '../../../src/prompts/template.js';

/** The code and the message of the failure of a rendering. */
function failure(text: string, values: Record<string, unknown> = {}): [string, string] {
  try {
    renderMessages(text, values);
  } catch (thrown) {
    const { code, message } = toGatewayError(thrown);
    return [code, message];
  }
  return ['none', ''];
}

const FAULTY: readonly (readonly [what: string, text: string, line: number, message: RegExp])[] = [
  ['an unknown filter', 'a\n{{ x | shout }}', 2, /undefined filter: shout/],
  ['a filter that reads the clock', '{{ "now" | date: "%Y" }}', 1, /undefined filter: date/],
  ['a filter that evaluates code', '{{ x | where_exp: "i", "i" }}', 1, /undefined filter/],
  ['a file', '[user]\n\n{% include "x" %}', 3, /tag "include" not found/],
  ['another template', '{% render "x" %}', 1, /tag "render" not found/],
  ['a layout', '{% layout "x" %}', 1, /tag "layout" not found/],
  ['an output that does not end', 'a\nb\n{{ c', 3, /not closed/],
  ['a block across sections', '{% if a %}\n[user]\n{% endif %}', 1, /not closed/],
  ['nothing', ' \n[user]\n', 1, /the template says nothing/],
];

describe('a template', () => {
  it.each(FAULTY)('with %s has its fault named by line, and cannot be rendered', (...row) => {
    const [, text, line, message] = row;
    const { faults } = analyseTemplate(text);
    expect(faults[0]).toEqual({ line, message: expect.stringMatching(message) });
    expect(failure(text)[0]).toBe('prompt_render_failed');
  });

  it('that is too long, or has too many places, is faulty', () => {
    const long = 'x'.repeat(TEMPLATE_CHARS_MAX + 1);
    expect(analyseTemplate(long).faults[0]?.message).toMatch(/at most 100000 characters/);
    const busy = '{{ x }}'.repeat(SLOTS_MAX + 1);
    expect(analyseTemplate(busy).faults[0]?.message).toMatch(/at most 1000 places/);
  });

  it('never makes the analysis throw', () => {
    const piece = fc.constantFrom('{{', '}}', '{%', '%}', 'if', ' x ', '|', '"', '\n[user]\n', '.');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(analyseTemplate(pieces.join('')).faults).toBeInstanceOf(Array);
      }),
    );
  });

  it('is asked for its variables by their root names, its own ones aside', () => {
    const text =
      '{% assign mine = user.name %}{% for each in list %}{{ each }}{{ mine }}{% endfor %}';
    expect(analyseTemplate(`${text}\n[user]\n{% if flag %}{{ q[key] }}{% endif %}`)).toMatchObject({
      faults: [],
      variables: ['flag', 'key', 'list', 'q', 'user'],
    });
  });
});

const SLOTS: readonly (readonly [form: string, text: string, delimited: boolean])[] = [
  ['bare text', 'Hello {{ x }}!', false],
  ['quotation marks', 'Say "{{ x }}"', true],
  ['«quotation marks»', '«{{ x }}»', true],
  ['backticks', '`{{ x }}`', true],
  ['a quotation mark on one side', '"{{ x }} and more"', false],
  ['a fence', 'Text:\n```\n{{ x }}\n```', true],
  ['a fence of quotation marks', '"""\n{{ x }}\n"""', true],
  ['a fence that does not end', '```\n{{ x }}', false],
  ['after a fence', '```\na\n```\n{{ x }}', false],
  ['tags', '<letter>\n{{ x }}\n</letter>', true],
  ['tags with attributes', '<doc id="1">{{ x }}</doc>', true],
  ['after tags', '<a>b</a> {{ x }}', false],
  ['the filter json', '{{ x | json }}', true],
  ['a loop in tags', '<l>{% for i in x %}{{ i }}{% endfor %}</l>', true],
];

describe('a slot', () => {
  it.each(SLOTS)('in %s', (_form, text, delimited) => {
    const expected = [{ variable: 'x', line: expect.any(Number), role: 'system', delimited }];
    expect(analyseTemplate(text).slots).toEqual(expected);
  });

  it('is named with its line in the whole template and its section', () => {
    const text = 'a {{ one }}\n[user]\n\n{{ two }}\n[assistant]\n{{ three }}';
    expect(analyseTemplate(text).slots).toEqual([
      { variable: 'one', line: 1, role: 'system', delimited: false },
      { variable: 'two', line: 4, role: 'user', delimited: false },
      { variable: 'three', line: 6, role: 'assistant', delimited: false },
    ]);
  });

  it('is none where a value is only looked at', () => {
    expect(analyseTemplate('{% if x %}a{% elsif y %}b{% endif %}').slots).toEqual([]);
  });
});

describe('rendering', () => {
  it('gives a message for each section, one of the system where there are none', () => {
    expect(renderMessages('Be {{ how }}.', { how: 'brief' })).toEqual([
      { role: 'system', content: 'Be brief.' },
    ]);
    expect(renderMessages('A\n[user]\nB\r\n[assistant]  \nC\n[user]\n\n', {})).toEqual([
      { role: 'system', content: 'A' },
      { role: 'user', content: 'B' },
      { role: 'assistant', content: 'C' },
    ]);
    expect(renderMessages('[tool]\nis no section', {})).toEqual([
      { role: 'system', content: '[tool]\nis no section' },
    ]);
  });

  it('keeps a value inside the message of its place, whatever the value holds', () => {
    const marker = fc.constantFrom(...SECTION_ROLES.map((role) => `[${role}]`));
    const word = fc.oneof(marker, fc.constantFrom('\n', '\r\n', '{{ a }}', '{% raw %}', 'x'));
    const hostile = fc.array(word, { maxLength: 10 }).map((words) => words.join(''));
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const messages = renderMessages('[system]\nS {{ a }} S\n[user]\nU {{ b }} U', { a, b });
        expect(messages).toEqual([
          { role: 'system', content: `S ${a} S` },
          { role: 'user', content: `U ${b} U` },
        ]);
      }),
    );
  });

  it('writes lists and objects as JSON, null as nothing', () => {
    const values = { list: [1, 'a'], object: { b: null }, nothing: null, yes: true };
    const [message] = renderMessages('{{ list }}{{ object }}{{ nothing }}{{ yes }}', values);
    expect(message?.content).toBe('[1,"a"]{"b":null}true');
  });

  it('reads nothing of a value but what is its own', () => {
    const values = { x: {} };
    expect(failure('{{ x.constructor }}', values)[0]).toBe('prompt_render_failed');
    expect(failure('{{ x.__proto__.toString }}', values)[0]).toBe('prompt_render_failed');
  });

  it('names every variable without a value', () => {
    expect(failure('{{ b }}{{ a }}{{ c }}', { c: 1 })).toEqual([
      'prompt_variables_missing',
      'The template uses variables that have no value: a, b.',
    ]);
  });

  it('stops where it takes too much', () => {
    const loop = '{% for i in (1..100000000) %}x{% endfor %}';
    expect(failure(loop)).toEqual([
      'prompt_render_failed',
      'The template of the prompt cannot be rendered: line 1: memory alloc limit exceeded.',
    ]);
    const doubled = '{% capture x %}{{ x }}{{ x }}{% endcapture %}'.repeat(28);
    expect(failure(`{% assign x = y %}${doubled}{{ x }}`, { y: 'text' })[0]).toBe(
      'prompt_render_failed',
    );
    const long = 'x'.repeat(RENDERED_CHARS_MAX);
    expect(failure('{{ a }}.', { a: long })[1]).toMatch(/more than 1000000 characters/);
    expect(failure('{{ a }}', { a: '' })[1]).toMatch(/renders to nothing/);
  });
});

describe('the counter of tokens', () => {
  it('counts long runs in parts, and words as they are', async () => {
    const { count } = await loadTokenizer();
    expect(count('Refunds take three days.')).toBe(6);
    expect(count('a'.repeat(100_000))).toBeGreaterThan(10_000);
  });
});
