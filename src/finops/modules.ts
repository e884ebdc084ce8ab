// The modules of this context; each registers itself.
import './unit-economics/module.js';
import './reports/module.js';
import './observability/module.js';
import './focus/module.js';
import './anomalies/module.js';
import './budgets/module.js';
import './costs/module.js';
