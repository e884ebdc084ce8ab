import { setFlagsFromString } from 'node:v8';

/** The V8 of Node 20, for which this was measured. */
const MEASURED = /^11\.3\./;

/** How much a function runs before V8 optimizes it, in bytes of its code; V8's own comes second. */
const BUDGETS = { ofCompiler: 200_000_000, usual: 1_800_000 };

/**
 * Prisma's compiler of queries. Its start alone runs so much that V8 would optimize a large part of
 * it at once, in four threads, each of which keeps the memory of it: 90 MB for what few requests
 * need. So its functions have to be run more before; those that management keeps busy get there.
 */
export function queryCompilerOf(code) {
  if (!MEASURED.test(process.versions.v8)) return new WebAssembly.Module(code);
  setBudget(BUDGETS.ofCompiler);
  try {
    return new WebAssembly.Module(code);
  } finally {
    setBudget(BUDGETS.usual);
  }
}

function setBudget(bytes) {
  setFlagsFromString(`--wasm-tiering-budget=${bytes}`);
}
