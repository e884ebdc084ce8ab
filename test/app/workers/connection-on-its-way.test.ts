import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { connectionOnItsWay } from '../../../src/app/workers/connection-on-its-way.js';

/** A worker that is handed connections as Node does it. */
function handing() {
  const sent: unknown[][] = [];
  const child = Object.assign(new EventEmitter(), {
    send(...words: unknown[]) {
      sent.push(words);
      return true;
    },
  }) as unknown as ChildProcess;
  const closeOnItsWay = connectionOnItsWay(child);
  const closed: string[] = [];
  const hand = (name: string) => {
    const handle = { close: () => closed.push(name) };
    Reflect.apply(child.send, child, [{ cmd: 'NODE_CLUSTER', act: 'newconn' }, handle]);
  };
  const answer = (accepted: boolean) => child.emit('internalMessage', { ack: 1, accepted });
  return { child, sent, closed, hand, answer, closeOnItsWay };
}

it('a connection that its worker never had is closed when the worker has ended', () => {
  const { sent, closed, hand, answer, closeOnItsWay } = handing();
  hand('first');
  answer(true);
  hand('second');
  closeOnItsWay();
  closeOnItsWay();
  expect([sent.length, closed]).toEqual([2, ['second']]);
});

it('one that the worker has, or has given back, is left to whoever has it', () => {
  const { child, closed, hand, answer, closeOnItsWay } = handing();
  for (const accepted of [true, false]) {
    hand('one');
    child.emit('internalMessage', { act: 'listening' });
    answer(accepted);
    child.send({ kind: 'seat' });
    closeOnItsWay();
  }
  expect(closed).toEqual([]);
});
