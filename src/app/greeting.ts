import { firstRequest } from './pages/landing.js';

/** What a start prints: addresses, and a first request to paste. */
export function greeting(url: string): string {
  return `
The gateway serves on ${url}

  API reference   ${url}/docs
  GraphQL         ${url}/graphiql
  OpenAPI         ${url}/openapi.json

First request, to paste:

${firstRequest(url, 'en')}
`;
}
