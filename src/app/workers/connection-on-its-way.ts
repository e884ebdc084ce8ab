import type { ChildProcess } from 'node:child_process';

/** A connection as Node hands it to a worker. */
interface Handed {
  close(): void;
}

/** What Node's own messages say of a connection that was handed over. */
interface Acknowledgement {
  readonly accepted?: boolean;
}

/**
 * Closes the connection that was on its way to a worker when it died. The primary keeps a copy
 * until the worker says that it has it, which nobody says any more: its client would wait for
 * ever. At most one is on its way to a worker.
 * @returns to be called when the worker has ended
 */
export function connectionOnItsWay(child: ChildProcess): () => void {
  let onItsWay: Handed | undefined;
  const { send } = child;
  child.send = (...words: unknown[]): boolean => {
    if (isHanded(words[1])) onItsWay = words[1];
    return Reflect.apply(send, child, words);
  };
  const heard = ({ accepted }: Acknowledgement) => {
    if (accepted !== undefined) onItsWay = undefined;
  };
  child.on('internalMessage', heard);
  return () => {
    onItsWay?.close();
    onItsWay = undefined;
  };
}

function isHanded(value: unknown): value is Handed {
  return typeof value === 'object' && value !== null && 'close' in value;
}
