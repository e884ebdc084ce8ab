import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import type { JsonObject } from '../../kernel/json.js';
import { patternRefusal } from '../../kernel/json-schema/patterns.js';
import { WorkStopped, withinTime } from '../../kernel/json-schema/within-time.js';
import { jsonFaults, objectFaults } from '../packages/faults.js';
import { compileOutputSchema } from '../packages/gate/output-schema.js';
import { pathSteps } from './json-path.rules.js';
import { CASE_SET_INPUT, type CaseSetContent, type Grader, type PromptCase } from './tables.js';
import { EVALUATION_BOUNDS } from './vocabulary.js';

/** What the expressions of one case set are given together to be compiled. */
const PATTERNS_MS_MAX = 1_000;
const TOO_LONG = 'takes too long to compile, with the expressions before it';

/** Compiles expressions until their time is over. */
class PatternTime {
  private leftMs = PATTERNS_MS_MAX;

  /** Why an expression cannot be used; undefined where it can. */
  refusalOf(pattern: string): string | undefined {
    if (this.leftMs < 1) return TOO_LONG;
    const begunMs = performance.now();
    try {
      const { patternChars } = EVALUATION_BOUNDS;
      return withinTime(Math.ceil(this.leftMs), () => patternRefusal(pattern, patternChars));
    } catch (thrown) {
      if (!(thrown instanceof WorkStopped)) throw thrown;
      return TOO_LONG;
    } finally {
      this.leftMs -= performance.now() - begunMs;
    }
  }
}

/** What no table can say of a case set: every fault, by its path. */
export function caseSetFaults({ cases }: CaseSetContent): Fault[] {
  const names = cases.map(({ name }) => name);
  const patterns = new PatternTime();
  const faults = cases.flatMap((each, index) => {
    const path = `input.cases.${index}`;
    const isFirst = names.indexOf(each.name) === index;
    return [
      ...fits(`${path}.name`, isFirst, 'is the name of an earlier case'),
      ...caseFaults(each, path, patterns),
    ];
  });
  return faults.length > 0 ? faults : sizeFaults(cases);
}

function caseFaults(
  { variables, outputSchema, graders, expectedOutput }: PromptCase,
  path: string,
  patterns: PatternTime,
) {
  const given = variables ?? {};
  return [
    ...objectFaults(`${path}.variables`, given),
    ...(outputSchema == null ? [] : schemaFaults(`${path}.outputSchema`, outputSchema)),
    ...graders.flatMap((grader, index) =>
      graderFaults(grader, `${path}.graders.${index}`, expectedOutput !== null, patterns),
    ),
  ];
}

function schemaFaults(path: string, schema: unknown): Fault[] {
  const faults = objectFaults(path, schema);
  if (faults.length > 0) return faults;
  const compiled = compileOutputSchema(schema as JsonObject);
  return compiled.compiled ? [] : [fault(path, 'invalid', `does not compile: ${compiled.reason}`)];
}

function graderFaults(
  grader: Grader,
  path: string,
  hasExpected: boolean,
  patterns: PatternTime,
): Fault[] {
  const { rule, similarity, judge } = grader;
  const given = [rule, similarity, judge].filter((each) => each !== null);
  if (given.length !== 1) {
    return [fault(path, 'invalid', 'must have exactly one of rule, similarity, judge')];
  }
  const why = 'needs the expectedOutput of its case';
  if (similarity) return fits(`${path}.similarity`, hasExpected, why);
  if (!rule) return [];
  const { kind, value } = rule;
  if (kind === 'json_path') {
    const isPath = rule.path !== null && pathSteps(rule.path) !== undefined;
    const what = 'must be a path such as $.items[0].name';
    const odd = fits(`${path}.rule.value`, value === null, 'has no meaning beside json_path');
    const wanted = rule.json === null ? [] : jsonFaults(`${path}.rule.json`, rule.json);
    return [...fits(`${path}.rule.path`, isPath, what), ...odd, ...wanted];
  }
  const isPlain = rule.path === null && rule.json === null;
  const odd = fits(`${path}.rule`, isPlain, 'has path and json only beside json_path');
  if (value === null) return [fault(`${path}.rule.value`, 'missing', 'is needed'), ...odd];
  const isPattern = kind === 'regex';
  const refusal = isPattern ? patterns.refusalOf(value) : undefined;
  return [...(refusal ? [fault(`${path}.rule.value`, 'invalid', refusal)] : []), ...odd];
}

function sizeFaults(cases: readonly PromptCase[]): Fault[] {
  const max = EVALUATION_BOUNDS.setBytes;
  const kept = sealedContent({ cases: CASE_SET_INPUT.fields.cases }, { cases });
  const bytes = Buffer.byteLength(canonicalJson(kept));
  return fits('input.cases', bytes <= max, `must have at most ${max} bytes as JSON`);
}

/** The sha256 of a case set as RFC 8785 text. */
export function caseSetHash(content: CaseSetContent): Buffer {
  const sealed = sealedContent(CASE_SET_INPUT.fields, content);
  return createHash('sha256').update(canonicalJson(sealed), 'utf8').digest();
}
