import { analyseTemplate } from '../../prompts/template.js';
import type { Finder, Found } from './lint-finder.js';
import { unboundNames } from './lint-references.js';
import type { Manifest, Step, StepOf } from './manifest.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Rules about templates and the names that they read. */
export const templateFinders = {
  undeclared_variable: ({ steps }) =>
    steps.flatMap((step, index) =>
      unboundNames(step, namesRead(step)).map((name) => ({
        path: `steps.${index}.with`,
        message: `${step.id} reads ${name} and does not bind it.`,
      })),
    ),
  template_invalid: (manifest) =>
    inTemplates(manifest, ({ template }) =>
      analyseTemplate(template).faults.map(({ line, message }) => `Line ${line}: ${message}`),
    ),
  unused_variable: ({ steps }) =>
    steps.flatMap((step, index) => {
      if (step.type !== 'llm' && step.type !== 'transform') return [];
      const read = new Set(namesRead(step));
      return Object.keys(step.with)
        .filter((name) => !read.has(name))
        .map((name) => ({
          path: `steps.${index}.with.${name}`,
          message: `${step.id} binds ${name} and does not read it.`,
        }));
    }),
  prompt_too_long: (manifest) =>
    inTemplates(manifest, ({ template }) =>
      template.length > BLUEPRINT_BOUNDS.promptCharactersMax
        ? [`The template has ${template.length} characters.`]
        : [],
    ),
  undelimited_value: (manifest) =>
    inTemplates(manifest, ({ template }) =>
      analyseTemplate(template)
        .slots.filter(({ delimited }) => !delimited)
        .map(({ variable, line }) => `Line ${line}: nothing sets ${variable} apart.`),
    ),
} as const satisfies Readonly<Record<string, Finder>>;

function inTemplates(
  { steps }: Manifest,
  messages: (step: StepOf<'llm'>) => readonly string[],
): Found[] {
  return steps.flatMap((step, index) =>
    step.type === 'llm'
      ? messages(step).map((message) => ({ path: `steps.${index}.template`, message }))
      : [],
  );
}

function namesRead(step: Step): readonly string[] {
  if (step.type === 'llm') return analyseTemplate(step.template).variables;
  if (step.type === 'transform') return [...new Set(Object.values(step.set).map(({ of }) => of))];
  return [];
}
