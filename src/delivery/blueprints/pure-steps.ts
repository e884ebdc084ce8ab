import { GatewayError } from '../../kernel/errors/fail.js';
import { approvalNeed, validated } from './decisions.js';
import type { Step, StepOf } from './manifest.js';
import { bestPassages, type SourceDocument } from './retrieve.js';
import { transformed } from './transform.js';
import { boundValues, type RunValues } from './values.js';

/** A step that neither asks a model nor shows an action of a tool. */
export type PureStep = Exclude<Step, StepOf<'llm'> | StepOf<'tool'>>;

/** What a step came to that is computed from values alone. */
export interface Computed {
  readonly output: unknown;
  readonly failure?: GatewayError | undefined;
}

/** Does a step that is computed from values alone. Pure. */
export function computed(step: PureStep, values: RunValues): Computed {
  switch (step.type) {
    case 'retrieve': {
      const { documents, query } = boundValues(values, step.with);
      const sources = (documents ?? []) as readonly SourceDocument[];
      const passages = bestPassages(sources, String(query ?? ''), step.top);
      return { output: { found: passages.length, passages } };
    }
    case 'transform':
      return { output: transformed(step.set, boundValues(values, step.with)) };
    case 'validate': {
      const output = validated(step, values);
      if (output.passed || step.on_failure !== 'stop') return { output };
      const checks = output.violations.map(({ code }) => code).join(', ');
      const failure = new GatewayError('blueprint_check_failed', {
        values: { step: step.id, checks },
      });
      return { output, failure };
    }
    case 'approval':
      return { output: approvalNeed(step, values) };
  }
}
