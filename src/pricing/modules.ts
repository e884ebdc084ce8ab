import './price-book/module.js';
