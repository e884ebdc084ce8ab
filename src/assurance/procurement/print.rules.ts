import type { PrintedDocument, Section } from '../printed/document.js';
import type { PackQuestion } from './questionnaire.rules.js';
import type { readinessOf } from './readiness.rules.js';
import type { Edo, PackDocument } from './tables.js';

interface Printed {
  readonly documents: readonly PackDocument[];
  readonly questions: readonly PackQuestion[];
  readonly receipt: ReturnType<typeof readinessOf> & { readonly asOf: Date };
}

interface PackHead {
  readonly id: string;
  readonly packType: string;
  readonly status: string;
  readonly legalName: string | null;
  readonly inn: string | null;
  readonly edo: Edo;
}

interface From {
  readonly operator: string;
  readonly organization: string;
  readonly day: string;
}

const SOURCES: Readonly<Record<PackDocument['status'], string>> = {
  ready: 'составлен шлюзом, всё сказанное показано',
  missing_evidence: 'составлен шлюзом, доказательства не полны',
  template_ref: 'шаблон оператора',
  roadmap: 'план, не построено',
};

/** The answers in Russian. */
const ANSWERS: Readonly<Record<string, string>> = {
  yes: 'да',
  partly: 'частично',
  no: 'нет',
  not_applicable: 'неприменимо',
};

const ANSWERED_BY: Readonly<Record<PackQuestion['source'], string>> = {
  gateway: 'шлюз',
  declared: 'заявлено организацией',
  nobody: 'открыт',
};

/** A pack as one document to print. */
export function printedPack(
  pack: PackHead,
  { operator, organization, day }: From,
  { documents, questions, receipt }: Printed,
): PrintedDocument {
  return {
    title: 'Закупочный пакет',
    about: [
      `Организация: ${organization}. Оператор: ${operator}. Дата: ${day}.`,
      `Наименование: ${pack.legalName ?? 'не указано'}. ИНН: ${pack.inn ?? 'не указан'}.`,
      `Пакет ${pack.packType}, состояние ${pack.status}, готовность ${receipt.readiness} %.`,
    ],
    sections: [
      ...documents.map(documentSection),
      questionSection(questions),
      edoSection(pack.edo),
      blockingSection(receipt),
    ],
    footer: `Закупочный пакет ${pack.id}, ${day}`,
    madeAt: receipt.asOf,
  };
}

function documentSection({ title, status, text, sha256, missingEvidence }: PackDocument): Section {
  const gaps = missingEvidence.map(({ needed }) => `Недостаёт: ${needed}`);
  const paragraphs = [`Источник: ${SOURCES[status]}.`, ...text.split('\n'), ...gaps];
  return {
    heading: title,
    blocks: [
      ...paragraphs.map((each) => ({ kind: 'text' as const, text: each })),
      { kind: 'text', text: `SHA-256 текста: ${sha256}` },
    ],
  };
}

function questionSection(questions: readonly PackQuestion[]): Section {
  const rows = questions.map(({ question, answer, source, explanation }) => {
    const said = answer === null ? 'нет ответа' : (ANSWERS[answer] ?? answer);
    return [question, `${said} (${ANSWERED_BY[source]}). ${explanation}`] as const;
  });
  return { heading: 'Анкета безопасности', blocks: [{ kind: 'facts', rows }] };
}

function edoSection({ provider, contract, invoice, act, upd }: Edo): Section {
  const rows = [
    ['Способ обмена', provider ?? 'не выбран'],
    ['Договор', contract],
    ['Счёт', invoice],
    ['Акт', act],
    ['УПД', upd],
  ] as const;
  return { heading: 'Обмен документами', blocks: [{ kind: 'facts', rows }] };
}

function blockingSection({
  blockingItems,
  daysSavedEstimate,
  daysSavedFormula,
}: Printed['receipt']) {
  const items = blockingItems.map(({ code, document, reason }) => {
    return `${code}${document ? ` (${document})` : ''}: ${reason}`;
  });
  const saved = `Оценка сбережённых рабочих дней: ${daysSavedEstimate}. ${daysSavedFormula}.`;
  return {
    heading: 'Что мешает подписанию',
    blocks: [
      { kind: 'items' as const, items: items.length > 0 ? items : ['ничего'] },
      { kind: 'text' as const, text: saved },
    ],
  };
}
