import './price-book/module.js';
import './commercial/module.js';
