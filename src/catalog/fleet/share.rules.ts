/**
 * The part of a limit that some of several nodes may take together while nobody counts for all: the
 * shares of all nodes make the limit exactly, so that some have nothing where it is smaller than
 * their number. `own` are those who count together; one that is not on the list counts itself in,
 * last.
 */
export function shareOf(limit: number, nodes: readonly string[], own: readonly string[]): number {
  const all = [...new Set([...nodes, ...own])];
  const remainder = limit % all.length;
  const whole = Math.floor(limit / all.length);
  return own.reduce((sum, node) => sum + whole + (all.indexOf(node) < remainder ? 1 : 0), 0);
}
