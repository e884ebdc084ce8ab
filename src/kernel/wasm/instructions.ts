/** What stands behind the code of an instruction. */
type Immediate = 'none' | 'local' | 'global' | 'function' | 'label' | 'memory' | 'i32' | 'bytes';

/** How an instruction is written in bytes. */
export interface Instruction {
  readonly code: readonly number[];
  readonly immediate: Immediate;
  /** Of loads and stores: the power of two that the address is a multiple of, by default. */
  readonly alignment: number;
}

const ROWS = new Map<string, Instruction>();

function define(immediate: Immediate, codes: Readonly<Record<string, number>>): void {
  for (const [name, code] of Object.entries(codes)) {
    ROWS.set(name, { code: [code], immediate, alignment: 0 });
  }
}

/** Instructions of vectors have a prefix, and a number in LEB128 behind it. */
function defineVector(immediate: Immediate, codes: Readonly<Record<string, number>>): void {
  for (const [name, number] of Object.entries(codes)) {
    const code = number < 0x80 ? [0xfd, number] : [0xfd, (number & 0x7f) | 0x80, number >> 7];
    ROWS.set(name, { code, immediate, alignment: 4 });
  }
}

// The numbers are those of the WebAssembly specification, release 2.0, index of instructions.
define('none', { return: 0x0f, drop: 0x1a, select: 0x1b });
define('label', { br: 0x0c, br_if: 0x0d });
define('function', { call: 0x10 });
define('local', { 'local.get': 0x20, 'local.set': 0x21, 'local.tee': 0x22 });
define('global', { 'global.get': 0x23, 'global.set': 0x24 });
define('memory', { 'i32.load8_u': 0x2d });
define('i32', { 'i32.const': 0x41 });
define('none', {
  'i32.eqz': 0x45,
  'i32.eq': 0x46,
  'i32.ne': 0x47,
  'i32.lt_u': 0x49,
  'i32.gt_u': 0x4b,
  'i32.le_u': 0x4d,
  'i32.ge_u': 0x4f,
  'i32.clz': 0x67,
  'i32.ctz': 0x68,
  'i32.popcnt': 0x69,
  'i32.add': 0x6a,
  'i32.sub': 0x6b,
  'i32.mul': 0x6c,
  'i32.and': 0x71,
  'i32.or': 0x72,
  'i32.xor': 0x73,
  'i32.shl': 0x74,
  'i32.shr_u': 0x76,
});
ROWS.set('i32.load', { code: [0x28], immediate: 'memory', alignment: 2 });
ROWS.set('i32.load16_u', { code: [0x2f], immediate: 'memory', alignment: 1 });
defineVector('memory', { 'v128.load': 0, 'v128.store': 11 });
defineVector('bytes', { 'v128.const': 12, 'i8x16.shuffle': 13 });
defineVector('none', {
  'i8x16.swizzle': 14,
  'i8x16.eq': 35,
  'i8x16.ne': 36,
  'i8x16.gt_s': 39,
  'i8x16.le_u': 42,
  'v128.not': 77,
  'v128.and': 78,
  'v128.or': 80,
  'v128.any_true': 83,
  'i8x16.bitmask': 100,
  'i8x16.narrow_i16x8_u': 102,
  'i8x16.shr_u': 109,
  'i8x16.add': 110,
  'i8x16.sub': 113,
});

/**
 * How an instruction of the text format is written in bytes.
 * @throws TypeError for one that the assembler does not know
 */
export function instruction(name: string): Instruction {
  const row = ROWS.get(name);
  if (!row) throw new TypeError(`${name} is no instruction that the assembler knows`);
  return row;
}
