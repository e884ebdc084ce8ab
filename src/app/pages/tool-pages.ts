import { toolPage } from './layout.js';
import { LAYOUT } from './layout-texts.js';
import { madeOnce } from './reading.js';
import { TOOLS } from './tool-texts.js';

/** The page of the API reference, which Scalar draws. */
export const referencePage = madeOnce((reading) =>
  toolPage(reading, {
    title: LAYOUT[reading.language].places['/docs'],
    path: '/docs',
    place: 'section',
    styles: [],
    scripts: ['/assets/scalar.js', '/assets/reference.js'],
    words: TOOLS[reading.language].reference,
    note: TOOLS[reading.language].note,
  }),
);

/** The page of the GraphQL explorer, which GraphiQL draws. */
export const explorerPage = madeOnce((reading) =>
  toolPage(reading, {
    title: LAYOUT[reading.language].places['/graphiql'],
    path: '/graphiql',
    place: 'main',
    styles: ['/assets/graphiql.css', '/assets/explorer.css'],
    scripts: ['/assets/graphql-ws.js', '/assets/graphiql.js', '/assets/explorer.js'],
    words: TOOLS[reading.language].explorer,
    note: TOOLS[reading.language].note,
  }),
);
