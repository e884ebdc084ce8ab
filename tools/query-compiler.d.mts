/** Prisma's compiler of queries, of which V8 optimizes only what is used much. */
export function queryCompilerOf(code: Uint8Array<ArrayBuffer>): WebAssembly.Module;
