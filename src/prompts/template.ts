import { Liquid, type LiquidError, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { fail } from '../kernel/errors/fail.js';
import { SectionPlaces } from './template-places.js';

/** Characters that a template may have. */
export const TEMPLATE_CHARS_MAX = 100_000;

/** Characters of all messages that a template may render to. */
export const RENDERED_CHARS_MAX = 1_000_000;

/** Places of a template that values may enter. */
export const SLOTS_MAX = 1_000;

/** The roles that a section may name. */
export const SECTION_ROLES = ['system', 'user', 'assistant'] as const;

export type SectionRole = (typeof SECTION_ROLES)[number];

/** A message that a template renders to. */
export interface RenderedMessage {
  readonly role: SectionRole;
  readonly content: string;
}

/** What is wrong with a template; `line` counts from 1 in the whole template. */
export interface TemplateFault {
  readonly line: number;
  readonly message: string;
}

/** A place where a variable's value enters the text. */
export interface TemplateSlot {
  /** The root name: `user` for `user.name`. */
  readonly variable: string;
  /** From 1, in the whole template. */
  readonly line: number;
  /** Of the section that the place stands in. */
  readonly role: SectionRole;
  /**
   * True where something tells the value from the instructions around it: a fence of three
   * backticks, tildes or quotation marks, a pair of tags such as `<letter>…</letter>`, quotation
   * marks or backticks directly around it, or the filter `json`.
   */
  readonly delimited: boolean;
}

/** What a template uses, found without rendering it. */
export interface TemplateAnalysis {
  readonly faults: readonly TemplateFault[];
  /** Root names of the values that the template reads, sorted. */
  readonly variables: readonly string[];
  readonly slots: readonly TemplateSlot[];
}

/** The tags of the language: none reads a file, the clock or chance. */
const TAGS = new Set(
  'assign break capture case comment continue echo for if raw unless #'.split(' '),
);

/** The filters of the language: none runs code, and each gives the same for the same value. */
const FILTERS = new Set(
  `abs append at_least at_most capitalize ceil compact concat default divided_by downcase escape
  first floor join json last lstrip map minus modulo plus prepend remove replace reverse round
  rstrip size slice sort split strip strip_newlines times truncate truncatewords uniq upcase
  where`.split(/\s+/),
);

/** Milliseconds that one rendering may take. */
export const RENDER_MS_MAX = 500;

/** Memory of one rendering, in units of the library. */
const MEMORY_UNITS_MAX = 4_000_000;

/** Characters of templates whose parsed form is kept. */
const KEPT_CHARS_MAX = 8_000_000;

interface Section {
  readonly role: SectionRole;
  readonly text: string;
  /** Lines of the template before the section's first. */
  readonly linesBefore: number;
  readonly parsed: readonly Template[] | undefined;
}

interface Parsed {
  readonly sections: readonly Section[];
  readonly analysis: TemplateAnalysis;
}

const liquid = createLanguage();
const kept = new LRUCache<string, Parsed>({
  maxSize: KEPT_CHARS_MAX,
  sizeCalculation: (_parsed, text) => text.length + 1,
});

/** What a template uses, and what is wrong with it. Throws nothing. */
export function analyseTemplate(text: string): TemplateAnalysis {
  return parse(text).analysis;
}

/**
 * The chat messages of a template. A line that holds only `[system]`, `[user]` or `[assistant]`
 * begins a message; what stands before the first such line is a system message. The template is
 * divided before any value enters it, so that no value can begin a message. Lists and objects are
 * written as JSON, null as nothing, and a message that renders to nothing is left out.
 * @throws prompt_variables_missing where a variable that the template reads is no key of `values`
 * @throws prompt_render_failed where the template is faulty, or its rendering passes a limit
 */
export function renderMessages(
  text: string,
  values: Readonly<Record<string, unknown>>,
): readonly RenderedMessage[] {
  const { sections, analysis } = parse(text);
  const fault = analysis.faults[0];
  if (fault) renderFailed(`line ${fault.line}: ${fault.message}`);
  const missing = analysis.variables.filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0) {
    fail('prompt_variables_missing', { values: { variables: missing.join(', ') } });
  }
  let chars = 0;
  const deadlineMs = performance.now() + RENDER_MS_MAX;
  const messages = sections.map(({ role, parsed, linesBefore }): RenderedMessage => {
    const leftMs = Math.max(1, deadlineMs - performance.now());
    const rendered = render(parsed ?? [], values, { linesBefore, leftMs });
    chars += rendered.length;
    if (chars > RENDERED_CHARS_MAX) {
      renderFailed(`it renders to more than ${RENDERED_CHARS_MAX} characters`);
    }
    return { role, content: rendered.trim() };
  });
  const said = messages.filter(({ content }) => content !== '');
  if (said.length === 0) renderFailed('it renders to nothing');
  return said;
}

