import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Block, Drawing, DrawnLine, PrintedDocument } from './document.js';

const require = createRequire(import.meta.url);

/** PT Sans has every letter of Russian, and its licence lets it be embedded. */
const FONTS = {
  regular: '@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf',
  bold: '@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf',
} as const;

const MARGIN = 56;
const SIZE = { title: 20, heading: 14, text: 10, footer: 8 } as const;
/** Of a heading, the space above it and a line below it. */
const HEADING_HEIGHT = SIZE.heading * 4;
const LINE_GAP = 2;
const ARROW = 5;

type Pdf = InstanceType<typeof import('pdfkit')>;

let fonts: Promise<Readonly<Record<keyof typeof FONTS, Buffer>>> | undefined;

/** Half a megabyte that is read when the first document is asked for, and once. */
function loadFonts() {
  fonts ??= Promise.all([
    readFile(require.resolve(FONTS.regular)),
    readFile(require.resolve(FONTS.bold)),
  ]).then(([regular, bold]) => ({ regular, bold }));
  return fonts;
}

/** Sets a document in type: A4, with embedded fonts, so that it looks the same everywhere. */
export async function pdfOf(document: PrintedDocument): Promise<Buffer> {
  const { default: PdfDocument } = await import('pdfkit');
  const { regular, bold } = await loadFonts();
  const pdf = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    lang: 'ru-RU',
    // The font of the library's own is never loaded: it has no Cyrillic, and lies in another file.
    font: regular as unknown as string,
    info: { Title: document.title, CreationDate: document.madeAt, Producer: 'LLM gateway' },
  });
  const whole = collected(pdf);
  pdf.registerFont('regular', regular).registerFont('bold', bold);
  writeTitle(pdf, document);
  for (const { heading, blocks } of document.sections) {
    const [first] = blocks;
    writeHeading(
      pdf,
      heading,
      first?.kind === 'drawing' ? drawnSize(pdf, first.drawing).height : 0,
    );
    for (const block of blocks) writeBlock(pdf, block);
  }
  writeFooters(pdf, document.footer);
  pdf.end();
  return whole;
}

function collected(pdf: Pdf): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
}

function writeTitle(pdf: Pdf, { title, about }: PrintedDocument): void {
  pdf.font('bold').fontSize(SIZE.title).text(title, { lineGap: LINE_GAP });
  pdf.moveDown(0.5).font('regular').fontSize(SIZE.text);
  for (const line of about) pdf.text(line, { lineGap: LINE_GAP });
}

/** A heading is on the page of what it heads. */
function writeHeading(pdf: Pdf, heading: string, below: number): void {
  keepRoom(pdf, HEADING_HEIGHT + below);
  pdf.moveDown(1).font('bold').fontSize(SIZE.heading).text(heading, MARGIN);
  pdf.moveDown(0.4).font('regular').fontSize(SIZE.text);
}

/** Begins a page if this one has no room for so much. */
function keepRoom(pdf: Pdf, height: number): void {
  if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
}

function writeBlock(pdf: Pdf, block: Block): void {
  if (block.kind === 'text') pdf.text(block.text, MARGIN, pdf.y, { lineGap: LINE_GAP });
  else if (block.kind === 'items') writeItems(pdf, block.items);
  else if (block.kind === 'facts') writeFacts(pdf, block.rows);
  else writeDrawing(pdf, block.drawing);
  pdf.moveDown(0.5);
}

function writeItems(pdf: Pdf, items: readonly string[]): void {
  for (const item of items) pdf.text(`— ${item}`, MARGIN, pdf.y, { lineGap: LINE_GAP });
}

function writeFacts(pdf: Pdf, rows: readonly (readonly [string, string])[]): void {
  for (const [label, value] of rows) {
    keepRoom(pdf, SIZE.text * 4);
    pdf.font('bold').text(label, MARGIN, pdf.y, { lineGap: LINE_GAP });
    pdf.font('regular').text(value, { lineGap: LINE_GAP }).moveDown(0.3);
  }
}

