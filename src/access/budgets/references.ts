import { defineReference } from '../../records/references.js';
import { BUDGET_PERIODS, EXCEPTION_STATUSES } from './vocabulary.js';

defineReference('budgets.period', BUDGET_PERIODS.rows);
defineReference('budgets.exception_status', EXCEPTION_STATUSES.rows);
