/** The places in the memory that a process shares with the thread that watches it. */
export const CELL = {
  /** Counts the beats. */
  beats: 0,
  /** 1 while a debugger is attached. */
  debugged: 1,
  /** The milliseconds after which a stop that has begun is ended; 0 while none has. */
  stopMsMax: 2,
  /** Never changes: the thread sleeps on it. */
  pause: 3,
} as const;

/** What the thread is given. */
export interface Watched {
  readonly cells: Int32Array;
  readonly hangTimeoutMs: number;
}

/** Memory for these places. */
export function newCells(): Int32Array {
  const places = Object.keys(CELL).length;
  return new Int32Array(new SharedArrayBuffer(places * Int32Array.BYTES_PER_ELEMENT));
}
