import { compile } from './compile.mjs';
import { main } from './project.mjs';

await main(compile);
