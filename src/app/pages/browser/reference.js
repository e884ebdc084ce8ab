/*
 * Starts the API reference on its page. Everything of it that would speak to another host is
 * off: fonts, telemetry, the assistant, the hosted client and the developer tools. Requests of the
 * "test" button go to the server that the page came from.
 */

{
  // What the script says stands in the page, in the language of the page.
  const { server } = JSON.parse(document.querySelector('#root').dataset.words);

  Scalar.createApiReference('#root', {
    url: '/openapi.json',
    servers: [{ url: location.origin, description: server }],
    authentication: { preferredSecurityScheme: 'bearer' },
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    persistAuth: false,
    favicon: '/assets/icon.svg',
    documentDownloadType: 'both',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    customCss: `:root {
      --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      --scalar-font-code: ui-monospace, "Cascadia Mono", Menlo, Consolas, "Liberation Mono",
        monospace;
    }`,
  });
}
