import { extractText, getDocumentProxy } from 'unpdf';

/** What another library reads in a PDF: its text by pages, and the fonts that it embeds. */
export async function readPdf(bytes: Buffer) {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  const { info } = (await document.getMetadata()) as { info: { Title?: string } };
  return { pages: text, text: text.join('\n').replaceAll(/\s+/g, ' '), title: info.Title };
}

/** The bytes that a path answers. */
export async function bytesAt(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}
