import type { Sealable } from '../../../kernel/canonical.js';
import type { PromptContent } from '../vocabulary.js';
import { ended, type GateCheck, unlessFound } from './check.js';
import { checkModels, type NamedModel, type VariantCost } from './models.rules.js';
import { checkOutputs } from './outputs.rules.js';
import { checkInjection, checkTemplate } from './template.rules.js';
import type { GateStatus } from './vocabulary.js';

/** What the package's context policy says about the context pack of the samples. */
export type ContextFinding =
  | { readonly kind: 'no_policy' }
  | { readonly kind: 'no_pack' }
  | { readonly kind: 'unknown_policy'; readonly name: string }
  | { readonly kind: 'evaluated'; readonly violations: readonly Sealable[] };

/** Everything that the gate decides by. */
export interface GateInput {
  readonly content: PromptContent;
  /** What is known of the models of the variants, by the names that the variants give. */
  readonly named: ReadonlyMap<string, NamedModel>;
  readonly countTokens: (text: string) => number;
  readonly context: ContextFinding;
}

/** The result of a gate run. */
export interface GateResult {
  readonly gateStatus: GateStatus;
  /** Null for a version without an output schema. */
  readonly schemaValid: boolean | null;
  /** One for each row of GATE_CHECKS, in that order. */
  readonly checks: readonly GateCheck[];
  readonly cost: readonly VariantCost[];
}

/** Runs every check. The same input gives the same result; no model is called. */
export function runGate({ content, named, countTokens, context }: GateInput): GateResult {
  const template = checkTemplate(content);
  const outputs = checkOutputs(content);
  const models = checkModels({ content, messages: template.messages, named, countTokens });
  const checks = [
    ...template.checks,
    ...outputs.checks,
    ...models.checks,
    checkContext(context),
    checkInjection(content),
  ];
  return {
    gateStatus: checks.some(({ status }) => status === 'fail') ? 'fail' : 'pass',
    schemaValid: outputs.schemaValid,
    checks,
    cost: models.cost,
  };
}

function checkContext(context: ContextFinding): GateCheck {
  if (context.kind === 'no_policy') {
    return ended('context_policy', 'not_measured', 'The package names no context policy.');
  }
  if (context.kind === 'unknown_policy') {
    const message =
      `No context policy is called ${context.name}; POST /v1/gw/context-policies with that name ` +
      'would lift this.';
    return ended('context_policy', 'fail', message);
  }
  if (context.kind === 'no_pack') {
    const message = 'No context pack is given; context_pack would lift this.';
    return ended('context_policy', 'not_measured', message);
  }
  return unlessFound('context_policy', context.violations, 'fail', {
    none: 'The context policy allows the context pack.',
    some: 'The context policy blocks the context pack.',
  });
}
