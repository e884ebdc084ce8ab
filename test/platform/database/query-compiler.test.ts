import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { queryCompilerOf } from '../../../tools/query-compiler.mjs';

const require = createRequire(import.meta.url);

/** The smallest module: a magic number and a version. */
const EMPTY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

describe("Prisma's compiler of queries", () => {
  it('becomes a module with all that it exports, and twice', () => {
    const path = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.js';
    const { wasm } = require(path) as { wasm: string };
    const code = new Uint8Array(Buffer.from(wasm, 'base64'));
    const namesOf = (module: WebAssembly.Module) =>
      WebAssembly.Module.exports(module).map(({ name }) => name);
    expect(namesOf(queryCompilerOf(code))).toEqual(namesOf(new WebAssembly.Module(code)));
    expect(namesOf(queryCompilerOf(code))).toContain('querycompiler_compile');
  });

  it('is refused where its code is none, and leaves the way free for others', () => {
    expect(() => queryCompilerOf(EMPTY.slice(0, 5))).toThrow(WebAssembly.CompileError);
    expect(queryCompilerOf(EMPTY)).toBeInstanceOf(WebAssembly.Module);
  });

  it('is made so by the client that is generated', () => {
    const client = 'src/generated/prisma/internal/class.ts';
    expect(readFileSync(client, 'utf8')).toContain('return new WebAssembly.Module(wasmArray)');
  });
});
