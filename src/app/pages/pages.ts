import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { BASE_URL_PLACE, printable } from '../../growth/devex/quickstart/snippets.js';
import { docUrl } from '../../kernel/errors/doc-url.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { accessPage } from './access-page.js';
import { agentInstructions, fullText, shortText } from './agent-texts.js';
import { sendAsset } from './assets.js';
import { cockpitPage } from './cockpit.js';
import { errorListPage, errorPage, failurePage, notFoundPage } from './error-pages.js';
import { errorListText, errorText } from './error-texts.js';
import { allowEveryone, allowTool, commonHeaders, keepPrivate } from './headers.js';
import { landingPage } from './landing.js';
import { toolPage } from './layout.js';
import { OpenApiView } from './openapi-view.js';
import { operationIndex, operationPage } from './operation-pages.js';
import { quickstartListText, quickstartText } from './quickstart-texts.js';
import { type PageReport, reportPage } from './report-page.js';

/** What the application gives to its pages. */
export interface PagesOptions {
  /** The address that the caller used, without a slash at the end. */
  baseUrlOf(request: Request): string;
  /** The description of the REST paths at an address, as text. */
  openapi(address: string): { readonly json: string; readonly yaml: string };
  /** The schema, as text. */
  schemaSdl(): string;
  /** The module whose right an operation asks for; undefined for one that asks none. */
  moduleOf(operationId: string): string | undefined;
  /** The report that the secret part of a link shows now; undefined for any other text. */
  sharedReport(token: string): Promise<PageReport | undefined>;
  /** Told of every page that could not be made. */
  onFailure?(error: unknown, requestId: string): void;
}

const REFERENCE_PAGE = toolPage('API reference', '/docs', 'section', {
  styles: [],
  scripts: ['/assets/scalar.js', '/assets/reference.js'],
});

const EXPLORER_PAGE = toolPage('GraphQL explorer', '/graphiql', 'main', {
  styles: ['/assets/graphiql.css', '/assets/explorer.css'],
  scripts: ['/assets/graphql-ws.js', '/assets/graphiql.js', '/assets/explorer.js'],
});

/**
 * Everything that people open in a browser. It stands behind the REST rows and GraphQL, needs no
 * other host, and answers what nothing else answered.
 */
export function createPages(options: PagesOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', 'strong');
  app.set('case sensitive routing', true);
  app.use(commonHeaders);

  app.get('/', (request, response) => {
    response.type('html').send(landingPage(options.baseUrlOf(request)));
  });
  app.get('/cockpit', (request, response) => {
    allowTool(response)
      .type('html')
      .send(cockpitPage(options.baseUrlOf(request)));
  });
  app.get('/cockpit/reports/:token', async (request, response, next) => {
    keepPrivate(response);
    const found = await options.sharedReport(request.params.token);
    if (found === undefined) next();
    else response.type('html').send(reportPage(found));
  });
  app.get('/docs', (_request, response) => {
    allowTool(response).type('html').send(REFERENCE_PAGE);
  });
  app.get('/graphiql', (_request, response) => {
    allowTool(response).type('html').send(EXPLORER_PAGE);
  });
  app.get('/docs/errors', sendHtml(errorListPage()));
  app.get('/docs/errors/:code', (request, response, next) => {
    const found = errorPage(request.params.code);
    if (found === undefined) next();
    else response.type('html').send(found);
  });
  app.get('/docs/access', sendHtml(accessPage()));
  app.get('/assets/:name', async (request, response, next) => {
    if (!(await sendAsset(request.params.name, request, response))) next();
  });
  app.get('/beacon.js', async (request, response) => {
    allowEveryone(response).set('cache-control', 'public, max-age=3600');
    await sendAsset('beacon.js', request, response);
  });
  addDocuments(app, options);
  app.use(answerUnknown(options));
  app.use(answerFailure(options));
  return app;
}

function sendHtml(text: string): RequestHandler {
  return (_request, response) => {
    response.type('html').send(text);
  };
}

