import { Html, html } from '../../kernel/html.js';
import type { Flow, FlowEdge, FlowNode } from './flow.rules.js';

/** A rectangle with its words; lengths are in units of the drawing. */
export interface Box {
  readonly node: FlowNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An arrow between two boxes with its words. */
export interface Arrow {
  readonly edge: FlowEdge;
  readonly points: readonly (readonly [number, number])[];
  readonly label: { readonly x: number; readonly y: number; readonly text: string };
}

/** A drawing of a data flow, before it is painted. */
export interface Diagram {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const WIDTH = 860;
const BOX = { width: 170, height: 40, gap: 26, top: 20 } as const;
/** The left edges of the columns: the request path, and what it exchanges with. */
const COLUMN = { path: 60, around: 400 } as const;
const LABEL_LINE = 14;
const STEP = BOX.height + BOX.gap;

/**
 * Places the nodes: client and stages below one another, what they exchange with to the right at
 * the height of their stage, below those that are placed already.
 */
export function diagramOf({ nodes, edges }: Flow): Diagram {
  const boxes = new Map<string, Box>();
  const path = nodes.filter(({ kind }) => kind === 'client' || kind === 'stage');
  for (const [index, node] of path.entries()) {
    boxes.set(node.id, boxAt(node, COLUMN.path, index));
  }
  const around = nodes.filter((node) => !path.includes(node));
  const last = path.length - 1;
  let above = -1;
  around.forEach((node, index) => {
    const entry = edges.find(({ to }) => to === node.id)?.from ?? '';
    const wanted = path.findIndex(({ id }) => id === entry) - 1;
    const row = Math.min(Math.max(wanted, above + 1), last - (around.length - 1 - index));
    above = row;
    boxes.set(node.id, boxAt(node, COLUMN.around, row));
  });
  const arrows = edges.flatMap((edge, index) => arrowOf(edge, index, edges, boxes) ?? []);
  return {
    width: WIDTH,
    height: BOX.top * 2 + path.length * STEP - BOX.gap,
    boxes: [...boxes.values()],
    arrows,
  };
}

function boxAt(node: FlowNode, x: number, row: number): Box {
  const { width, height, top } = BOX;
  return { node, x, y: top + row * STEP, width, height };
}

function arrowOf(
  edge: FlowEdge,
  index: number,
  edges: readonly FlowEdge[],
  boxes: ReadonlyMap<string, Box>,
): Arrow | undefined {
  const from = boxes.get(edge.from);
  const to = boxes.get(edge.to);
  if (!from || !to) return undefined;
  if (from.x === to.x) return from.y < to.y ? down(edge, from, to) : back(edge, from, to);
  const outer = from.x > to.x ? from : to;
  const touches = ({ from: one, to: two }: FlowEdge) => [one, two].includes(outer.node.id);
  return across(edge, from, to, edges.slice(0, index).filter(touches).length);
}

function down(edge: FlowEdge, from: Box, to: Box): Arrow {
  const x = from.x + from.width / 2;
  const points = [
    [x, from.y + from.height],
    [x, to.y],
  ] as const;
  return { edge, points, label: { x: x + 6, y: to.y - BOX.gap / 2 + 4, text: edge.data } };
}

/** Around the column on its left, from the last stage to the client. */
function back(edge: FlowEdge, from: Box, to: Box): Arrow {
  const x = from.x - 36;
  const points = [
    [from.x, from.y + from.height / 2],
    [x, from.y + from.height / 2],
    [x, to.y + to.height / 2],
    [to.x, to.y + to.height / 2],
  ] as const;
  return { edge, points, label: { x: x + 4, y: from.y - 6, text: edge.data } };
}

/** Between the columns; the words stand in lines beside the outer box, `line` counts them. */
function across(edge: FlowEdge, from: Box, to: Box, line: number): Arrow {
  const isRight = from.x < to.x;
  const outer = isRight ? to : from;
  const shift = (line - 0.5) * LABEL_LINE;
  const start = [isRight ? from.x + from.width : from.x, from.y + from.height / 2 + shift] as const;
  const end = [isRight ? to.x : to.x + to.width, to.y + to.height / 2 + shift] as const;
  const closed = edge.status === 'open' ? '' : ' (закрыто)';
  const label = {
    x: outer.x + outer.width + 10,
    y: outer.y + outer.height / 2 + 4 + shift,
    text: `${isRight ? 'туда' : 'обратно'}: ${edge.data}${closed}`,
  };
  return { edge, points: [start, end], label };
}

/** Colours of the boxes by what they are; also what a printed diagram uses. */
export const FILL: Readonly<Record<FlowNode['kind'], string>> = {
  client: '#e8eef7',
  stage: '#f5f5f2',
  route_rf: '#e3f2e6',
  route_outside: '#fbe9e4',
  sandbox: '#f1ecf7',
  store: '#fff6dc',
};

/** Paints a diagram as an SVG that loads nothing and runs nothing. */
export function svgOf({ width, height, boxes, arrows }: Diagram): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"
 height="${height}" role="img" font-family="PT Sans, Arial, sans-serif" font-size="12">
<title>Путь запроса через шлюз</title>
<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"
 orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>
<rect width="${width}" height="${height}" fill="#fff"/>
${arrows.map(arrowSvg)}
${boxes.map(boxSvg)}
</svg>
`.text;
}

function boxSvg({ node, x, y, width, height }: Box): Html {
  return html`<g><title>${node.description}</title><rect x="${x}" y="${y}" width="${width}"
 height="${height}" rx="5" fill="${FILL[node.kind]}" stroke="#444"/><text x="${x + width / 2}"
 y="${y + height / 2 + 4}" text-anchor="middle">${node.label}</text></g>
`;
}

function arrowSvg({ edge, points, label }: Arrow): Html {
  const line = points.map(([x, y]) => `${x},${y}`).join(' ');
  const dashes = edge.status === 'open' ? undefined : new Html(' stroke-dasharray="4 4"');
  return html`<g><polyline points="${line}" fill="none" stroke="#444"${dashes}
 marker-end="url(#end)"/><text x="${label.x}" y="${label.y}" font-size="10"
 fill="#444">${label.text}</text></g>
`;
}
