import { main } from './project.mjs';
import { writeSchema } from './schema-text.mjs';

await main(writeSchema);
