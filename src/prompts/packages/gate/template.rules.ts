import { fail, GatewayError } from '../../../kernel/errors/fail.js';
import {
  analyseTemplate,
  RENDER_MS_MAX,
  type RenderedMessage,
  renderMessages,
  type TemplateSlot,
} from '../../template.js';
import { hasType } from '../variables.rules.js';
import type { PromptContent, PromptVariable, VariableType } from '../vocabulary.js';
import { ended, listed, unlessFound } from './check.js';
import type { GateCheck } from './tables.js';

/** What the checks of a template found, with its messages where it renders. */
export interface TemplateFindings {
  readonly checks: readonly GateCheck[];
  readonly messages: readonly RenderedMessage[] | undefined;
}

/** The checks of a template with its variables and sample values. */
export function checkTemplate(content: PromptContent): TemplateFindings {
  const { variables, template } = content;
  const { faults, variables: used } = analyseTemplate(template);
  const declared = variables.map(({ name }) => name);
  const missing = used.filter((name) => !declared.includes(name));
  const unused = declared.filter((name) => !used.includes(name));
  const samples = checkSamples(content);
  const isRenderable = faults.length === 0 && missing.length === 0 && samples.status !== 'fail';
  const rendering = isRenderable ? render(content) : UNRENDERED;
  return {
    checks: [
      unlessFound(
        'template_parses',
        faults.map(({ line, message }) => ({ line, message })),
        'fail',
        {
          none: 'The template is well-formed.',
          some: 'The template is not well-formed.',
        },
      ),
      unlessFound('variables_declared', missing, 'fail', {
        none: 'Every variable that the template uses is declared.',
        some: `The template uses ${listed(missing)}, which variables does not declare.`,
      }),
      unlessFound('variables_used', unused, 'warn', {
        none: 'Every declared variable is used.',
        some: `The template does not use ${listed(unused)}.`,
      }),
      samples,
      rendering.check,
    ],
    messages: rendering.messages,
  };
}

function checkSamples({ variables, samples }: PromptContent): GateCheck {
  const given = samples.variables;
  const bare = variables.filter(
    ({ name, required, default: value }) =>
      required && value === null && !Object.hasOwn(given, name),
  );
  const mistyped = variables.filter(
    ({ name, type }) => Object.hasOwn(given, name) && !hasType(given[name], type),
  );
  if (mistyped.length > 0) {
    const faults = mistyped.map(({ name, type }) => {
      return { variable: name, fault: `not of the type ${type}` };
    });
    const names = listed(faults.map(({ variable }) => variable));
    return ended('samples_complete', 'fail', `sample_variables must mend ${names}.`, faults);
  }
  if (bare.length > 0) {
    const names = listed(bare.map(({ name }) => name));
    const message = `A stand-in takes the place of ${names}; sample_variables would lift this.`;
    const details = bare.map(({ name, type }) => ({ variable: name, stand_in: STAND_INS[type] }));
    return ended('samples_complete', 'warn', message, details);
  }
  const undeclared = Object.keys(given).filter(
    (name) => !variables.some((variable) => variable.name === name),
  );
  return unlessFound('samples_complete', undeclared, 'warn', {
    none: 'Every required variable has a sample value or a default.',
    some: `sample_variables has ${listed(undeclared)}, which variables does not declare.`,
  });
}

const UNRENDERED = {
  messages: undefined,
  check: ended('template_renders', 'not_measured', 'The checks before this one must pass first.'),
};

/** How the template library says that time is up, which is no verdict about a template. */
const OUT_OF_TIME = /render limit exceeded/;

function render({ template, variables, samples }: PromptContent) {
  try {
    const messages = renderMessages(template, valuesOf(variables, samples.variables));
    const roles = messages.map(({ role }) => role);
    const message = `The template renders to ${messages.length} messages.`;
    return { messages, check: ended('template_renders', 'pass', message, roles) };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    if (OUT_OF_TIME.test(thrown.message)) {
      fail('prompt_gate_unfinished', { values: { what: 'rendering', limitMs: RENDER_MS_MAX } });
    }
    return { messages: undefined, check: ended('template_renders', 'fail', thrown.message) };
  }
}

/** What takes the place of a required value that nobody gives, so that the template renders. */
const STAND_INS = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
} as const satisfies Readonly<Record<VariableType, unknown>>;

/** Sample values, else defaults, else a stand-in; an optional variable without any is null. */
function valuesOf(
  variables: readonly PromptVariable[],
  samples: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    variables.map(({ name, default: value, required, type }) => [
      name,
      Object.hasOwn(samples, name) ? samples[name] : (value ?? (required ? STAND_INS[type] : null)),
    ]),
  );
}

/** A slot that a value may break out of, and how bad that is. */
interface RiskySlot {
  readonly slot: TemplateSlot;
  readonly status: 'fail' | 'warn';
}

/** The check of the places where values that are not trusted stand bare among instructions. */
export function checkInjection({ template, variables }: PromptContent): GateCheck {
  const trust = new Map(variables.map(({ name, trusted }) => [name, trusted]));
  const risky = analyseTemplate(template).slots.flatMap((slot): RiskySlot[] => {
    const status = riskOf(slot, trust.get(slot.variable) ?? null);
    return status ? [{ slot, status }] : [];
  });
  const names = [...new Set(risky.map(({ slot }) => slot.variable))];
  const worst = risky.some(({ status }) => status === 'fail') ? 'fail' : 'warn';
  const details = risky.map(({ slot: { variable, line, role }, status }) => {
    return { variable, line, role, status };
  });
  return unlessFound('injection_slots', details, worst, {
    none: 'No value that is not trusted stands bare among instructions.',
    some:
      `Values of ${listed(names)} stand bare: set them apart by a fence, tags or quotation ` +
      'marks, move them to a [user] section, or declare the variable `trusted: true`.',
  });
}

function riskOf(slot: TemplateSlot, trusted: boolean | null): 'fail' | 'warn' | undefined {
  if (trusted === true || slot.delimited) return undefined;
  if (slot.role === 'system') return trusted === false ? 'fail' : 'warn';
  return trusted === false ? 'warn' : undefined;
}
