import { type Html, html } from '../../kernel/html.js';
import { scrolled } from './layout.js';

/** The table of live checks: empty where they are run, filled where a report tells of them. */
export function checksTable(rows: readonly Html[]): Html {
  return scrolled(
    'Live checks',
    html`<table class="checks cards">
<thead><tr><th scope="col">Check</th><th scope="col">Result</th><th scope="col">Time</th>
<th scope="col">Cost</th><th scope="col">What was seen</th></tr></thead>
<tbody id="checks">${rows}</tbody>
</table>`,
  );
}
