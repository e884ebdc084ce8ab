import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendMember, removeMember, replaceMember } from '../../src/inference/splice.js';

const name = fc.oneof(fc.constantFrom('metadata', 'model', 'meta'), fc.string({ maxLength: 4 }));
const space = fc.constantFrom('', ' ', '\n  ');
const member = fc.tuple(name, fc.jsonValue({ maxDepth: 3 }));

/** JSON text with space anywhere and members that may stand twice. */
const written = fc.tuple(fc.array(member, { maxLength: 6 }), space).map(([members, gap]) => {
  const inside = members.map(
    ([key, value]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${JSON.stringify(value)}${gap}`,
  );
  return `${gap}{${gap}${inside.join(',')}}${gap}`;
});

function parsed(bytes: Buffer | undefined): unknown {
  return bytes && (JSON.parse(bytes.toString('utf8')) as unknown);
}

describe('a member that is taken out', () => {
  it('is gone each time that it stood there, and all else is as it was', () => {
    fc.assert(
      fc.property(written, (text) => {
        const before = JSON.parse(text) as Record<string, unknown>;
        const after = removeMember(Buffer.from(text), 'metadata');
        const { metadata: _gone, ...rest } = before;
        const isEscaped = Object.keys(before).some((key) => JSON.stringify(key).includes('\\'));
        if (isEscaped) expect([undefined, rest]).toContainEqual(parsed(after));
        else expect(parsed(after)).toEqual('metadata' in before ? rest : undefined);
        expect(after?.includes('"metadata":') ?? false).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is not promised to be gone where a name is spelt with escapes', () => {
    const text = '{"model":"a","metad\\u0061ta":{"feature":"x"},"metadata":{}}';
    expect(removeMember(Buffer.from(text), 'metadata')).toBeUndefined();
  });

  it('leaves bytes that can be spliced further', () => {
    const bytes = Buffer.from('{"metadata":{"a":"}\\""},"model":"a","messages":[{"b":1}]}');
    const without = removeMember(bytes, 'metadata') ?? bytes;
    const named = replaceMember(without, 'model', '"up"') ?? without;
    expect(appendMember(named, { stream: true }).toString()).toBe(
      '{"model":"up","messages":[{"b":1}],"stream":true}',
    );
    const alone = removeMember(Buffer.from('{ "metadata" : 1 }'), 'metadata');
    expect(alone && appendMember(alone, { a: 1 }).toString()).toBe('{"a":1}');
  });
});

describe('members that are appended', () => {
  it('stand behind all others, which are as they were', () => {
    const added = { gw_routing: { model: 'ю"}' }, gw_slo: [1] };
    fc.assert(
      fc.property(written, (text) => {
        const after = appendMember(Buffer.from(text), added);
        expect(parsed(after)).toEqual({ ...(JSON.parse(text) as object), ...added });
        expect(after.toString()).toContain(JSON.stringify(added).slice(1));
      }),
    );
  });
});
