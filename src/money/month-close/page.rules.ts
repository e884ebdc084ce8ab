import { Html, html, printedPolicy } from '../../kernel/html.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import type { MonthCloseContent, MonthDocument } from './tables.js';

const STYLE = `
body { font: 11pt/1.4 serif; margin: 2rem auto; max-width: 60rem; color: #000; background: #fff; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; }
th, td { border: 1px solid #555; padding: .2rem .5rem; text-align: left; }
td.sum { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
footer { font-size: 9pt; overflow-wrap: anywhere; }
@media print { body { margin: 0; } section { break-inside: avoid; } }
`;

/** Nothing is loaded and nothing is run. */
export const PAGE_POLICY = printedPolicy(STYLE);

function sum(micro: MicroRub): Html {
  return html`<td class="sum">${formatRub(micro)}</td>`;
}

function rateText({ vatRatePercent }: MonthDocument['lines'][number]): string {
  return vatRatePercent === 0 ? 'без НДС' : `${vatRatePercent} %`;
}

const MOVEMENTS = [
  ['openingMicro', 'Остаток на начало месяца'],
  ['topUpsMicro', 'Получено авансов'],
  ['creditsMicro', 'Начислено оператором'],
  ['adjustmentsMicro', 'Корректировки'],
  ['refundsMicro', 'Возвраты за запросы'],
  ['returnsMicro', 'Возвращено на счёт покупателя'],
  ['chargesMicro', 'Списано за услуги'],
  ['closingMicro', 'Остаток на конец месяца'],
] as const;

function movements({ movements: moved }: MonthCloseContent): Html {
  const rows = MOVEMENTS.map(
    ([name, words]) => html`<tr><th>${words}</th>${sum(moved[name])}</tr>`,
  );
  return html`<section><h2>Движение средств, руб.</h2><table>${rows}</table></section>`;
}

function lots({ lots: of, transitions }: MonthCloseContent): Html {
  const rows = of.map(
    (lot) => html`<tr><td>${lot.receivedOn}</td><td class="sum">${lot.vatRatePercent} %</td>
${sum(lot.invoiceGrossMicro)}${sum(lot.openingMicro)}${sum(lot.consumedMicro)}
${sum(lot.restoredMicro)}${sum(lot.returnedMicro)}${sum(lot.closingMicro)}
${sum(lot.offsetVatMicro)}</tr>`,
  );
  const changes = transitions.map(
    (
      change,
    ) => html`<p>Авансы по ставке ${change.receivedAtPercent} % зачтены в счёт услуг по ставке
${change.suppliedAtPercent} %: ${formatRub(change.grossMicro)} руб., НДС с авансов
${formatRub(change.advanceVatMicro)} руб., НДС с услуг ${formatRub(change.supplyVatMicro)} руб.,
разница ${formatRub(change.differenceMicro)} руб.</p>`,
  );
  return html`<section><h2>Авансы, руб.</h2>
<table><tr><th>Получен</th><th>Ставка</th><th>Счёт-фактура</th><th>На начало</th><th>Зачтено</th>
<th>Восстановлено</th><th>Возвращено</th><th>На конец</th><th>НДС к вычету</th></tr>
${rows}</table>${changes}</section>`;
}

/** What is issued only where something else is not. */
function alternative({ kind, inPlaceOf }: MonthDocument, all: readonly MonthDocument[]): string {
  const titled = (each: MonthDocument) => `«${each.title}»`;
  const replaced = all.filter((each) => inPlaceOf?.includes(each.kind));
  if (replaced.length > 0)
    return `Выставляется вместо документов ${replaced.map(titled).join(' и ')}.`;
  const other = all.find((each) => each.inPlaceOf?.includes(kind));
  return other ? `Не выставляется, если выставлен документ ${titled(other)}.` : '';
}

function document(shown: MonthDocument, all: readonly MonthDocument[]): Html {
  const { title, date, basis, buyerName, lines, missing, ...total } = shown;
  const rows = lines.map(
    (line) => html`<tr><td>${line.position}</td><td>${line.name}</td>${sum(line.netMicro)}
<td class="sum">${rateText(line)}</td>${sum(line.vatMicro)}${sum(line.grossMicro)}</tr>`,
  );
  return html`<section><h2>${title}</h2>
<p>Дата: ${date}. ${basis === null ? '' : `Основание: ${basis}. `}
Покупатель: ${buyerName}. Валюта: ${total.currency}. ${alternative(shown, all)}</p>
<table><tr><th>№</th><th>Наименование</th><th>Без НДС</th><th>Ставка</th><th>НДС</th>
<th>Всего</th></tr>
${rows}
<tr><th colspan="2">Итого</th>${sum(total.netMicro)}<td></td>${sum(total.vatMicro)}
${sum(total.grossMicro)}</tr></table>
<p>Заполнить: ${missing.join(', ')}.</p></section>`;
}

/** A closed month as one page that is printed as it is: no script, no picture, no address. */
export function printablePage(
  content: MonthCloseContent,
  { id, sha256 }: { readonly id: string; readonly sha256: string },
): string {
  const { month, documents, total } = content;
  return html`<!doctype html>
<html lang="ru"><head><meta charset="utf-8"><title>Закрытие месяца ${month}</title>
<style>${new Html(STYLE)}</style></head><body>
<h1>Закрытие месяца ${month}</h1>
${movements(content)}
${lots(content)}
${documents.map((each) => document(each, documents))}
<p>Округление до копейки: сумма к ближайшей, строки по наибольшему остатку.
Не вошло при округлении: ${formatRub(total.remainderMicro)} руб.,
НДС ${formatRub(total.vatRemainderMicro)} руб.</p>
<footer>Квитанция ${id}, SHA-256 ${sha256}</footer>
</body></html>
`.text;
}
