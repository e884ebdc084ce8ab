import { inflateSync } from 'node:zlib';
import { extractText, getDocumentProxy } from 'unpdf';

/** What another library reads in a PDF: its text by pages, and the fonts that it embeds. */
export async function readPdf(bytes: Buffer) {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  const { info } = (await document.getMetadata()) as { info: { Title?: string } };
  return { pages: text, text: text.join('\n').replaceAll(/\s+/g, ' '), title: info.Title };
}

/** What of a PDF cannot be drawn, is outside of its page, or needs a font of the reader. */
export async function faultsOfLayout(bytes: Buffer): Promise<readonly string[]> {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const pages = Array.from({ length: document.numPages }, (_, index) => index + 1);
  const found = await Promise.all(pages.map((page) => faultsOfPage(document, page)));
  return [...found.flat(), ...faultsOfFonts(bytes), ...faultsOfStates(bytes)];
}

/** A text with its size and the matrix that places it, in points from the lower left corner. */
interface PlacedText {
  readonly str: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

async function faultsOfPage(document: Document, number: number): Promise<string[]> {
  const page = await document.getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  const { items } = (await page.getTextContent()) as { items: readonly Partial<PlacedText>[] };
  const texts = items.filter((item): item is PlacedText => (item.str ?? '').trim() !== '');
  const outside = texts.filter((text) => {
    const [x = 0, y = 0] = text.transform.slice(4);
    return x < 0 || x + text.width > width || y < 0 || y + text.height > height;
  });
  return [
    ...outside.map(({ str }) => `page ${number}: "${str}" is outside`),
    ...(texts.length < 3 ? [`page ${number}: hardly any text`] : []),
  ];
}

/** Each font is a PT Sans that is part of the file. */
function faultsOfFonts(bytes: Buffer): string[] {
  const objects = bytes.toString('latin1').split('endobj');
  return objects
    .filter((object) => object.includes('/Type /FontDescriptor'))
    .filter((object) => !/PTSans/.test(object) || !/\/FontFile2 /.test(object))
    .map((object) => `a font is not embedded: ${object}`);
}

/** Each page restores the states of the graphics that it has saved, and no others. */
function faultsOfStates(bytes: Buffer): string[] {
  return contentsOf(bytes).flatMap((content) => {
    let depth = 0;
    for (const [word] of content.matchAll(/(?<=^|\s)[qQ](?=\s|$)/g)) {
      depth += word === 'q' ? 1 : -1;
      if (depth < 0) return ['a state is restored that was not saved'];
    }
    return depth === 0 ? [] : [`${depth} states stay saved`];
  });
}

/** The programs that draw the pages: each stream with texts. */
function contentsOf(bytes: Buffer): string[] {
  const contents: string[] = [];
  for (let start = bytes.indexOf('stream\n'); start !== -1; ) {
    const end = bytes.indexOf('\nendstream', start);
    const content = bytes.subarray(start + 'stream\n'.length, end);
    try {
      const text = inflateSync(content).toString('latin1');
      if (/\bBT\b/.test(text)) contents.push(text);
    } catch {
      // A font, which is not compressed.
    }
    start = bytes.indexOf('stream\n', end + '\nendstream'.length);
  }
  return contents;
}

/** The bytes that a path answers. */
export async function bytesAt(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}
