import './errors/module.js';
import './publishers/module.js';
import './certification/module.js';
import './marketplace/module.js';
import './trust/module.js';
import './procurement/module.js';
import './audit/module.js';
import './transparency/module.js';
