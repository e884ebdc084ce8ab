import './ledger/module.js';
import './billing/module.js';
import './feeds/module.js';
import './integrity/module.js';
import './advances/module.js';
import './operations/module.js';
import './month-close/module.js';
import './books/module.js';
