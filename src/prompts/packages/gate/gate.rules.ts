import type { Sealable } from '../../../kernel/canonical.js';
import type { Evidence } from '../../evaluations/evidence-tables.js';
import type { PromptContent } from '../vocabulary.js';
import { ended, unlessFound } from './check.js';
import { checkEvidence, gateStatusOf } from './evidence.rules.js';
import { checkModels, type NamedModel } from './models.rules.js';
import { checkOutputs } from './outputs.rules.js';
import type { GateCheck, VariantCost } from './tables.js';
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
  /** How many of the sample outputs are the version's own: the first ones. */
  readonly ownOutputs?: number;
  /** What is known of the models of the variants, by the names that the variants give. */
  readonly named: ReadonlyMap<string, NamedModel>;
  readonly countTokens: (text: string) => number;
  readonly context: ContextFinding;
  /** What is recorded of evaluations. */
  readonly evidence: Evidence;
}

/** The result of a gate run. */
export interface GateResult {
  readonly gateStatus: GateStatus;
  /** Null for a version without an output schema. */
  readonly schemaValid: boolean | null;
  /** One for each row of GATE_CHECKS, in that order. */
  readonly checks: readonly GateCheck[];
  readonly cost: readonly VariantCost[];
  readonly evidence: Evidence;
}

/** Runs every check. The same input gives the same result; no model is called. */
export function runGate(input: GateInput): GateResult {
  const { content, ownOutputs, named, countTokens, context, evidence } = input;
  const template = checkTemplate(content);
  const outputs = checkOutputs(content, ownOutputs);
  const models = checkModels({ content, messages: template.messages, named, countTokens });
  const checks = [
    ...template.checks,
    ...outputs.checks,
    ...models.checks,
    checkContext(context),
    checkInjection(content),
    ...checkEvidence(evidence),
  ];
  return {
    gateStatus: gateStatusOf(checks, evidence),
    schemaValid: outputs.schemaValid,
    checks,
    cost: models.cost,
    evidence,
  };
}

/** What was not measured, each with why or what would lift it. */
export function missingOf(checks: readonly GateCheck[]): string[] {
  const unmeasured = checks.filter(({ status }) => status === 'not_measured');
  return unmeasured.map(({ code, message }) => `${code}: ${message}`);
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
