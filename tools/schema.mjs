// `npm run schema`: what is committed and follows from the sources.
import { writeEndpoints } from './endpoints-text.mjs';
import { main } from './project.mjs';
import { writeSchema } from './schema-text.mjs';

await main(async () => {
  await writeSchema();
  await writeEndpoints();
});
