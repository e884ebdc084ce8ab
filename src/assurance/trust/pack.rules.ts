import type { Block, Drawing, PrintedDocument, Section } from '../printed/document.js';
import type { VendorPack } from './answers.rules.js';
import { contentSentence } from './contents.rules.js';
import { type Diagram, FILL } from './diagram.rules.js';
import { SECTIONS } from './questionnaire.rules.js';
import {
  ANSWERS,
  ARTIFACT_STATUSES,
  ARTIFACT_VISIBILITIES,
  CONTROL_AREAS,
  CONTROL_STATUSES,
} from './vocabulary.js';

/** Everything of the trust centre as one document to print. */
export function printedPack(pack: VendorPack, diagram: Diagram, day: string): PrintedDocument {
  const { overview } = pack;
  return {
    title: 'Пакет доверия к LLM-шлюзу',
    about: [
      `Оператор: ${overview.operator}. Дата: ${day}.`,
      'Составлено работающим сервером из его настроек и наблюдений. То, чего показать нельзя, ' +
        'названо недостающим; то, что не построено, названо планом.',
    ],
    sections: [
      ...CONTROL_AREAS.rows.map((area) => controlSection(pack, area)),
      contentSection(pack),
      levelSection(pack),
      retentionSection(pack),
      subprocessorSection(pack),
      flowSection(diagram),
      ...questionSections(pack),
      gapSection(pack),
      artifactSection(pack),
    ],
    footer: `Пакет доверия, ${day}`,
    madeAt: overview.asOf,
  };
}

function controlSection(
  { overview }: VendorPack,
  { code, title }: (typeof CONTROL_AREAS.rows)[number],
): Section {
  const rows = overview.controls
    .filter(({ area }) => area === code)
    .map((control) => {
      const files = [...control.enforcedIn, ...control.provenBy].join(', ');
      const status = CONTROL_STATUSES.find(control.status)?.title ?? control.status;
      const where = files === '' ? '' : ` Где: ${files}.`;
      return [`${control.title} — ${status}`, `${control.statement}${where}`] as const;
    });
  return { heading: `Меры: ${title}`, blocks: [{ kind: 'facts', rows }] };
}

function contentSection({ overview }: VendorPack): Section {
  const items = overview.contents.map((line) => contentSentence(line));
  return { heading: 'Что проверяет межсетевой экран данных', blocks: [{ kind: 'items', items }] };
}

function levelSection({ overview: { serviceLevels, incidents } }: VendorPack): Section {
  const rows = serviceLevels.map(
    ({ slaClass, latencyMsMax, timeToFirstTokenMsMax }) =>
      [
        slaClass,
        `ответ до ${latencyMsMax} мс, первый токен до ${timeToFirstTokenMsMax} мс`,
      ] as const,
  );
  const text =
    `Развёртывания моделей: работают ${incidents.deploymentsServing}, проверяются ` +
    `${incidents.deploymentsProbed}, остановлены ${incidents.deploymentsStopped}. ` +
    `Адрес для инцидентов: ${incidents.contact ?? 'не указан оператором'}.`;
  return {
    heading: 'Цели уровня услуги и состояние',
    blocks: [
      { kind: 'facts', rows },
      { kind: 'text', text },
    ],
  };
}

function retentionSection({ overview: { retention } }: VendorPack): Section {
  const rows = retention.map(({ title, period, condition, content }) => {
    const holds = content ? 'может содержать тексты' : 'без текстов запросов и ответов';
    return [title, `${period}; ${condition}; ${holds}`] as const;
  });
  return { heading: 'Что и сколько хранится', blocks: [{ kind: 'facts', rows }] };
}

function subprocessorSection({ subprocessors }: VendorPack): Section {
  const rows = subprocessors.subprocessors.map((each) => {
    const state = each.status === 'configured' ? 'подключён' : 'не подключён, данных не получает';
    const routes = each.routes.map(({ jurisdiction, dataClasses, modelCount, observedHosts }) => {
      const where = jurisdiction === 'rf' ? 'в РФ' : 'вне РФ';
      const seen = observedHosts.length > 0 ? `; соединения: ${observedHosts.join(', ')}` : '';
      return `${where}: моделей ${modelCount}, классы ${dataClasses.join(', ')}${seen}`;
    });
    const kept = each.simulated ? 'данные не покидают процесс' : 'срок хранения: нет доказательств';
    return [`${each.name} (${each.operator})`, [state, ...routes, kept].join('. ')] as const;
  });
  return { heading: 'Субобработчики', blocks: [{ kind: 'facts', rows }] };
}

function flowSection({ width, height, boxes, arrows }: Diagram): Section {
  const drawing: Drawing = {
    width,
    height,
    boxes: boxes.map(({ node, ...box }) => ({ ...box, fill: FILL[node.kind], text: node.label })),
    lines: arrows.map(({ edge, points, label }) => {
      return { points, label, isDashed: edge.status === 'closed' };
    }),
  };
  return { heading: 'Потоки данных', blocks: [{ kind: 'drawing', drawing }] };
}

function questionSections({ questionnaire: { questions } }: VendorPack): Section[] {
  return SECTIONS.map(({ code, title }) => {
    const rows = questions
      .filter(({ section }) => section === code)
      .map(({ question, answer, explanation }) => {
        const said = ANSWERS.find(answer)?.title ?? answer;
        return [question, `Ответ: ${said}. ${explanation}`] as const;
      });
    return { heading: `Анкета: ${title}`, blocks: [{ kind: 'facts', rows }] };
  });
}

function gapSection({ questionnaire: { missingEvidence } }: VendorPack): Section {
  const items = missingEvidence.map(({ code, needed }) => `${code}: ${needed}`);
  const none: Block = { kind: 'text', text: 'Недостающих доказательств нет.' };
  const blocks: Block[] = items.length > 0 ? [{ kind: 'items', items }] : [none];
  return { heading: 'Недостающие доказательства', blocks };
}

function artifactSection({ artifacts }: VendorPack): Section {
  const rows = artifacts.map(({ title, visibility, status, path, note }) => {
    const seen = ARTIFACT_VISIBILITIES.find(visibility)?.title ?? visibility;
    const state = ARTIFACT_STATUSES.find(status)?.title ?? status;
    return [title, `${state}, ${seen}. ${path ?? note ?? ''}`] as const;
  });
  return { heading: 'Документы', blocks: [{ kind: 'facts', rows }] };
}
