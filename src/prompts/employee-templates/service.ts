import type { Services } from '../../graph/ctx.js';
import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { renderMessages } from '../template.js';
import { EMPLOYEE_TEMPLATES, type EmployeeTemplate } from './templates.js';

type Judge = Pick<Services, 'judgeText'>;

/** Neither templates nor the firewall change while the process runs. */
const known = new WeakMap<Services['judgeText'], readonly ReturnType<typeof offered>[]>();

/** The approved prompts, each rendered with its examples and checked by the firewall. */
export function offeredTemplates({ judgeText }: Judge, department?: string) {
  const all = known.get(judgeText) ?? EMPLOYEE_TEMPLATES.map((each) => offered(each, judgeText));
  known.set(judgeText, all);
  return all.filter((each) => department === undefined || each.department === department);
}

function offered(
  { ceiling, check, ...template }: EmployeeTemplate,
  judgeText: Services['judgeText'],
) {
  const examples = template.variables.map(({ name, example }) => [name, example]);
  const { dataClass, findings } = judgeText(check.text);
  const caught = findings.includes(check.finds) && isAbove(dataClass, ceiling);
  return {
    ...template,
    dataClassCeiling: ceiling,
    exampleMessages: renderMessages(template.template, Object.fromEntries(examples)),
    check: { ...check, found: findings, dataClass, caught },
  };
}

function isAbove(one: DataClass, other: DataClass): boolean {
  const codes = DATA_CLASSES.map(({ code }) => code);
  return codes.indexOf(one) > codes.indexOf(other);
}
