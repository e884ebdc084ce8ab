import type { HybridMode } from '../../access/policies/vocabulary.js';
import type { UnreadModes } from '../../kernel/firewall/contents.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { slaTargets } from '../../money/billing/vocabulary.js';
import {
  CONTENT_LINES,
  contentSentence,
  inventoryText,
  otherUnread,
  unreadText,
} from '../trust/contents.rules.js';
import { controlsOf } from '../trust/controls.rules.js';
import type { TrustFacts } from '../trust/facts.js';
import { RETENTION } from '../trust/retention.js';
import { classesOn } from '../trust/subprocessors.rules.js';
import { CONTROL_STATUSES } from '../trust/vocabulary.js';
import { DOCUMENT_TYPES, type DocumentType, OBSERVED_DAYS } from './vocabulary.js';

/** What the documents of an organization are made of. */
export interface OwnFacts {
  readonly organization: string;
  readonly slaClass: string;
  readonly projects: readonly {
    readonly name: string;
    readonly hybrid: HybridMode;
    readonly firewall: FirewallModes;
    readonly unread: UnreadModes;
  }[];
  /** The routes that requests of the last days really took, from usage rows. */
  readonly routes: readonly {
    readonly provider: string;
    readonly route: string;
    readonly simulated: boolean;
    readonly requests: number;
  }[];
  /** How many rows of the things that may hold texts there are, by the code of the thing. */
  readonly kept: Readonly<Record<string, number>>;
  readonly trust: TrustFacts;
}

/** What a pack itself says. */
export interface PackFacts {
  readonly legalName: string | null;
  readonly inn: string | null;
  /** Codes of the questions that are answered. */
  readonly answered: ReadonlySet<string>;
}

/** Something that a document cannot show. */
export interface Gap {
  readonly code: string;
  readonly needed: string;
}

/** What a document says, and what it cannot show. */
export interface Written {
  readonly paragraphs: readonly string[];
  readonly missing: readonly Gap[];
}

/** Writes a document from what holds; one that is a template says what is filled in. */
export function writeDocument(type: DocumentType, own: OwnFacts, pack: PackFacts): Written {
  const writer = WRITERS[type];
  return writer ? writer(own, pack) : { paragraphs: templateText(type, own, pack), missing: [] };
}

const WRITERS: { readonly [type in DocumentType]?: (own: OwnFacts, pack: PackFacts) => Written } = {
  security: (own) => ({ paragraphs: securityText(own), missing: [] }),
  rf_only: (own) => ({ paragraphs: rfOnlyText(own), missing: rfOnlyGaps(own) }),
  zero_log: (own, pack) => ({ paragraphs: zeroLogText(own), missing: zeroLogGaps(own, pack) }),
  data_routing: (own) => ({ paragraphs: routingText(own), missing: observationGaps(own) }),
};

const HYBRID_TEXTS: Readonly<Record<HybridMode, string>> = {
  rf_only: 'только маршруты внутри РФ, какие бы ни были данные',
  hybrid:
    'маршруты вне РФ только для запросов, в которых не найдено и не заявлено данных класса C3 и ' +
    'выше и нет непрочитанного, которое политика держит в России',
  any:
    'маршруты вне РФ только для запросов, в которых после маскирования не осталось найденных ' +
    'данных класса C3 и выше, таких данных не заявлено и нет непрочитанного, которое политика ' +
    'держит в России',
};

function requestsBy(own: OwnFacts, test: (route: OwnFacts['routes'][number]) => boolean): number {
  return own.routes.filter(test).reduce((sum, { requests }) => sum + requests, 0);
}

const outsideOf = (own: OwnFacts) => requestsBy(own, ({ route }) => route === 'outside');

function observationGaps(own: OwnFacts): Gap[] {
  if (requestsBy(own, () => true) > 0) return [];
  const needed = `За ${OBSERVED_DAYS} дней не было ни одного запроса: наблюдать нечего.`;
  return [{ code: 'no_observation', needed }];
}

function projectLines({ projects }: OwnFacts): string[] {
  return projects.map(({ name, hybrid, unread }) => {
    const others = hybrid === 'rf_only' ? [] : otherUnread(unread);
    const more = others.length > 0 ? ` Непрочитанное: ${others.join('; ')}.` : '';
    return `Проект «${name}»: ${hybrid} — ${HYBRID_TEXTS[hybrid]}.${more}`;
  });
}

function observedLine(own: OwnFacts): string {
  const inside = requestsBy(own, ({ route, simulated }) => route === 'rf' && !simulated);
  const simulated = requestsBy(own, (route) => route.simulated);
  return (
    `По строкам использования за ${OBSERVED_DAYS} дней: внутри РФ ${inside}, вне РФ ` +
    `${outsideOf(own)}, в имитаторе внутри процесса ${simulated} запросов.`
  );
}

