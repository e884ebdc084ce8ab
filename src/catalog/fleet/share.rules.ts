/**
 * The part of a limit that one of several nodes may take while each counts for itself: the shares
 * of all of them make the limit exactly, so that some have nothing where it is smaller than their
 * number. A node that is not on the list counts itself in, last.
 */
export function shareOf(limit: number, nodes: readonly string[], node: string): number {
  const all = nodes.includes(node) ? nodes : [...nodes, node];
  const remainder = limit % all.length;
  return Math.floor(limit / all.length) + (all.indexOf(node) < remainder ? 1 : 0);
}
