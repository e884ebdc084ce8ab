import { CLASSES_OF_DATA } from '../../access/policies/tables.js';
import { builder } from '../../graph/builder.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { code, fieldTable, flag, list, object, optional, text } from '../../kernel/fields/field.js';
import { offeredTemplates } from './service.js';
import { DEPARTMENTS } from './vocabulary.js';

const VARIABLE = fieldTable('EmployeeTemplateVariable', 'What an employee fills in.', {
  name: text('The name of the place in the template.'),
  description: text('What belongs there, in Russian.'),
  example: text('A value that works.'),
});

const MESSAGE = fieldTable('EmployeeTemplateMessage', 'A message that the template renders to.', {
  role: text('The role of the message in a chat request.'),
  content: text('The text of the message.'),
});

const CHECK = fieldTable(
  'EmployeeTemplateCheck',
  'A text with invented personal data, judged by the firewall of this server.',
  {
    text: text('The text, which no employee should paste.'),
    finds: text('The class of finding that it is to be caught by.'),
    found: list(text('A class.'), 'The classes that the firewall finds in it.'),
    dataClass: code(CLASSES_OF_DATA, 'The class of data that the text has.'),
    caught: flag('Whether the finding is there and the class is above the ceiling.'),
  },
);

const TEMPLATE = fieldTable('EmployeeTemplate', 'An approved prompt for employees.', {
  code: text('The code of the template.'),
  department: code(DEPARTMENTS, 'The department that it is written for.'),
  title: text('The name of the template, in Russian.'),
  purpose: text('What it is good for, in Russian.'),
  dataClassCeiling: code(CLASSES_OF_DATA, 'The highest class of data that it may be given.'),
  template: text('The template, in the language of prompt packages.'),
  variables: list(object(VARIABLE, 'A place.'), 'What is filled in.'),
  exampleMessages: list(object(MESSAGE, 'A message.'), 'What it renders to with the examples.'),
  check: object(CHECK, 'Shows that personal data above the ceiling is caught.'),
});

const WISH = { department: optional(code(DEPARTMENTS, 'Only those of a department.')) } as const;

builder.queryField('employeeTemplates', (t) =>
  t.field({
    type: [outputOf(TEMPLATE)],
    description:
      'Approved prompts for employees by department. Each has a ceiling of data and a check that ' +
      'personal data above it is caught.',
    complexity: { field: 10, multiplier: 1 },
    args: argsOf(t, WISH),
    resolve: (_root, { department }, ctx) =>
      offeredTemplates(ctx.services, department ?? undefined),
  }),
);