function rfOnlyText(own: OwnFacts): string[] {
  const isOnly = own.projects.every(({ hybrid }) => hybrid === 'rf_only');
  return [
    isOnly
      ? 'Политики всех проектов организации допускают только маршруты внутри РФ.'
      : 'Не все проекты организации ограничены маршрутами внутри РФ.',
    ...projectLines(own),
    'Независимо от политики найденные или заявленные данные класса C3 и выше, которые не ' +
      'замаскированы, не отправляются за пределы РФ: маршрут пропускается при выборе и ' +
      'запрещается при открытии соединения.',
    inventoryText(),
    unreadText(),
    observedLine(own),
  ];
}

function rfOnlyGaps(own: OwnFacts): Gap[] {
  const wide = own.projects.filter(({ hybrid }) => hybrid !== 'rf_only');
  const outside = outsideOf(own);
  return [
    ...wide.map(({ name, hybrid }) => ({
      code: 'policy_not_rf_only',
      needed: `Политика проекта «${name}» — ${hybrid}; нужна rf_only.`,
    })),
    ...(outside > 0
      ? [
          {
            code: 'requests_outside',
            needed: `Вне РФ обработано запросов: ${outside} за ${OBSERVED_DAYS} дней.`,
          },
        ]
      : []),
    ...observationGaps(own),
  ];
}

function zeroLogText({ kept }: OwnFacts): string[] {
  return [
    'Тексты запросов и ответов не входят ни в учёт использования, ни в журналы сервера.',
    'Что хранит шлюз:',
    ...RETENTION.map(({ code, title, content, period, condition }) => {
      const count = kept[code] === undefined ? '' : ` Сейчас у организации: ${kept[code]}.`;
      const holds = content ? 'может содержать тексты' : 'без текстов';
      return `${title}: ${holds}; срок: ${period}; возникает: ${condition}.${count}`;
    }),
  ];
}

/** What providers keep is beyond what the gateway can see, wherever one of them can be called. */
function zeroLogGaps({ trust }: OwnFacts, { answered }: PackFacts): Gap[] {
  const real = trust.providers.filter((each) => each.status === 'configured' && !each.simulated);
  if (real.length === 0 || answered.has('subprocessor_retention')) return [];
  const names = real.map(({ name }) => name).join(', ');
  const needed = `Сроки хранения у поставщиков (${names}): ответьте на subprocessor_retention.`;
  return [{ code: 'subprocessor_retention', needed }];
}

function routingText(own: OwnFacts): string[] {
  const routes = own.routes.map(({ provider, route, simulated, requests }) => {
    const where = simulated ? 'имитатор' : route === 'rf' ? 'в РФ' : 'вне РФ';
    return `${provider}: ${where}, запросов ${requests}.`;
  });
  const callable = own.trust.providers.filter(({ status }) => status === 'configured');
  const sides = (['rf', 'outside'] as const).map((side) => {
    const models = callable.filter((each) =>
      each.models.some(({ jurisdiction }) => jurisdiction === side),
    );
    const names = models.map(({ name }) => name).join(', ') || 'никого';
    const where = side === 'rf' ? 'Внутри РФ' : 'Вне РФ';
    return `${where} (классы ${classesOn(side).join(', ')}) подключены: ${names}.`;
  });
  return [
    'Какие маршруты открывают политики:',
    ...projectLines(own),
    unreadText(),
    ...sides,
    'Какими маршрутами запросы ушли на самом деле:',
    observedLine(own),
    ...routes,
  ];
}

function securityText({ trust }: OwnFacts): string[] {
  const controls = controlsOf(trust).map(({ title, statement, status, enforcedIn }) => {
    const held = enforcedIn.length > 0 ? ` Где: ${enforcedIn.join(', ')}.` : '';
    return `${title} — ${CONTROL_STATUSES.find(status)?.title ?? status}. ${statement}${held}`;
  });
  const contents = CONTENT_LINES.map((line) => contentSentence(line));
  return [...controls, 'Что проверяет межсетевой экран данных:', ...contents];
}

/** Says which template it is and what of it the gateway knows; law text is the operator's. */
function templateText(type: DocumentType, own: OwnFacts, pack: PackFacts): string[] {
  const { latencyMsMax, timeToFirstTokenMsMax } = slaTargets(own.slaClass);
  const level =
    `Класс услуги: ${own.slaClass}; цели: ответ до ${latencyMsMax} мс, ` +
    `первый токен до ${timeToFirstTokenMsMax} мс.`;
  return [
    `${DOCUMENT_TYPES.find(type)?.title ?? type}: шаблон оператора «${own.trust.operator}». ` +
      'Текста документа в шлюзе нет; ниже — данные для заполнения.',
    `Организация в шлюзе: ${own.organization}.`,
    `Полное наименование: ${pack.legalName ?? 'не указано'}. ИНН: ${pack.inn ?? 'не указан'}.`,
    ...(type === 'sla' ? [level] : []),
  ];
}
