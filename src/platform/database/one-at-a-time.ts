import type pg from 'pg';

/**
 * Sends the statements of a connection one after the other. What is asked for side by side inside
 * of a transaction shares one connection, which has no queue to rely on.
 */
export function oneAtATime(client: pg.ClientBase): void {
  const send = client.query.bind(client) as (...words: unknown[]) => unknown;
  let last: Promise<unknown> | undefined;
  const inTurn = (...words: unknown[]) => {
    // The pool itself asks with a callback, on a connection that nobody else has.
    if (typeof words.at(-1) === 'function') return send(...words);
    const turn = last ? last.then(() => send(...words)) : Promise.resolve(send(...words));
    const over = turn.then(ignore, ignore).then(() => {
      if (last === over) last = undefined;
    });
    last = over;
    return turn;
  };
  client.query = inTurn as pg.ClientBase['query'];
}

function ignore(): void {}
