import './ledger/module.js';
import './billing/module.js';
import './feeds/module.js';
