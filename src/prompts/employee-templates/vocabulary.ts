import { vocabulary } from '../../kernel/vocabulary.js';

/** The departments that templates are written for. */
export const DEPARTMENTS = vocabulary('EmployeeDepartment', 'A department of a company.', [
  { code: 'sales', description: 'Sells and keeps customers.' },
  { code: 'support', description: 'Answers what customers ask.' },
  { code: 'hr', description: 'Finds people and looks after them.' },
  { code: 'finance', description: 'Books, budgets and payments.' },
  { code: 'legal', description: 'Contracts and claims.' },
  { code: 'marketing', description: 'Texts, research and campaigns.' },
  { code: 'it', description: 'Builds and runs systems.' },
]);
