import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../src/inference/firewall/prefilter/program.js';
import { assembled } from '../../src/kernel/wasm/assemble.js';

/** What a function `run` of no or one number answers. */
function answer(body: string, given = 0): unknown {
  const source = `(module (func (export "run") (param $n i32) (result i32)
    (local $sum i32) ${body}))`;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assembled(source)));
  return (exports.run as (given: number) => unknown)(given);
}

describe('the assembler of WebAssembly', () => {
  // The reference is wat2wasm of wabt 1.0.39, as `npm install wabt` brings it:
  // `parseWat('', PROGRAM, { simd: true, mutable_globals: true }).toBinary({}).buffer`
  it('makes the bytes of the prefilter that the reference makes of the same text', () => {
    const bytes = assembled(PROGRAM);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      '026650cd94664ed373b0cd2a13094e1942fd4ba1bff1a2cbe9c576c159d1b613',
    );
  });

  it.each([0, 1, 63, 64, -1, -64, -65, 127, 128, 8191, 8192, 2 ** 31 - 1, -(2 ** 31)])(
    'writes the number %i as it is',
    (number) => {
      expect(answer(`(i32.const ${number})`)).toBe(number);
    },
  );

  it('writes loops, choices and ways out by the names of their labels', () => {
    const body = `(block $done (loop $next
        (br_if $done (i32.eqz (local.get $n)))
        (if (i32.and (local.get $n) (i32.const 1))
          (then (local.set $sum (i32.add (local.get $sum) (local.get $n))))
          (else (local.set $sum (i32.add (local.get $sum) (i32.const 100)))))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $next)))
      ;; odd numbers, and a hundred for each even one
      (local.get $sum)`;
    expect(answer(body, 5)).toBe(209);
  });

  it.each([
    ['an unknown instruction', '(i32.rotl (i32.const 1) (i32.const 1))', /no instruction/],
    ['an unknown name', '(local.get $m)', /nothing is named \$m/],
    ['an unknown label', '(br $away)', /nothing is named \$away/],
    ['an unknown type', '(local $x f64) (i32.const 1)', /f64 is no type/],
    ['half a vector', '(v128.any_true (v128.const i8x16 1 2))', /sixteen bytes/],
    ['what is no number', '(i32.const many)', /many is no whole number/],
    ['an open bracket', '((i32.const 1)', /not one expression/],
    ['operands without brackets', 'i32.add', /i32.add needs its brackets/],
  ])('refuses %s', (_, body, message) => {
    expect(() => answer(body)).toThrow(message);
  });
});
