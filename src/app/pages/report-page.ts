import type { SharedReport } from '../../delivery/cockpit/share.js';
import { CHECKS } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import { formatRub } from '../../kernel/money.js';
import { isoTime } from '../../kernel/time.js';
import { checksTable } from './checks-table.js';
import { page } from './layout.js';

/** A report as its page shows it. */
export type PageReport = SharedReport;

type Check = PageReport['report']['content']['checks'][number];

/** The page of a shared report: what was sealed, and how to prove that it is that. */
export function reportPage({ report, expiresAt, verification }: PageReport): string {
  const { content, row } = report;
  const isIntact = verification.valid && verification.chainValid;
  return page(
    'Report of live checks',
    '',
    html`<h1>Report of live checks</h1>
${content.simulated ? SIMULATED : undefined}
<dl>
<dt>Result</dt><dd><code>${content.status}</code></dd>
<dt>Gateway</dt><dd><code>${content.baseUrl}</code></dd>
<dt>Run</dt><dd>${time(content.startedAt)} – ${time(content.endedAt)}</dd>
<dt>Cost</dt><dd>${formatRub(content.costMicro)} RUB</dd>
<dt>Sealed</dt><dd>${time(row.createdAt)}, receipt <code>${report.id}</code></dd>
<dt>SHA-256</dt><dd><code data-copy>${verification.hash}</code></dd>
<dt>Seal</dt><dd class="${isIntact ? 'yes' : 'todo'}">${isIntact ? INTACT : BROKEN}</dd>
<dt>Link ends</dt><dd>${time(expiresAt)}</dd>
</dl>
${checksTable(content.checks.map(checkRow))}
<h2>What was sealed</h2>
<p>The hash is the SHA-256 of this very text, without a line end: canonical JSON by RFC 8785.</p>
<pre tabindex="0" class="wraps"><code>${row.content}</code></pre>`,
  );
}

const SIMULATED = html`<p class="notice"><strong>simulated</strong>: a built-in model answered. The
wiring works; nothing is shown about a real model.</p>`;
const INTACT = 'intact: content and chain were computed anew for this page';
const BROKEN = 'BROKEN: the stored content is not what was sealed';

function time(at: Date): Html {
  const text = isoTime(at);
  return html`<time datetime="${text}">${text.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`;
}

function checkRow(check: Check): Html {
  const { code, status, simulated, latencyMs, costMicro, message, fix } = check;
  const about = CHECKS.rows.find((row) => row.code === code)?.description;
  const word = simulated ? `${status} (simulated)` : status;
  return html`<tr>
<th scope="row"><code>${code}</code><br><span class="soft">${about}</span></th>
<td class="${status === 'pass' && !simulated ? 'yes' : ''}">${word}</td>
<td>${latencyMs === null ? '' : `${latencyMs} ms`}</td>
<td>${costMicro === null ? '' : `${formatRub(costMicro)} RUB`}</td>
<td>${[message, fix].filter(Boolean).join(' ')}</td></tr>`;
}
