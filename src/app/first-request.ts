/** What a start prints: addresses, and a first request to paste. */
export function firstRequest(url: string): string {
  return `
  The gateway serves on ${url}

    API reference   ${url}/docs
    GraphQL         ${url}/graphiql
    OpenAPI         ${url}/openapi.json

  First request, to paste:

    TOKEN=$(curl -s ${url}/auth/register -H 'content-type: application/json' \\
      -d '{"email":"owner@example.com","organization":"Example",
           "password":"correct horse battery"}' \\
      | sed -E 's/.*"accessToken":"([^"]+)".*/\\1/')
    KEY=$(curl -s ${url}/api-keys -H "authorization: Bearer $TOKEN" \\
      -H 'content-type: application/json' -d '{"keyType":"service","name":"first"}' \\
      | sed -E 's/.*"key":"([^"]+)".*/\\1/')
    curl -s ${url}/billing/top-up/manual -H "authorization: Bearer $KEY" \\
      -H 'content-type: application/json' -d '{"amount_rub":500}'
    curl -s ${url}/v1/chat/completions -H "authorization: Bearer $KEY" \\
      -H 'content-type: application/json' \\
      -d '{"model":"gw:auto","messages":[{"role":"user","content":"Здравствуйте!"}]}'
`;
}
