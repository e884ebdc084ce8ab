import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { startApp } from '../support/app.js';
import { bytesAt, readPdf } from '../support/pdf.js';

it('dump', async () => {
  const app = await startApp();
  const svg = await bytesAt(`${app.url}/v1/gw/trust/data-flow`, { accept: 'image/svg+xml' });
  console.log(svg.status, svg.headers.get('content-type'));
  writeFileSync('/tmp/flow.svg', svg.bytes);
  const pdf = await bytesAt(`${app.url}/v1/gw/trust/vendor-pack?format=pdf`);
  console.log(pdf.status, Object.fromEntries(pdf.headers));
  writeFileSync('/tmp/pack.pdf', pdf.bytes);
  const read = await readPdf(pdf.bytes);
  console.log(read.title, read.pages.length, read.text.slice(0, 600));
  for (const path of ['overview', 'subprocessors', 'questionnaire', 'artifacts']) {
    const { bytes } = await bytesAt(`${app.url}/v1/gw/trust/${path}`);
    console.log(path, bytes.toString().slice(0, 700));
  }
  await app.stop();
});
