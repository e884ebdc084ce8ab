import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';
import { CONTROL_ROWS, type Control, holds } from './controls.rules.js';
import type { Answer } from './vocabulary.js';

const CODE = z.string().regex(/^[a-z][a-z0-9_]*$/);
const KNOWN = new Set(CONTROL_ROWS.map(({ code }) => code));
const QUESTION = z
  .strictObject({
    code: CODE,
    question: z.string().min(1),
    controls: z.array(CODE.refine((code) => KNOWN.has(code), 'is no control')).default([]),
    needs: z.string().optional(),
    /** What the controls do not cover: the answer is never a plain yes. */
    limits: z.string().optional(),
  })
  .refine(({ controls, needs }) => controls.length > 0 !== (needs !== undefined), {
    error: 'rests on controls, or says what evidence it needs',
  });
const SECTION = z.strictObject({
  code: CODE,
  title: z.string().min(1),
  questions: z.array(QUESTION).min(1),
});
const FILE = z.strictObject({ sections: z.array(SECTION).min(1) });

/** The sections of the questionnaire with their questions. */
export const SECTIONS = dataFile('src/assurance/trust/questionnaire.yaml', FILE).sections;

/** A question with the answer that the gateway can stand for. */
export interface AnsweredQuestion {
  readonly code: string;
  readonly section: string;
  readonly question: string;
  readonly answer: Answer;
  readonly explanation: string;
  /** The controls that the answer rests on. */
  readonly controls: readonly string[];
}

/** Every question with its answer. A question without evidence stays open; it is never yes. */
export function answersFrom(controls: readonly Control[]): readonly AnsweredQuestion[] {
  const byCode = new Map(controls.map((control) => [control.code, control]));
  return SECTIONS.flatMap(({ code: section, questions }) =>
    questions.map(({ code, question, controls: names, needs, limits }) => {
      const used = names.flatMap((name) => byCode.get(name) ?? []);
      const stated = used.map(({ statement }) => statement);
      const explanation = needs ?? [...stated, ...(limits ? [limits] : [])].join(' ');
      const held = answerOf(used);
      const answer = limits && held === 'yes' ? 'partly' : held;
      return { code, section, question, answer, explanation, controls: names };
    }),
  );
}

function answerOf(used: readonly Control[]): Answer {
  if (used.length === 0) return 'unknown';
  const held = used.filter(holds).length;
  if (held === used.length) return 'yes';
  return held > 0 ? 'partly' : 'no';
}

/** A gap: what is asked for and cannot be shown. */
export interface MissingEvidence {
  readonly code: string;
  readonly needed: string;
}

/** Questions without evidence, then controls that this server's settings leave off. */
export function missingEvidence(
  answers: readonly AnsweredQuestion[],
  controls: readonly Control[],
): readonly MissingEvidence[] {
  const open = answers.filter(({ answer }) => answer === 'unknown');
  const off = controls.filter(({ status }) => status === 'not_in_force');
  return [
    ...open.map(({ code, explanation }) => ({ code, needed: explanation })),
    ...off.map(({ code, title }) => ({ code, needed: `Настройка сервера: ${title}.` })),
  ];
}