/** A drawing fills the width of the page, unless it would need more than one page. */
function drawnSize(pdf: Pdf, { width, height }: Drawing) {
  const room = pdf.page.height - 2 * MARGIN - HEADING_HEIGHT;
  const scale = Math.min((pdf.page.width - 2 * MARGIN) / width, room / height);
  return { scale, height: height * scale };
}

function writeDrawing(pdf: Pdf, drawing: Drawing): void {
  const { width } = drawing;
  const { scale, height } = drawnSize(pdf, drawing);
  keepRoom(pdf, height);
  const top = pdf.y;
  withoutPageBreaks(pdf, () => {
    pdf.save().translate(MARGIN, top).scale(scale).lineWidth(1).strokeColor('#444444');
    for (const line of drawing.lines) writeLine(pdf, line, width);
    for (const { x, y, width: wide, height: high, fill, text } of drawing.boxes) {
      pdf.rect(x, y, wide, high).fillAndStroke(fill, '#444444');
      writeAt(pdf, text, { x: x + wide / 2, y: y + high / 2, size: 12, room: wide, align: 0.5 });
    }
    pdf.restore();
  });
  pdf.fillColor('black').fontSize(SIZE.text);
  pdf.x = MARGIN;
  pdf.y = top + height;
}

/**
 * Lets nothing that is drawn begin a page. The library compares a text's place with the height of
 * the page without the scale of the drawing, and would continue the drawing on another page.
 */
function withoutPageBreaks(pdf: Pdf, draw: () => void): void {
  const { page } = pdf;
  const { bottom } = page.margins;
  page.margins.bottom = Number.NEGATIVE_INFINITY;
  draw();
  page.margins.bottom = bottom;
}

function writeLine(pdf: Pdf, { points, isDashed, label }: DrawnLine, width: number): void {
  if (isDashed) pdf.dash(4, { space: 4 });
  for (const [index, [x, y]] of points.entries()) {
    if (index === 0) pdf.moveTo(x, y);
    else pdf.lineTo(x, y);
  }
  pdf.stroke().undash();
  writeArrow(pdf, points);
  const { text, x, y } = label;
  writeAt(pdf, text, { x, y: y - SIZE.text / 2, size: SIZE.text, room: width - x, align: 0 });
}

function writeArrow(pdf: Pdf, points: readonly (readonly [number, number])[]): void {
  const [from, to] = points.slice(-2);
  if (!from || !to) return;
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const corner = (turn: number): [number, number] => [
    to[0] - ARROW * Math.cos(angle + turn),
    to[1] - ARROW * Math.sin(angle + turn),
  ];
  pdf.polygon([to[0], to[1]], corner(0.5), corner(-0.5)).fill('#444444');
}

interface Place {
  readonly x: number;
  /** The middle of the line. */
  readonly y: number;
  readonly size: number;
  /** How wide the text may be; a longer one is set smaller. */
  readonly room: number;
  /** What part of the text is to the left of `x`. */
  readonly align: 0 | 0.5;
}

function writeAt(pdf: Pdf, text: string, { x, y, size, room, align }: Place): void {
  pdf.fillColor('black').font('regular').fontSize(size);
  const smaller = Math.min(1, room / pdf.widthOfString(text));
  pdf.fontSize(size * smaller);
  const left = x - pdf.widthOfString(text) * align;
  pdf.text(text, left, y - pdf.currentLineHeight() / 2, { lineBreak: false });
}

function writeFooters(pdf: Pdf, footer: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    // Text below the margin would begin another page.
    pdf.page.margins.bottom = 0;
    pdf.font('regular').fontSize(SIZE.footer);
    const y = pdf.page.height - MARGIN + 16;
    pdf.text(`${footer} · ${page + 1} / ${count}`, MARGIN, y, { lineBreak: false });
  }
}