/** The machine-readable documents, which programs on pages of other hosts may read. */
function addDocuments(app: Express, options: PagesOptions): void {
  const add = (path: string, type: string, textOf: (request: Request) => string) => {
    app.get(path, (request, response) => {
      allowEveryone(response).type(type).send(textOf(request));
    });
  };
  const addText = (path: string, make: () => string) => {
    let made: string | undefined;
    add(path, 'text/plain', (request) => {
      made ??= make();
      return placed(made, options.baseUrlOf(request));
    });
  };
  const openapiAt = (request: Request) => options.openapi(options.baseUrlOf(request));
  const openapi = () => options.openapi(BASE_URL_PLACE).json;
  add('/openapi.json', 'application/json', (request) => openapiAt(request).json);
  add('/openapi.yaml', 'application/yaml', (request) => openapiAt(request).yaml);
  add('/schema.graphql', 'text/plain', () => options.schemaSdl());
  addText('/llms.txt', () => shortText(openapi()));
  addText('/llms-full.txt', () => fullText(openapi(), options.schemaSdl()));
  addMarkdown(app, options, openapi);
}

/** A text with the address that the caller used, in which nothing can end a text of code. */
function placed(text: string, baseUrl: string): string {
  return text.replaceAll(BASE_URL_PLACE, () => printable(baseUrl));
}

/** The documents that have a page for each thing. */
function addMarkdown(app: Express, options: PagesOptions, openapi: () => string): void {
  let made: OpenApiView | undefined;
  const view = () => {
    made ??= new OpenApiView(openapi());
    return made;
  };
  const add = (path: string, textOf: (name: string, baseUrl: string) => string | undefined) => {
    app.get(path, (request, response, next) => {
      const baseUrl = options.baseUrlOf(request);
      const text = textOf(String(request.params.name ?? ''), baseUrl);
      if (text === undefined) return next();
      allowEveryone(response).type('text/markdown').send(placed(text, baseUrl));
    });
  };
  add('/agents.md', () => agentInstructions());
  add('/docs/operations.md', () => operationIndex(view()));
  add('/docs/operations/:name.md', (id) => operationPage(view(), id, options.moduleOf));
  add('/docs/errors.md', () => errorListText());
  add('/docs/errors/:name.md', (code) => errorText(code));
  add('/docs/quickstart.md', () => quickstartListText());
  add('/docs/quickstart/:name.md', (code, baseUrl) => quickstartText(code, baseUrl));
}

function answerUnknown(options: PagesOptions): RequestHandler {
  return (request, response) => {
    const { method, path } = request;
    const cure = 'All paths are listed in /openapi.json.';
    const values = { method, path: path.slice(0, 200), cure };
    const error = new GatewayError('unknown_url', { values });
    answer(request, response, error, options, () => notFoundPage(path));
  };
}

function answerFailure(options: PagesOptions): ErrorRequestHandler {
  const unknown = answerUnknown(options);
  return (error: unknown, request, response, next) => {
    // A path that cannot be decoded leads nowhere: the caller's fault, not ours.
    if (error instanceof URIError) return unknown(request, response, next);
    const requestId = String(response.get('x-request-id'));
    options.onFailure?.(error, requestId);
    if (response.headersSent) return next(error);
    const failure = new GatewayError('internal_error', { cause: error });
    answer(request, response, failure, options, () => failurePage(requestId));
  };
}

/** A page for those who ask for one; the envelope of every failure for all others. */
function answer(
  request: Request,
  response: Response,
  { code, message, row, status }: GatewayError,
  options: PagesOptions,
  pageText: () => string,
): void {
  response.status(status);
  if (request.headers.accept?.includes('text/html')) {
    response.type('html').send(pageText());
    return;
  }
  const request_id = response.get('x-request-id');
  const doc_url = docUrl(options.baseUrlOf(request), code);
  response.json({ error: { message, type: row.type, param: null, code, request_id, doc_url } });
}
