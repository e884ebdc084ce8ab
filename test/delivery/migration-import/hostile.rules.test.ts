import { describe, expect, it } from 'vitest';
import { kindOf } from '../../../src/delivery/migration-import/kind.js';
import { IMPORT_KINDS, type KnownKind } from '../../../src/delivery/migration-import/vocabulary.js';
import { imported } from './imported.js';

const TEST_MS_MAX = 60_000;
const KIB = 1024;

function filled(piece: string, kind: KnownKind): string {
  const bytesMax = IMPORT_KINDS.find(kind)?.bytesMax ?? 0;
  const length = Math.min(bytesMax, 256 * KIB);
  return piece.repeat(Math.floor(length / Buffer.byteLength(piece)));
}

/** Texts of full size that have made parsers and expressions like these slow or deep. */
const HOSTILE: readonly (readonly [KnownKind, string])[] = [
  ['env', '\n'],
  ['env', 'a="\n'],
  ['env', '\u2028'],
  ['env', 'api_key=a'],
  ['env', 'key'],
  ['env', 'https://'],
  ['python', '{"a":'],
  ['python', '*'],
  ['python', 'a b '],
  ['python', 'key=("'],
  ['node', '{"a":'],
  ['node', 'a<b>('],
  ['node', '-'],
  ['node', '/*'],
  ['node', '<a '],
  ['litellm', '- '],
  ['litellm', '{a: '],
  ['litellm', 'a: &a [*a]\n'],
  ['n8n', '['],
  ['n8n', '{"a":'],
  ['n8n', '"key": "a" '],
  ['curl', "'"],
  ['curl', '-H "a: b" '],
  ['curl', 'token is '],
];

describe('hostile texts of full size', () => {
  it.each(HOSTILE)(
    '%s made of %j is answered',
    async (kind, piece) => {
      const report = await imported(filled(piece, kind), kind);
      expect(report.parseFaults.length).toBeLessThanOrEqual(20);
      expect(report.findings.length).toBeLessThanOrEqual(200);
    },
    TEST_MS_MAX,
  );

  it.each([' ', '\n', '\t', 'import ', 'from a import ', '{"nodes"', 'a=', 'langchain from '])(
    'made of %j are told apart or not, at once',
    (piece) => {
      expect(kindOf(filled(piece, 'env'))).not.toBe('litellm');
    },
  );

  it('keeps what was found before code became too deep', async () => {
    const content = `from openai import OpenAI\nc = OpenAI()\nx = ${'['.repeat(1_000)}`;
    const { detectedProvider, parseFaults } = await imported(content, 'python');
    expect(detectedProvider).toBe('openai');
    expect(parseFaults[0]?.line).toBe(3);
  });

  it(
    'lets other work go on while code is parsed',
    async () => {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      await imported(filled('a b ', 'python'), 'python');
      clearInterval(timer);
      expect(turns).toBeGreaterThan(10);
    },
    TEST_MS_MAX,
  );

  it('does not multiply aliases', async () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const inner = level === 0 ? '"sk"' : `*a${level - 1}, *a${level - 1}`;
      return `a${level}: &a${level} [${inner}]`;
    });
    const { findings } = await imported(`model_list:\n- model: gpt-4o\n${levels.join('\n')}`);
    expect(findings.length).toBeLessThan(10);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'treats the name %s as any other',
    async (name) => {
      const json = `{"nodes": [{"${name}": {"model": "gpt-4o"}}], "connections": {}}`;
      for (const content of [json, `${name}=gpt-4o\n`, `model_list:\n- ${name}: gpt-4o\n`]) {
        expect((await imported(content)).detectedModels).toEqual(['gpt-4o']);
      }
      expect(Object.hasOwn(Object.prototype, 'model')).toBe(false);
    },
  );
});

describe('a text that does not parse says where, and what was found before is kept', () => {
  it.each([
    [
      'env',
      'OPENAI_MODEL=gpt-4o\nwhat is this\n',
      { line: 2, column: 1, message: 'this line is not NAME=value' },
    ],
    [
      'python',
      'import os\nx = create(model="gpt-4o")\ny = ) 1\n',
      { line: 3, column: 5, message: 'this does not parse' },
    ],
    [
      'litellm',
      'model_list:\n  - model: gpt-4o\n bad: [\n',
      { line: 3, column: 1, message: 'the YAML is wrong here (BAD_INDENT)' },
    ],
    [
      'n8n',
      '{"nodes": [{"model": "gpt-4o"}],\n "x": tru}',
      { line: 2, column: 7, message: 'this is not JSON' },
    ],
    [
      'curl',
      'curl https://a.b/v1 -d \'{"model": "gpt-4o",}\'',
      { line: 1, column: 44, message: 'a name must stand here' },
    ],
  ] as const)('%s', async (kind, content, fault) => {
    const { detectedModels, parseFaults } = await imported(content, kind);
    expect(detectedModels).toEqual(['gpt-4o']);
    expect(parseFaults[0]).toEqual(fault);
  });
});
