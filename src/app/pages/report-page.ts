import { checkSaid } from '../../delivery/cockpit/check-phrases.js';
import type { SharedReport } from '../../delivery/cockpit/share.js';
import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { formatRub } from '../../kernel/money.js';
import { isoTime } from '../../kernel/time.js';
import { checkHead, checksTable } from './checks-table.js';
import { CHECK_TEXTS, resultOf } from './cockpit-texts.js';
import { page } from './layout.js';
import type { Reading } from './reading.js';
import { REPORT } from './report-page-texts.js';

/** A report as its page shows it. */
export type PageReport = SharedReport;

type Check = PageReport['report']['content']['checks'][number];

/** The page of a shared report: what was sealed, and how to prove that it is that. */
export function reportPage(shared: PageReport, reading: Reading): string {
  const { title } = REPORT[reading.language];
  return page(reading, { title, path: '', content: reportContent(shared, reading.language) });
}

function reportContent(shared: PageReport, language: Language): Html {
  const { report, expiresAt, verification } = shared;
  const { content, row } = report;
  const isIntact = verification.valid && verification.chainValid;
  const texts = REPORT[language];
  const { runStatuses, rub } = CHECK_TEXTS[language];
  return html`<h1>${texts.title}</h1>
${content.simulated ? html`<p class="notice">${texts.simulated}</p>` : undefined}
<dl>
<dt>${texts.result}</dt><dd>${runStatuses[content.status]}</dd>
<dt>${texts.gateway}</dt><dd><code>${content.baseUrl}</code></dd>
<dt>${texts.run}</dt><dd>${time(content.startedAt)} – ${time(content.endedAt)}</dd>
<dt>${texts.cost}</dt><dd>${formatRub(content.costMicro)} ${rub}</dd>
<dt>${texts.sealed}</dt><dd>${time(row.createdAt)}, ${texts.receipt}
<code>${report.id}</code></dd>
<dt>SHA-256</dt><dd><code data-copy>${verification.hash}</code></dd>
<dt>${texts.seal}</dt>
<dd class="${isIntact ? 'yes' : 'todo'}">${isIntact ? texts.intact : texts.broken}</dd>
<dt>${texts.linkEnds}</dt><dd>${time(expiresAt)}</dd>
</dl>
${checksTable(
  language,
  content.checks.map((check) => checkRow(check, language)),
)}
<h2>${texts.content}</h2>
<p>${texts.hash}</p>
<pre tabindex="0" class="wraps"><code>${row.content ?? ''}</code></pre>`;
}

function time(at: Date): Html {
  const text = isoTime(at);
  return html`<time datetime="${text}">${text.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`;
}

function checkRow(check: Check, language: Language): Html {
  const { code, status, simulated, latencyMs, costMicro, message, fix } = check;
  const { ms, rub } = CHECK_TEXTS[language];
  const said = [message, fix].map((text) => (text === null ? '' : checkSaid(text, language)));
  return html`<tr>
${checkHead(language, code)}
<td class="${status === 'pass' && !simulated ? 'yes' : ''}">${resultOf(check, language)}</td>
<td>${latencyMs === null ? '' : `${latencyMs} ${ms}`}</td>
<td>${costMicro === null ? '' : `${formatRub(costMicro)} ${rub}`}</td>
<td>${said.filter(Boolean).join(' ')}</td></tr>`;
}