function createLanguage(): Liquid {
  const language = new Liquid({
    templates: {},
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    parseLimit: TEMPLATE_CHARS_MAX,
    renderLimit: RENDER_MS_MAX,
    memoryLimit: MEMORY_UNITS_MAX,
    outputEscape: (value: unknown) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
  } as ConstructorParameters<typeof Liquid>[0]);
  for (const name of Object.keys(language.tags)) {
    if (!TAGS.has(name)) delete language.tags[name];
  }
  for (const name of Object.keys(language.filters)) {
    if (!FILTERS.has(name)) language.unregisterFilter(name);
  }
  return language;
}

function parse(text: string): Parsed {
  const known = kept.get(text);
  if (known) return known;
  const parsed = text.length > TEMPLATE_CHARS_MAX ? TOO_LONG : parseSections(text);
  if (parsed !== TOO_LONG) kept.set(text, parsed);
  return parsed;
}

const TOO_LONG: Parsed = {
  sections: [],
  analysis: {
    faults: [{ line: 1, message: `a template has at most ${TEMPLATE_CHARS_MAX} characters` }],
    variables: [],
    slots: [],
  },
};

function parseSections(text: string): Parsed {
  const faults: TemplateFault[] = [];
  const sections = divide(text).map((section) => {
    try {
      return { ...section, parsed: liquid.parse(section.text) };
    } catch (thrown) {
      faults.push(faultOf(thrown, section.linesBefore));
      return { ...section, parsed: undefined };
    }
  });
  if (sections.length === 0) faults.push({ line: 1, message: 'the template says nothing' });
  const slots: TemplateSlot[] = [];
  const variables = new Set<string>();
  for (const section of sections) readVariables(section, variables, slots);
  if (slots.length > SLOTS_MAX) {
    faults.push({ line: 1, message: `a template has at most ${SLOTS_MAX} places for values` });
  }
  slots.sort((a, b) => a.line - b.line);
  return { sections, analysis: { faults, variables: [...variables].sort(), slots } };
}

const MARKER = /^\[(system|user|assistant)\][ \t]*\r?$/;

/** The sections of a template as it is written; those without text are left out. */
function divide(text: string): Omit<Section, 'parsed'>[] {
  const sections: { role: SectionRole; lines: string[]; linesBefore: number }[] = [];
  let current = { role: 'system' as SectionRole, lines: [] as string[], linesBefore: 0 };
  sections.push(current);
  text.split('\n').forEach((line, index) => {
    const role = MARKER.exec(line)?.[1] as SectionRole | undefined;
    if (role === undefined) {
      current.lines.push(line);
      return;
    }
    current = { role, lines: [], linesBefore: index + 1 };
    sections.push(current);
  });
  return sections
    .map(({ role, lines, linesBefore }) => ({ role, linesBefore, text: lines.join('\n') }))
    .filter((section) => section.text.trim() !== '');
}

function readVariables(section: Section, variables: Set<string>, slots: TemplateSlot[]): void {
  if (!section.parsed) return;
  const { globals } = liquid.analyzeSync([...section.parsed], { partials: false });
  const places = new SectionPlaces(section.text);
  for (const [variable, uses] of Object.entries(globals)) {
    variables.add(variable);
    for (const { location } of uses) {
      if (slots.length > SLOTS_MAX) return;
      if (!places.prints(location)) continue;
      slots.push({
        variable,
        line: section.linesBefore + location.row,
        role: section.role,
        delimited: places.isDelimited(location),
      });
    }
  }
}

function render(
  parsed: readonly Template[],
  values: Readonly<Record<string, unknown>>,
  { linesBefore, leftMs }: { readonly linesBefore: number; readonly leftMs: number },
): string {
  try {
    return String(liquid.renderSync([...parsed], values, { renderLimit: leftMs }));
  } catch (thrown) {
    const { line, message } = faultOf(thrown, linesBefore);
    return renderFailed(`line ${line}: ${message}`);
  }
}

function renderFailed(reason: string): never {
  return fail('prompt_render_failed', { values: { reason } });
}

/** The library's faults name their token; what JavaScript itself throws does not. */
function faultOf(thrown: unknown, linesBefore: number): TemplateFault {
  const { token, message } = thrown as Partial<LiquidError>;
  const row = token ? (token.getPosition()[0] ?? 1) : 1;
  const reason = (message ?? 'unreadable').replace(/, line:\d+, col:\d+$/, '').replace(/\.+$/, '');
  return { line: linesBefore + row, message: reason };
}
